extension Defaults {
  /// The form in which the values of one key are stored: a type-erased bridge.
  ///
  /// Pass a coding as the `coding:` of a key. Each usual form is a static member, and larger forms
  /// are composed of smaller ones:
  ///
  /// ```swift
  /// Key("device", default: Device(), coding: .json)
  /// Key<[Device]>("devices", default: [], coding: .array(of: .propertyList))
  /// Key("secret", default: Device(), coding: .json.compressed.base64)
  /// Key("since", default: .distantPast, coding: .iso8601.reading(.timeInterval))
  /// ```
  ///
  /// Any bridge of the value's type can be a coding. A conversion costs a call of a closure and a
  /// call of the bridge, which is specialized in the module that creates the coding. Define your
  /// own coding as a static property:
  ///
  /// ```swift
  /// extension Defaults.Coding where Value == Color {
  ///   static var hex: Self { .custom(encode: { $0.hex }, decode: { Color(hex: $0) }) }
  /// }
  /// ```
  public struct Coding<Value>: PropertyListBridge, CodingStart {
    @usableFromInline
    let makeEdit: @Sendable (Value) throws(ConversionError) -> Edit
    @usableFromInline
    let makeValue: @Sendable (PropertyListValue) throws(ConversionError) -> Value
    /// Returns the value of an entry or, if the last argument is false, of a form inside another
    /// value. Fills missing fields.
    @usableFromInline
    let makeFilled: @Sendable (PropertyListValue, [Value], Bool) throws(ConversionError) -> Value
    /// The form of a value inside another value, if it differs from the form of an entry.
    @usableFromInline let nested: Nested?
    @usableFromInline let makeShape: @Sendable () -> Shape

    @usableFromInline
    struct Nested: Sendable {
      @usableFromInline
      let encode: @Sendable (Value) throws(ConversionError) -> PropertyListValue
      @usableFromInline
      let decode: @Sendable (PropertyListValue) throws(ConversionError) -> Value

      @inlinable
      init<B: Bridge>(_ bridge: B) where B.Value == Value {
        encode = { (value) throws(ConversionError) in try bridge.encode(value) }
        decode = { (stored) throws(ConversionError) in try bridge.decode(stored) }
      }
    }

    /// Creates a coding from a bridge.
    @inlinable
    public init<B: Bridge>(_ bridge: B) where B.Value == Value {
      makeEdit = { (value) throws(ConversionError) in try bridge.edit(for: value) }
      makeValue = { (entry) throws(ConversionError) in try bridge.value(ofEntry: entry) }
      makeFilled = { (stored, defaults, isEntry) throws(ConversionError) in
        isEntry
          ? try bridge.value(ofEntry: stored, fillingFrom: defaults)
          : try bridge.decode(stored, fillingFrom: defaults)
      }
      nested = bridge.canRemove ? Nested(bridge) : nil
      // In a specialized closure: otherwise Swift creates the bridge's type at run time. For the
      // bridge of `Int`, it searches all libraries of the process, which takes 0.2 ms.
      makeShape = { bridge.shape }
    }

    /// The shape of the bridge that the coding was created from.
    @_documentation(visibility: internal)
    public var shape: Shape { makeShape() }

    /// Returns the edit that writes a value; throws if it can't be written.
    @_documentation(visibility: internal)
    @inlinable
    public func edit(for value: Value) throws(ConversionError) -> Edit { try makeEdit(value) }

    /// Returns the value of an entry; throws if the entry isn't a value of the type.
    @_documentation(visibility: internal)
    @inlinable
    public func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value {
      try makeValue(entry)
    }

    /// Whether writing a value may remove the entry, as an optional's nil does.
    @_documentation(visibility: internal)
    @inlinable
    public var canRemove: Bool { nested != nil }

    /// Returns the form of a value inside another value; throws if there is none.
    @_documentation(visibility: internal)
    @inlinable
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      if let nested { return try nested.encode(value) }
      guard let stored = try makeEdit(value).entry else {
        throw ConversionError("nil can't be stored inside a collection")
      }
      return stored
    }

