import Foundation

/// Reads the XML property list format strictly, and directly to ``PropertyListValue``.
///
/// `PropertyListSerialization` silently misreads invalid files, such as duplicate keys, data that
/// isn't base64, month 99 and `["CF$UID": 1]`, and takes minutes for keys that collide. Here these
/// are errors or read literally, in time and memory proportional to the file. Only the five
/// entities of XML exist, so none can expand.
package struct XMLPropertyListDecoder {
  private var scanner: XMLScanner
  /// The offsets of the file's names; nil if they aren't wanted.
  private var offsets: NameOffsets?

  /// Returns the entries of a file in UTF-8, whose root must be a dictionary.
  static func decode(_ data: Data) throws(ConversionError) -> [String: PropertyListValue] {
    try decode(data, notingOffsets: false).entries
  }

  package static func offsetsOfNames(
    in data: Data
  ) throws(ConversionError) -> [String: Int] {
    try decode(data, notingOffsets: true).offsets
  }

  private static func decode(
    _ data: Data, notingOffsets: Bool
  ) throws(ConversionError) -> (entries: [String: PropertyListValue], offsets: [String: Int]) {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(ConversionError) in
        var decoder = Self(scanner: XMLScanner(bytes), offsets: notingOffsets ? NameOffsets() : nil)
        return (root: try decoder.document(), offsets: decoder.offsets?.all ?? [:])
      }
    }
    let (root, offsets) = try result.get()
    guard case .dictionary(let entries) = root else {
      throw ConversionError("the root isn't a dictionary")
    }
    return (entries, offsets)
  }

  private mutating func document() throws(ConversionError) -> PropertyListValue {
    try scanner.skipProlog()
    guard let plist = try scanner.openingTag(), plist.name == "plist", !plist.isEmpty else {
      throw ConversionError("there is no <plist>", offset: scanner.position)
    }
    guard let tag = try scanner.openingTag() else {
      throw ConversionError("the <plist> is empty", offset: scanner.position)
    }
    // One level more than a value may have, because the values are the root's entries.
    let root = try value(tag, levels: PropertyListValue.maximumDepth + 1)
    try scanner.closingTag("plist")
    try scanner.skipMiscellany()
    guard scanner.isAtEnd else {
      throw ConversionError("there is text after </plist>", offset: scanner.position)
    }
    return root
  }

  private mutating func value(
    _ tag: XMLScanner.Tag, levels: Int
  ) throws(ConversionError) -> PropertyListValue {
    guard levels > 0 else { throw .tooDeep(at: tag.offset) }
    switch tag.name {
    case "dict": return .dictionary(try entries(tag, levels: levels - 1))
    case "array": return .array(try elements(tag, levels: levels - 1))
    case "true", "false":
      if !tag.isEmpty { try scanner.closingTag(tag.name) }
      return .bool(tag.name == "true")
    case "string": return .string(try scanner.text(of: tag))
    case "integer": return try Self.integer(try scanner.text(of: tag), at: tag.offset)
    case "real": return .real(try Self.real(try scanner.text(of: tag), at: tag.offset))
    case "date": return .date(try Self.date(try scanner.text(of: tag), at: tag.offset))
    case "data": return .data(try Self.data(try scanner.text(of: tag), at: tag.offset))
    default: throw ConversionError("<\(tag.name)> isn't known", offset: tag.offset)
    }
  }

  private mutating func elements(
    _ tag: XMLScanner.Tag, levels: Int
  ) throws(ConversionError) -> [PropertyListValue] {
    var elements: [PropertyListValue] = []
    if tag.isEmpty { return elements }
    let outer = offsets?.path
    offsets?.enter(nil, at: tag.offset)
    defer { offsets?.path = outer ?? nil }
    while let element = try scanner.openingTag() {
      elements.append(try value(element, levels: levels))
    }
    try scanner.closingTag("array")
    return elements
  }

  private mutating func entries(
    _ tag: XMLScanner.Tag, levels: Int
  ) throws(ConversionError) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    if tag.isEmpty { return entries }
    while let keyTag = try scanner.openingTag() {
      guard keyTag.name == "key" else {
        throw ConversionError("a <key> was expected", offset: keyTag.offset)
      }
      let key = try scanner.text(of: keyTag)
      let outer = offsets?.path
      offsets?.enter(key, at: keyTag.offset)
      guard let valueTag = try scanner.openingTag() else {
        throw ConversionError("a key has no value", offset: keyTag.offset)
      }
      try entries.add(try value(valueTag, levels: levels), for: key, at: keyTag.offset)
      offsets?.path = outer ?? nil
    }
    try scanner.closingTag("dict")
    return entries
  }

  // MARK: - Scalars

  /// Parses a decimal integer, or after `0x` a hexadecimal integer, with an optional sign.
  private static func integer(
    _ text: String, at offset: Int
  ) throws(ConversionError) -> PropertyListValue {
    var digits = text.trimmed
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    let radix = digits.hasPrefix("0x") || digits.hasPrefix("0X") ? 16 : 10
    if radix == 16 { digits.removeFirst(2) }
    // The parser would accept a second sign.
    guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+")
    else { throw ConversionError("the integer has no digits", offset: offset) }
    guard let magnitude = Int128(digits: digits, radix: radix),
      let value = PropertyListValue(exactly: isNegative ? -magnitude : magnitude)
    else { throw ConversionError("the integer doesn't fit 64 bits", offset: offset) }
    return value
  }

  /// Parses a decimal number, or a word for infinity or not-a-number.
  private static func real(_ text: String, at offset: Int) throws(ConversionError) -> Double {
    let text = text.trimmed
    switch text.lowercased() {
    case "nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    guard let value = Double(decimal: text) else {
      throw ConversionError("the real isn't a number", offset: offset)
    }
    guard value.isFinite else {
      throw ConversionError("the real is too large for 64 bits", offset: offset)
    }
    return value
  }

  /// Parses a date such as `2001-01-01T00:00:00Z`; its year may have a sign and up to nine digits.
  private static func date(_ text: String, at offset: Int) throws(ConversionError) -> Date {
    let isNegative = text.trimmed.first == "-"
    let text = text.trimmed.dropFirst(isNegative ? 1 : 0)
    let parts = text.split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
    let separators = text.filter { "-T:Z".contains($0) }
    let isNumeric = parts.prefix(6).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy(\.isDigit)
    }
    let numbers = parts.prefix(6).compactMap { $0.count < 10 ? Int64(digits: $0) : nil }
    guard separators == "--T::Z", parts.last == "", isNumeric, numbers.count == 6,
      parts.dropFirst().prefix(5).allSatisfy({ $0.count == 2 })
    else {
      throw ConversionError("the date isn't of the form 2001-01-01T00:00:00Z", offset: offset)
    }
    let year = isNegative ? -numbers[0] : numbers[0]
    guard let day = CalendarDay(year: year, month: numbers[1], day: numbers[2]),
      numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
    else { throw ConversionError("the day or time doesn't exist", offset: offset) }
    let seconds = (numbers[3] * 60 + numbers[4]) * 60 + numbers[5]
    return Date(timeIntervalSinceReferenceDate: Double(day.daysSince2001 * 86_400 + seconds))
  }

  /// Decodes base64 with padding, and with white space anywhere.
  private static func data(_ text: String, at offset: Int) throws(ConversionError) -> Data {
    let symbols = Data(text.utf8.filter { !XMLScanner.isSpace($0) })
    guard let data = Data(base64Encoded: symbols) else {
      throw ConversionError("the data isn't base64", offset: offset)
    }
    return data
  }
}

extension String {
  fileprivate var trimmed: Substring {
    let isSpace: (Character) -> Bool = { $0.utf8.allSatisfy { XMLScanner.isSpace($0) } }
    let rest = drop(while: isSpace)
    return rest.lastIndex { !isSpace($0) }.map { rest[...$0] } ?? ""
  }
}
