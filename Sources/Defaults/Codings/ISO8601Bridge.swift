import Foundation

extension Defaults {
  /// Stores a `Date` as text in ISO 8601, in UTC: "2026-11-21T08:30:00Z".
  ///
  /// The fraction of the second has as many digits as it takes to be exact, at most seven for the
  /// dates of our time, and is left out where it is zero. Dates outside of the years 0 to 9999 are
  /// refused, and so is what isn't a number.
  ///
  /// Reading takes any number of digits after a point or a comma, any offset, a space instead of
  /// the T, small letters, and a stored date. A date without a time or an offset says no instant;
  /// it is refused.
  public struct ISO8601Bridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// A string; throws if no text stands for the date.
    public func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
      let interval = value.timeIntervalSinceReferenceDate
      guard let text = ISO8601Text.exactText(secondsSince2001: interval) else {
        // Not the date's description, which traps for what isn't a number.
        throw ConversionError(
          "the date \(interval) seconds from 2001 has no text in ISO 8601, which ends with the "
            + "year 9999")
      }
      return .string(text)
    }

    /// The date of a text, or a stored date.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
      switch stored {
      case .date(let date):
        return date
      case .string(let text):
        guard let seconds = ISO8601Text(text)?.secondsSince2001 else {
          throw ConversionError(
            "\"\(text)\" isn't a date, time and offset such as \"2026-11-21T08:30:00Z\"")
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
      default:
        throw .mismatch(stored, expected: "a date in ISO 8601")
      }
    }
  }
}

extension Defaults.Coding where Value == Date {
  /// Text in ISO 8601, exact to the last fraction of a second. See `ISO8601Bridge`.
  public static var iso8601: Self { Self(Defaults.ISO8601Bridge()) }
}

extension Defaults.CodingStart where Value == Date {
  /// Begins a chain with text in ISO 8601.
  public static var iso8601: Defaults.CodingChain<Date, String> {
    Defaults.CodingChain(Defaults.Coding(Defaults.ISO8601Bridge()))
  }
}
