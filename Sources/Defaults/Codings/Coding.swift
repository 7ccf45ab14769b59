import Foundation

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
    /// How a value is stored inside another one, where that isn't how it is stored as an entry.
    @usableFromInline let nested: Nested?

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
      nested = bridge.canRemove ? Nested(bridge) : nil
    }

    /// What writing a value does to an entry; throws why it can't be written.
    @inlinable
    public func edit(for value: Value) throws(ConversionError) -> Edit {
      try makeEdit(value)
    }

    /// The value of an entry; throws why it isn't one.
    @inlinable
    public func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value {
      try makeValue(entry)
    }

    /// Whether writing a value may remove the entry, as an optional's nil does.
    @inlinable
    public var canRemove: Bool { nested != nil }

    /// The stored form of a value inside another one; throws why there is none.
    @inlinable
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      if let nested { return try nested.encode(value) }
      guard let stored = try makeEdit(value).entry else {
        throw ConversionError("nil can't be stored inside a collection")
      }
      return stored
    }

    /// The value of what is stored inside another one; throws why it isn't one.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      if let nested { return try nested.decode(stored) }
      return try makeValue(stored)
    }
  }
}

// MARK: - Raw values, archives, closures and bridges

extension Defaults.Coding
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// The raw value, as its own bridge stores it.
  public static var rawValue: Self { Self(Defaults.RawRepresentableBridge()) }
}

extension Defaults.CodingStart
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// Begins a chain with the raw value.
  public static var rawValue: Defaults.CodingChain<Value, Value.RawValue> {
    Defaults.CodingChain(Defaults.Coding.rawValue)
  }
}

extension Defaults.Coding where Value: NSObject & NSSecureCoding & Sendable {
  /// A keyed archive, as data.
  ///
  /// The class must be final enough to be `Sendable`; it needn't be `Serializable`. Outside Apple
  /// platforms Foundation's archivers end the process where they meet something that they don't
  /// like, and this coding keeps it from them. It costs these limits, each of them an error:
  ///
  /// - The class must be at the top level of its module: not nested, private or generic.
  /// - Beside it, an archive has only the classes that ``archive(containing:)`` names and `NSString`,
  ///   `NSNumber`, `NSData`, `NSDate`, `NSUUID`, `NSURL`, `NSNull`, `NSArray`, `NSSet` and
  ///   `NSDictionary`, the mutable ones included. Members of a set and keys of a dictionary aren't
  ///   collections.
  /// - Objects aren't nested in each other more than 256 levels deep, nor in a cycle.
  /// - `encode(with:)` and `init(coder:)` use keys. A missing object or a wrong type in the archive
  ///   is nil to `init(coder:)`, and a wrong type is an error whatever it makes of that. Both also
  ///   run when a value is checked before it is stored, so they must do nothing else. A trap of
  ///   their own, as in a force unwrap, remains one.
  public static var archive: Self { archive(containing: []) }

  /// A keyed archive of objects that contain objects of these classes, beside Foundation's.
  public static func archive(
    containing classes: [any (NSObject & NSSecureCoding & SendableMetatype).Type]
  ) -> Self {
    Self(Defaults.NSSecureCodingBridge<Value>(containing: classes))
  }
}

extension Defaults.CodingStart where Value: NSObject & NSSecureCoding & Sendable {
  /// Begins a chain with a keyed archive, as data.
  public static var archive: Defaults.CodingChain<Value, Data> {
    Defaults.CodingChain(Defaults.Coding<Value>.archive)
  }
}

extension Defaults.Coding {
  /// Two closures, from the value to any type that can be stored itself, and back.
  ///
  /// ```swift
  /// Key("x", default: .zero, coding: .custom(encode: { $0.text }, decode: { Point($0) }))
  /// ```
  ///
  /// Returning nil refuses the value or the entry, and so does throwing, which also says why; in
  /// both cases the stored entry stays. `decode` must give back what `encode` was given.
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Self {
    Self(ClosureBridge(toStored: encode, toValue: decode))
  }

  /// A bridge, whatever it ends in.
  public static func bridge<B: Defaults.Bridge>(_ bridge: B) -> Self where B.Value == Value {
    Self(bridge)
  }
}

extension Defaults.CodingStart {
  /// Begins a chain with two closures.
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Defaults.CodingChain<Value, Stored> {
    Defaults.CodingChain(Defaults.Coding.custom(encode: encode, decode: decode))
  }

  /// Begins a chain with a bridge.
  public static func bridge<B: Defaults.Bridge>(
    _ bridge: B
  ) -> Defaults.CodingChain<Value, B.Serializable> where B.Value == Value {
    Defaults.CodingChain(bridge)
  }
}

/// A conversion that is written where it is used.
private struct ClosureBridge<Value, Stored: Defaults.Serializable>: Defaults.PropertyListBridge {
  let toStored: @Sendable (Value) throws -> Stored?
  let toValue: @Sendable (Stored) throws -> Value?

  func encode(_ value: Value) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    let stored: Stored?
    do {
      stored = try toStored(value)
    } catch {
      throw Defaults.ConversionError(coder: error)
    }
    guard let stored else {
      throw Defaults.ConversionError("the key's coding has no \(Stored.self) for this value")
    }
    return try Stored.bridge.encode(stored)
  }

  func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Value {
    let object = try Stored.bridge.decode(stored)
    let value: Value?
    do {
      value = try toValue(object)
    } catch {
      throw Defaults.ConversionError(coder: error)
    }
    guard let value else {
      throw Defaults.ConversionError(
        "the key's coding makes no \(Value.self) of the stored \(Stored.self)")
    }
    return value
  }
}