    /// Returns the value of a form inside another value; throws if the form isn't a value of the
    /// type.
    @_documentation(visibility: internal)
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      if let nested { return try nested.decode(stored) }
      return try makeValue(stored)
    }

    /// Returns the value of an entry, with missing fields filled from default values.
    @_documentation(visibility: internal)
    public func value(
      ofEntry entry: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      try makeFilled(entry, defaults, true)
    }

    /// Decodes a stored form that is part of another value. Missing fields come from defaults.
    @_documentation(visibility: internal)
    public func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      try makeFilled(stored, defaults, false)
    }

    /// Returns the value of an entry, with missing fields filled from a default. The default is
    /// evaluated only if a field is missing; nil fills nothing.
    package func value(
      ofEntry entry: PropertyListValue, fillingFrom defaultValue: () -> Value?
    ) throws(ConversionError) -> Value {
      do throws(ConversionError) {
        return try makeValue(entry)
      } catch {
        guard error.lacksField, let defaultValue = defaultValue() else { throw error }
        return try makeFilled(entry, [defaultValue], true)
      }
    }
  }
}

// MARK: - Chains

extension Defaults {
  /// A coding that knows the type of its stored form, so that another coding can follow.
  ///
  /// Codings such as `.json` are both a ``Coding`` and the start of a chain; the context decides.
  /// The compiler checks that each step accepts the result of the previous step:
  ///
  /// ```swift
  /// coding: .json                        // text
  /// coding: .json.base64                 // JSON as data, then as base 64
  /// coding: .rawValue.then(.text)        // the raw value, as text
  /// coding: .json.then(Encryption(key))  // a bridge of your own
  /// ```
  ///
  /// Reading takes the same steps in reverse order. A step that fails throws the reason, and the
  /// stored entry is unchanged.
  public struct CodingChain<Value, Stored: Serializable>: CodingStep {
    /// The coding of the chain, if no step follows.
    public let coding: Coding<Value>

    /// Creates a chain from a coding that stores its values like the bridge of `Stored`.
    init(_ coding: Coding<Value>) { self.coding = coding }

    /// Creates a chain whose first step is a bridge.
    public init<B: Bridge>(_ bridge: B) where B.Value == Value, B.Serializable == Stored {
      coding = Coding(bridge)
    }

    /// Ends the chain with a coding of the type that it has reached.
    public func then(_ next: Coding<Stored>) -> Coding<Value> {
      Coding(ChainedBridge(first: coding, next: next))
    }

    /// Ends the chain with a bridge of the type that it has reached.
    public func then<B: Bridge>(_ next: B) -> Coding<Value> where B.Value == Stored {
      then(Coding(next))
    }
  }

  /// The requirements of a ``CodingChain`` for steps that continue it. Don't conform to it.
  ///
  /// Each step is declared twice under one name: as a member of ``CodingChain`` that returns a
  /// ``Coding``, and as a member of this protocol that returns a chain. The context selects one.
  @_documentation(visibility: internal)
  public protocol CodingStep<Value, Stored>: Sendable {
    /// The type at the start of the chain.
    associatedtype Value
    /// The type that the chain has reached.
    associatedtype Stored: Serializable
    /// The coding of the chain, if no step follows.
    var coding: Coding<Value> { get }
  }

  /// The requirements of a ``Coding`` for starts of chains. Don't conform to it yourself.
  @_documentation(visibility: internal)
  public protocol CodingStart<Value>: Sendable {
    /// The type at the start of the chain.
    associatedtype Value
  }

  /// Two conversions in a row, joined by the property list of the value between them.
  private struct ChainedBridge<Value, Stored: Serializable>: PropertyListBridge {
    let first: Coding<Value>
    let next: Coding<Stored>

    var shape: Shape { .converted(next.shape) }

    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      try next.encode(Stored.bridge.decode(first.encode(value)))
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      try first.decode(Stored.bridge.encode(next.decode(stored)))
    }

    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      try first.decode(Stored.bridge.encode(next.decode(stored)), fillingFrom: defaults)
    }
  }
}

extension Defaults.CodingStep {
  /// Appends a bridge for the last type of the chain.
  @_documentation(visibility: internal)
  public func then<B: Defaults.Bridge>(
    _ next: B
  ) -> Defaults.CodingChain<Value, B.Serializable> where B.Value == Stored {
    let chain = Defaults.CodingChain<Value, Stored>(coding)
    return Defaults.CodingChain(chain.then(Defaults.Coding(next)))
  }
}
