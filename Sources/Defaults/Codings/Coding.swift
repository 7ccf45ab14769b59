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
