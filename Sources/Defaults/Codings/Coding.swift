extension Defaults {
  /// How the values of one key are stored: a bridge whose type is erased.
  ///
  /// A key takes one as its `coding:`. There is one for each usual form, with a leading dot, and
  /// they are put together of smaller ones:
  ///
  /// ```swift
  /// Key("device", default: Device(), coding: .json)
  /// Key<[Device]>("devices", default: [], coding: .array(of: .propertyList))
  /// Key("secret", default: Device(), coding: .json.compressed.base64)
  /// Key("since", default: .distantPast, coding: .iso8601.reading(.timeInterval))
  /// ```
  ///
  /// Made where the key is made, from any bridge of the value's type; calls cost that of a closure
  /// and of the bridge, which is specialized in the module that made it. One of your own is a
  /// static property in an extension:
  ///
  /// ```swift
  /// extension Defaults.Coding where Value == Color {
  ///   static var hex: Self { .custom(encode: { $0.hex }, decode: { Color(hex: $0) }) }
  /// }
  /// ```
  public struct Coding<Value>: PropertyListBridge {
    @usableFromInline
    let makeEdit: @Sendable (Value) throws(ConversionError) -> Edit
    @usableFromInline
    let makeValue: @Sendable (PropertyListValue) throws(ConversionError) -> Value
    /// Makes a value of an entry, if the last argument says so, or of what is stored inside another
    /// value, and fills missing fields.
    @usableFromInline
    let makeFilled: @Sendable (PropertyListValue, [Value], Bool) throws(ConversionError) -> Value
    /// How a value is stored inside another one, where that isn't how it is stored as an entry.
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

    /// The coding that a bridge does.
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
      // Not by a function that isn't specialized, which would need the bridge's type at run time:
      // to make that of `Int`, Swift looks through all libraries of the process, for 0.2 ms.
      makeShape = { bridge.shape }
    }

    /// The shape of the bridge that this was made from.
    @_documentation(visibility: internal)
    public var shape: Shape { makeShape() }

    /// What writing a value does to an entry; throws why it can't be written.
    @_documentation(visibility: internal)
    @inlinable
    public func edit(for value: Value) throws(ConversionError) -> Edit {
      try makeEdit(value)
    }

    /// The value of an entry; throws why it isn't one.
    @_documentation(visibility: internal)
    @inlinable
    public func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value {
      try makeValue(entry)
    }

    /// Whether writing a value may remove the entry, as an optional's nil does.
    @_documentation(visibility: internal)
    @inlinable
    public var canRemove: Bool { nested != nil }

    /// The stored form of a value inside another one; throws why there is none.
    @_documentation(visibility: internal)
    @inlinable
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      if let nested { return try nested.encode(value) }
      guard let stored = try makeEdit(value).entry else {
        throw ConversionError("nil can't be stored inside a collection")
      }
      return stored
    }

    /// The value of what is stored inside another one; throws why it isn't one.
    @_documentation(visibility: internal)
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      if let nested { return try nested.decode(stored) }
      return try makeValue(stored)
    }

    /// The value of an entry, with missing fields filled from default values.
    @_documentation(visibility: internal)
    public func value(
      ofEntry entry: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      try makeFilled(entry, defaults, true)
    }

    /// The value of what is stored inside another one, with missing fields filled from default
    /// values.
    @_documentation(visibility: internal)
    public func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      try makeFilled(stored, defaults, false)
    }

    /// The value of an entry. Fields that it lacks are filled from a default, which is asked for
    /// only then; nil fills nothing.
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
  /// A coding that knows the type it ends in, so that another one can go on from there.
  ///
  /// Codings such as `.json` are both a ``Coding`` and the beginning of a chain, whichever is asked
  /// for. The compiler checks that each step takes what the one before gives:
  ///
  /// ```swift
  /// coding: .json                        // text
  /// coding: .json.base64                 // JSON as data, that as base 64
  /// coding: .rawValue.then(.text)        // the raw value, as text
  /// coding: .json.then(Encryption(key))  // a bridge of one's own
  /// ```
  ///
  /// Reading goes through the same steps, the last one first. A step that fails says why, and the
  /// stored entry stays.
  public struct CodingChain<Value, Stored: Serializable>: Sendable {
    /// The coding that the chain does if nothing follows.
    public let coding: Coding<Value>

    /// Wraps a coding that stores its values as the bridge of `Stored` does.
    init(_ coding: Coding<Value>) {
      self.coding = coding
    }

    /// A chain whose first step is a bridge.
    public init<B: Bridge>(_ bridge: B) where B.Value == Value, B.Serializable == Stored {
      coding = Coding(bridge)
    }

    /// Ends the chain with a coding of what it has come to.
    public func then(_ next: Coding<Stored>) -> Coding<Value> {
      Coding(ChainedBridge(first: coding, next: next))
    }

    /// Ends the chain with a bridge from what it has come to.
    public func then<B: Bridge>(_ next: B) -> Coding<Value> where B.Value == Stored {
      then(Coding(next))
    }
  }

  /// What a ``CodingChain`` is to the steps that leave it open; there is no need to conform to it.
  ///
  /// Steps stand twice, with one name: as members of ``CodingChain`` that end in a ``Coding``, and
  /// as members of this protocol that end in a chain. The context decides which is meant.
  @_documentation(visibility: internal)
  public protocol CodingStep<Value, Stored>: Sendable {
    /// The type that the chain began with.
    associatedtype Value
    /// The type that it has come to.
    associatedtype Stored: Serializable
    /// The coding that the chain does if nothing follows.
    var coding: Coding<Value> { get }
  }

  /// What a ``Coding`` is to the beginnings of chains; there is no need to conform to it.
  @_documentation(visibility: internal)
  public protocol CodingStart<Value>: Sendable {
    /// The type that the chain begins with.
    associatedtype Value
  }

  /// Two conversions in a row, with what lies between made of its property list.
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

extension Defaults.CodingChain: Defaults.CodingStep {}
extension Defaults.Coding: Defaults.CodingStart {}

extension Defaults.CodingStep {
  /// Goes on with a bridge from what the chain has come to.
  @_documentation(visibility: internal)
  public func then<B: Defaults.Bridge>(
    _ next: B
  ) -> Defaults.CodingChain<Value, B.Serializable> where B.Value == Stored {
    let chain = Defaults.CodingChain<Value, Stored>(coding)
    return Defaults.CodingChain(chain.then(Defaults.Coding(next)))
  }
}
