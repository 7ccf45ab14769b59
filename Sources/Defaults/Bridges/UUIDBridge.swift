import Foundation

extension Defaults {
  /// Stores a `UUID` as its string of 36 characters, in capitals.
  public struct UUIDBridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// The string; never throws.
    public func encode(_ value: UUID) throws(ConversionError) -> PropertyListValue {
      .string(value.uuidString)
    }

    /// The UUID of a string in the usual form with hyphens, in letters of either case.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> UUID {
      guard case .string(let string) = stored else {
        throw .mismatch(stored, expected: "the string of a UUID")
      }
      // Foundation stops at a NUL, and takes what stands before it.
      guard string.utf8.count == 36, let value = UUID(uuidString: string) else {
        throw ConversionError("\"\(string)\" isn't a UUID")
      }
      return value
    }
  }
}

extension UUID: Defaults.Serializable {
  /// Stores a string.
  public static var bridge: Defaults.UUIDBridge { Defaults.UUIDBridge() }
}
