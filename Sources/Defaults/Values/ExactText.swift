import Foundation

extension Defaults {
  /// Exact conversion of reals and dates to texts and back. The texts are readable where possible.
  package enum ExactText {
    /// Returns a decimal, `inf`, `-inf`, `nan`, or the bits of any other NaN: `0x7ff8000000000001`.
    package static func text(of real: Double) -> String {
      guard real.isNaN else { return "\(real)" }
      let isPlain = real.bitPattern == Double.nan.bitPattern
      return isPlain ? "nan" : "0x" + String(real.bitPattern, radix: 16)
    }

    /// Returns the real of such a text, or of any other decimal; nil for any other text.
    package static func real(_ text: String) -> Double? {
      switch text {
      case "nan": return .nan
      case "inf": return .infinity
      case "-inf": return -.infinity
      default: break
      }
      if text.hasPrefix("0x") {
        let bits = UInt64(digits: text.dropFirst(2), radix: 16)
        guard let value = bits.map(Double.init(bitPattern:)), Self.text(of: value) == text else {
          return nil
        }
        return value
      }
      guard let value = Double(decimal: text), value.isFinite else { return nil }
      return value
    }

    /// Returns a date as `2026-11-21T13:03:44.25Z`, with as many digits as it needs. Outside of the
    /// years 0 to 9999, or if nine digits aren't enough, returns the seconds since 2001 as a real.
    package static func text(of date: Date) -> String {
      let seconds = date.timeIntervalSinceReferenceDate
      guard let text = ISO8601Text.exactText(secondsSince2001: seconds),
        text.utf8.count <= "2026-11-21T13:03:44.123456789Z".utf8.count
      else { return Self.text(of: seconds) }
      return text
    }

    /// Returns the date of such a text, or of any text in ISO 8601 with a time and an offset; nil
    /// for any other text. The text of a number of seconds is never a whole number, so "2026",
    /// which means a year, isn't read as the first hour of 2001.
    package static func date(_ text: String) -> Date? {
      if text.utf8.allSatisfy({ $0.isDigit || "+-".utf8.contains($0) }) { return nil }
      return (ISO8601Text(text)?.secondsSince2001 ?? real(text))
        .map(Date.init(timeIntervalSinceReferenceDate:))
    }
  }
}

// MARK: - Numbers

extension String {
  package var withoutOuterSpace: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension UInt8 {
  /// Whether the byte is a digit in ASCII.
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}

extension FixedWidthInteger {
  /// Creates a whole number of up to 127 bits from digits with an optional sign; nil for any other
  /// text, or if the type can't hold the number.
  ///
  /// One parser for all types: Swift's parser is generic, so each type would add a copy of it.
  init?(digits: some StringProtocol, radix: Int = 10) {
    guard let number = wholeNumber(of: String(digits), radix: radix) else { return nil }
    self.init(exactly: number)
  }

