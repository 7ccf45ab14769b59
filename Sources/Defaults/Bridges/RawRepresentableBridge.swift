extension Defaults {
  /// Stores a value by its raw value, as the raw value's own bridge does.
  ///
  /// A raw value that stands for nothing is refused, so an entry that a newer version wrote stays.
  @frozen
  public struct RawRepresentableBridge<Value: RawRepresentable & Sendable>: PropertyListBridge
  where Value.RawValue: Defaults.Serializable {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// The encoded raw value.
    @inlinable
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      try Value.RawValue.bridge.encode(value.rawValue)
    }

    /// The value of the decoded raw value.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let rawValue = try Value.RawValue.bridge.decode(stored)
      guard let value = Value(rawValue: rawValue) else { throw Self.unknown(rawValue) }
      return value
    }

    /// Out of line, so that making the message doesn't weigh on the fast path.
    @usableFromInline
    static func unknown(_ rawValue: Value.RawValue) -> ConversionError {
      ConversionError("\(String(reflecting: rawValue)) isn't a raw value of \(Value.self)")
    }
  }
}
