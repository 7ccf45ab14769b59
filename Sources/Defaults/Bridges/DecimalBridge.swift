import Foundation

extension Defaults {
  /// Stores a `Decimal` as a string of its digits, with a point whatever the locale.
  ///
  /// Exact for every value, `NaN` included. Reads the whole string or refuses it: an exponent, a
  /// comma, spaces, and more digits than a `Decimal` holds are errors.
  public struct DecimalBridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// The digits; throws if they wouldn't give an equal number again.
    public func encode(_ value: Decimal) throws(ConversionError) -> PropertyListValue {
      let stored = PropertyListValue.string(value.description)
      guard let copy = try? decode(stored), copy == value || (copy.isNaN && value.isNaN) else {
        throw .inexact(value, as: "a string of digits")
      }
      return stored
    }

    /// The number of a string such as "-12.50", or of an integer.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Decimal {
      switch stored {
      case .string("NaN"):
        return .nan
      case .string(let string):
        // Foundation reads as far as it understands and drops digits that don't fit, so the text
        // is checked before, and the number after.
        guard let digits = Self.canonical(string), let value = Decimal(string: string),
          value.description == digits
        else {
          throw .inexact("\"\(string)\"", as: "Decimal")
        }
        return value
      case .integer(let number):
        return Decimal(number)
      case .unsignedInteger(let number):
        return Decimal(number)
      default:
        throw .mismatch(stored, expected: "the string of a decimal number")
      }
    }

    /// The text without superfluous zeros, as `description` writes it; nil if it isn't a number.
    private static func canonical(_ text: String) -> String? {
      let isNegative = text.hasPrefix("-")
      let parts = text.dropFirst(isNegative ? 1 : 0)
        .split(separator: ".", omittingEmptySubsequences: false)
      guard
        parts.count <= 2,
        parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
      else { return nil }
      let whole = parts[0].drop { $0 == "0" }
      var fraction = parts.count == 2 ? parts[1] : ""
      while fraction.last == "0" { fraction.removeLast() }
      if whole.isEmpty && fraction.isEmpty { return "0" }
      return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
        + (fraction.isEmpty ? "" : ".\(fraction)")
    }
  }
}

extension Decimal: Defaults.Serializable {
  /// Stores a string.
  public static var bridge: Defaults.DecimalBridge { Defaults.DecimalBridge() }
}
