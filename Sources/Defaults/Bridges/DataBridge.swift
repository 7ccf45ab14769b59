import Foundation

extension Defaults {
  /// Stores a `Data` as it is.
  @frozen
  public struct DataBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// Data as it is; never throws.
    @inlinable
    public func encode(_ value: Data) throws(ConversionError) -> PropertyListValue {
      .data(value)
    }

    /// Data as it is; nothing else is read.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Data {
      guard case .data(let value) = stored else {
        throw .mismatch(stored, expected: "data")
      }
      return value
    }
  }
}

extension Data: Defaults.Serializable {
  /// Stores data.
  @inlinable
  public static var bridge: Defaults.DataBridge { Defaults.DataBridge() }
}
