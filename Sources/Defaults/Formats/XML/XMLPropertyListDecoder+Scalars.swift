import Foundation

extension Defaults.XMLPropertyListDecoder {
  /// Decimal or, after `0x`, hexadecimal, with or without a sign.
  static func integer(
    _ text: String, at offset: Int
  ) throws(Defaults.PropertyListError) -> Defaults.PropertyListValue {
    var digits = text.trimmed
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    let radix = digits.hasPrefix("0x") || digits.hasPrefix("0X") ? 16 : 10
    if radix == 16 { digits.removeFirst(2) }
    // The parsers below would take a second sign.
    guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+")
    else { throw Defaults.PropertyListError("the integer has no digits", offset: offset) }
    if isNegative, let value = Int64("-" + digits, radix: radix) { return .integer(value) }
    if !isNegative, let magnitude = UInt64(digits, radix: radix) {
      return magnitude > Int64.max ? .unsignedInteger(magnitude) : .integer(Int64(magnitude))
    }
    throw Defaults.PropertyListError("the integer isn't one of 64 bits", offset: offset)
  }

  /// A decimal number, or a word for infinity or not-a-number.
  static func real(_ text: String, at offset: Int) throws(Defaults.PropertyListError) -> Double {
    let text = text.trimmed
    switch text.lowercased() {
    case "nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    let isDecimal = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isDecimal, let value = Double(text) else {
      throw Defaults.PropertyListError("the real isn't a number", offset: offset)
    }
    guard value.isFinite else {
      throw Defaults.PropertyListError("the real is too large for 64 bits", offset: offset)
    }
    return value
  }

  /// `2001-01-01T00:00:00Z`; a year may have a sign and up to nine digits.
  static func date(_ text: String, at offset: Int) throws(Defaults.PropertyListError) -> Date {
    let isNegative = text.trimmed.first == "-"
    let text = text.trimmed.dropFirst(isNegative ? 1 : 0)
    let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
    let separators = text.filter { "-T:Z".contains($0) }
    let isNumeric = parts.prefix(6).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    let numbers = parts.prefix(6).compactMap { $0.count < 10 ? Int64($0) : nil }
    guard separators == "--T::Z", parts.last == "", isNumeric, numbers.count == 6,
      parts.dropFirst().prefix(5).allSatisfy({ $0.count == 2 })
    else {
      throw Defaults.PropertyListError(
        "the date isn't of the form 2001-01-01T00:00:00Z", offset: offset)
    }
    let year = isNegative ? -numbers[0] : numbers[0]
    guard let day = Defaults.CalendarDay(year: year, month: numbers[1], day: numbers[2]),
      numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
    else {
      throw Defaults.PropertyListError("there is no such day or time", offset: offset)
    }
    let seconds = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
    return Date(
      timeIntervalSinceReferenceDate: Double(day.daysSince2001 * 86_400 + seconds))
  }

  /// Base64 with padding; white space anywhere.
  static func data(_ text: String, at offset: Int) throws(Defaults.PropertyListError) -> Data {
    let symbols = Data(text.utf8.filter { !XMLScanner.isSpace($0) })
    guard let data = Data(base64Encoded: symbols) else {
      throw Defaults.PropertyListError("the data isn't base64", offset: offset)
    }
    return data
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: Substring {
    typealias Scanner = Defaults.XMLPropertyListDecoder.XMLScanner
    let isSpace: (Character) -> Bool = { $0.utf8.allSatisfy { Scanner.isSpace($0) } }
    let rest = drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? ""
  }
}
