import Foundation

extension Defaults {
  /// Stores a `Date` as it is, with every fraction of a second.
  @frozen
  public struct DateBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A date as it is; never throws.
    @inlinable
    public func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
      .date(value)
    }

    /// A date as it is; nothing else is read.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
      guard case .date(let value) = stored else {
        throw .mismatch(stored, expected: "a date")
      }
      return value
    }
  }
}

extension Date: Defaults.Serializable {
  /// Stores a date.
  @inlinable
  public static var bridge: Defaults.DateBridge { Defaults.DateBridge() }
}
