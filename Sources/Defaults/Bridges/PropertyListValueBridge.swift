extension Defaults {
  /// Stores a property list as it is: where every conversion ends.
  public struct PropertyListValueBridge: Bridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// The value itself.
    @inlinable
    public func serialize(_ value: PropertyListValue?) -> PropertyListValue? { value }

    /// The stored value itself.
    @inlinable
    public func deserialize(_ object: PropertyListValue?) -> PropertyListValue? { object }

    /// The value itself.
    @inlinable
    public func encode(
      _ value: PropertyListValue
    ) throws(ConversionError) -> PropertyListValue { value }

    /// The stored value itself.
    @inlinable
    public func decode(
      _ stored: PropertyListValue
    ) throws(ConversionError) -> PropertyListValue { stored }
  }
}

extension Defaults.PropertyListValue: Defaults.Serializable {
  /// Stores the value as it is.
  @inlinable
  public static var bridge: Defaults.PropertyListValueBridge { Defaults.PropertyListValueBridge() }
}
