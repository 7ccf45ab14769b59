extension Defaults {
  /// Stores a `String` as it is: any length, any character, composed or not.
  @frozen
  public struct StringBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A string as it is; never throws.
    @inlinable
    public func encode(_ value: String) throws(ConversionError) -> PropertyListValue {
      .string(value)
    }

    /// A string as it is; nothing else is read.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> String {
      guard case .string(let value) = stored else {
        throw .mismatch(stored, expected: "a string")
      }
      return value
    }
  }
}

extension String: Defaults.Serializable {
  /// Stores a string.
  @inlinable
  public static var bridge: Defaults.StringBridge { Defaults.StringBridge() }
}
