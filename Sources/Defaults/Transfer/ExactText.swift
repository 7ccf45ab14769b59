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
      let whole = seconds.rounded(.down)
      guard -63_145_526_400...252_423_993_599 ~= whole else { return text(of: seconds) }
      for digits in 0...9 {
        let fraction = fractionText(seconds - whole, digits: digits)
        // What reading gives: the date without a fraction is exact, and a fraction is added to it.
        let read = whole + (Double("0" + fraction) ?? .nan)
        if read.bitPattern == seconds.bitPattern {
          return calendarText(Int(whole)) + fraction + "Z"
        }
      }
      return text(of: seconds)
    }

    /// The date of such a text; nil if it is none.
    static func date(_ text: String) -> Date? {
      guard text.utf8.contains(UInt8(ascii: "T")) else {
        return real(text).map(Date.init(timeIntervalSinceReferenceDate:))
      }
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let start = parts.count == 1 ? text : "\(parts[0])Z"
      guard let date = try? XMLPropertyListDecoder.date(start, at: 0) else { return nil }
      guard parts.count == 2 else { return date }
      let digits = parts[1].dropLast()
      guard parts[1].last == "Z", !digits.isEmpty,
        digits.utf8.allSatisfy(JSONReader.isDigit),
        let fraction = Double("0.\(digits)")
      else { return nil }
      return Date(
        timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + fraction)
    }

    private static func fractionText(_ fraction: Double, digits: Int) -> String {
      guard digits > 0 else { return "" }
      var scale = 1.0
      for _ in 0..<digits { scale *= 10 }
      return "." + padded(Int((fraction * scale).rounded()), to: digits)
    }

    /// Date and time of day, in the Gregorian calendar.
    private static func calendarText(_ seconds: Int) -> String {
      let day = Int((Double(seconds) / 86_400).rounded(.down))
      let time = seconds - day * 86_400
      // Counted from 0000-03-01, so that a leap day is the last of its year; the months from March
      // on have 153 days in every five.
      let shifted = day + 730_791
      let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
      let dayOfEra = shifted - era * 146_097
      let yearOfEra =
        (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
      let monthFromMarch = (5 * dayOfYear + 2) / 153
      let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
      let year = yearOfEra + era * 400 + (month < 3 ? 1 : 0)
      let date = [
        padded(year, to: 4), padded(month, to: 2),
        padded(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, to: 2),
      ].joined(separator: "-")
      let clock = [time / 3_600, time / 60 % 60, time % 60].map { padded($0, to: 2) }
      return date + "T" + clock.joined(separator: ":")
    }

    private static func padded(_ number: Int, to width: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
  }
}
