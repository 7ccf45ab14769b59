import Foundation

extension Defaults {
  /// Reals and dates as text that gives back the same bits, and that people can read where there is
  /// such a text.
  enum ExactText {
    /// Decimal, `inf`, `-inf`, `nan`, or the bits of any other NaN: `0x7ff8000000000001`.
    static func text(of real: Double) -> String {
      guard real.isNaN else { return "\(real)" }
      let isPlain = real.bitPattern == Double.nan.bitPattern
      return isPlain ? "nan" : "0x" + String(real.bitPattern, radix: 16)
    }

    /// The real of such a text; nil if it is none.
    static func real(_ text: String) -> Double? {
      switch text {
      case "nan": return .nan
      case "inf": return .infinity
      case "-inf": return -.infinity
      default: break
      }
      if text.hasPrefix("0x") {
        return UInt64(text.dropFirst(2), radix: 16).map(Double.init(bitPattern:))
      }
      guard let value = Double(text), value.isFinite else { return nil }
      return value
    }

    /// `2026-11-21T13:03:44.25Z`, with as many digits as the date needs; outside of the years 0 to
    /// 9999, or where nine digits don't do, the seconds since 2001 as a real.
    static func text(of date: Date) -> String {
      let seconds = date.timeIntervalSinceReferenceDate
      guard let text = ISO8601Text.exactText(secondsSince2001: seconds),
        text.utf8.count <= "2026-11-21T13:03:44.123456789Z".utf8.count
      else { return Self.text(of: seconds) }
      return text
    }

    /// The date of such a text, or of any other in ISO 8601 with a time and an offset; nil if it is
    /// none.
    static func date(_ text: String) -> Date? {
      (ISO8601Text(text)?.secondsSince2001 ?? real(text))
        .map(Date.init(timeIntervalSinceReferenceDate:))
    }
  }
}
