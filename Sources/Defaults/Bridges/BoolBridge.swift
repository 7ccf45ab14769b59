extension Defaults {
  /// Stores a `Bool` as a bool.
  ///
  /// Reads bools, and the numbers 0 and 1 in either form; any other number, and every string, is
  /// refused.
  @frozen
  public struct BoolBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A bool; never throws.
    @inlinable
    public func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue { .bool(value) }

    /// The bool, or whether a 0 or 1 is 1.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
      switch stored {
      case .bool(let value): return value
      case .integer(0), .unsignedInteger(0), .real(0): return false
      case .integer(1), .unsignedInteger(1), .real(1): return true
      case .integer(let number): throw .inexact(number, as: "a bool")
      case .unsignedInteger(let number): throw .inexact(number, as: "a bool")
      case .real(let number): throw .inexact(number, as: "a bool")
      default: throw .mismatch(stored, expected: "a bool")
      }
    }
  }
}

extension Bool: Defaults.Serializable {
  /// Stores a bool.
  @inlinable
  public static var bridge: Defaults.BoolBridge { Defaults.BoolBridge() }
}