  /// Creates a number from exactly `count` hexadecimal digits; nil for any other bytes.
  init?(hexadecimal digits: some Collection<UInt8>, count: Int) {
    guard digits.count == count,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    self.init(digits: String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

private func wholeNumber(of text: String, radix: Int) -> Int128? {
  // Most numbers have 64 bits or less, for which parsing takes a quarter of the time.
  Int64(text, radix: radix).map { Int128($0) } ?? Int128(text, radix: radix)
}

extension Double {
  /// Creates a number from a decimal; infinite if it is too large. Swift's parser would also read
  /// words and hexadecimal numbers.
  init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    self.init(text)
  }
}

// MARK: - Dates

/// An instant in decimal: whole seconds, and the digits of their fraction.
///
/// Decimal makes the text exact: Swift prints the shortest digits that give a `Double` back, and
/// reading them rounds once.
struct ISO8601Text {
  /// Whole seconds since the first instant of 2001, rounded down.
  private let seconds: Int64
  private let fraction: [UInt8]

  private static let years: ClosedRange<Int64> = 0...9999

  /// nil if the instant is far outside of the years 0 to 9999.
  init?(secondsSince2001 interval: Double) {
    // Includes the years 0 to 9999; a greater interval might overflow `Int64`.
    guard interval.magnitude < 0x1p38 else { return nil }
    let whole = interval.rounded(.down)
    seconds = Int64(whole)
    fraction = Self.fraction(of: interval)
  }

  /// Returns the digits after the point of the number rounded down: 75 for -0.25.
  private static func fraction(of interval: Double) -> [UInt8] {
    var digits = Array("\(interval.magnitude)".utf8)
    var exponent = 0
    if let mark = digits.firstIndex(of: UInt8(ascii: "e")) {
      exponent = Int(digits: String(decoding: digits[(mark + 1)...], as: UTF8.self)) ?? 0
      digits.removeSubrange(mark...)
    }
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.count
    if point < digits.count { digits.remove(at: point) }
    let start = point + exponent
    var result =
      start < 0
      ? Array(repeating: UInt8(ascii: "0"), count: -start) + digits
      : Array(digits.dropFirst(start))
    while result.last == UInt8(ascii: "0") { result.removeLast() }
    return interval < 0 ? complement(result) : result
  }

  /// Returns one minus a fraction, digit by digit.
  private static func complement(_ digits: [UInt8]) -> [UInt8] {
    guard let last = digits.indices.last else { return [] }
    let zero = UInt8(ascii: "0")
    return digits.indices.map { index in
      zero + (index == last ? 10 : 9) - (digits[index] - zero)
    }
  }

  /// Returns the text that gives the same bits back; nil if there is none.
  static func exactText(secondsSince2001 interval: Double) -> String? {
    guard let text = Self(secondsSince2001: interval)?.text,
      Self(text)?.secondsSince2001?.bitPattern == interval.bitPattern
    else { return nil }
    return text
  }

  /// The nearest `Double`; nil if the digits are no number.
  var secondsSince2001: Double? {
    // The text of a negative number counts away from zero: -3 and .25 are -2.75.
    guard seconds < 0, !fraction.isEmpty else {
      return Double("\(seconds).\(String(decoding: fraction, as: UTF8.self))0")
    }
    let digits = String(decoding: Self.complement(fraction), as: UTF8.self)
    return Double("-\(-(seconds + 1)).\(digits)")
  }
}

extension ISO8601Text {
  /// The text in UTC; nil if the year doesn't have four digits.
  var text: String? {
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let isBefore = second < 0
    let time = isBefore ? second + 86_400 : second
    let day = CalendarDay(daysSince2001: days - (isBefore ? 1 : 0))
    guard Self.years.contains(day.year) else { return nil }
    let date = [
      Self.digits(day.year, 4), Self.digits(day.month, 2), Self.digits(day.day, 2),
    ].joined(separator: "-")
    let clock = [time / 3_600, time / 60 % 60, time % 60].map { Self.digits($0, 2) }
      .joined(separator: ":")
    let rest = fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self)
    return "\(date)T\(clock)\(rest)Z"
  }

  private static func digits(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: width - digits.count) + digits
  }

  /// nil if the text isn't a date, a time and an offset.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]

    func skip(_ allowed: StaticString) -> UInt8? {
      guard let byte = rest.first,
        allowed.withUTF8Buffer({ $0.contains(byte) })
      else { return nil }
      rest.removeFirst()
      return byte
    }
    func number(_ width: Int, in range: ClosedRange<Int64>) -> Int64? {
      let digits = rest.prefix(width)
      guard digits.count == width, digits.allSatisfy(\.isDigit) else { return nil }
      rest.removeFirst(width)
      let number = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
      return range.contains(number) ? number : nil
    }

    guard let year = number(4, in: Self.years), skip("-") != nil,
      let month = number(2, in: 1...12), skip("-") != nil,
      let ofMonth = number(2, in: 1...31),
      let day = CalendarDay(year: year, month: month, day: ofMonth),
      skip("Tt ") != nil,
      let hour = number(2, in: 0...23), skip(":") != nil,
      let minute = number(2, in: 0...59), skip(":") != nil,
      let second = number(2, in: 0...59)
    else { return nil }

    var fraction: [UInt8] = []
    if skip(".,") != nil {
      fraction = Array(rest.prefix(while: \.isDigit))
      rest.removeFirst(fraction.count)
      guard !fraction.isEmpty else { return nil }
      while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    }

    var offset: Int64 = 0
    if skip("Zz") == nil {
      guard let sign = skip("+-"), let hours = number(2, in: 0...23) else { return nil }
      var minutes: Int64 = 0
      if !rest.isEmpty {
        _ = skip(":")
        guard let given = number(2, in: 0...59) else { return nil }
        minutes = given
      }
      offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
    }
    guard rest.isEmpty else { return nil }

    seconds = ((day.daysSince2001 * 24 + hour) * 60 + minute) * 60 + second - offset
    self.fraction = fraction
  }
}

/// A day of the Gregorian calendar, extended to the time before its introduction, with a year 0.
///
/// The algorithms are Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms", whose year
/// begins in March. An era is 400 years of 146,097 days in all.
struct CalendarDay {
  // `Int64`, because `Int` has 32 bits on some watches.
  let year: Int64
  let month: Int64
  let day: Int64

  /// The days from 0000-03-01 to 2001-01-01.
  private static let daysTo2001: Int64 = 730_791

  /// nil if there is no such day.
  init?(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
    let same = Self(daysSince2001: daysSince2001)
    guard (same.year, same.month, same.day) == (year, month, day) else { return nil }
  }

  init(daysSince2001 days: Int64) {
    let days = days + Self.daysTo2001
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month < 3 ? 1 : 0)
  }

  var daysSince2001: Int64 {
    let year = month < 3 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month < 3 ? month + 9 : month - 3) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - Self.daysTo2001
  }
}
