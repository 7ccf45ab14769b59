import Foundation

extension Defaults {
  /// The format of a property list file.
  ///
  /// Reading detects the format. A value that a format can't hold exactly is rejected before
  /// anything is written, with an error that says what to do.
  public enum PropertyListFormat: Sendable, Hashable {
    /// The binary format, which is smaller. It holds every value except a NaN with a payload.
    case binary
    /// The XML format, for people and other programs.
    ///
    /// It can't hold: a date with a fraction of a second, before the year 0 or after 9999; `-0.0`;
    /// a string or key with a control character, a carriage return, U+FFFE or U+FFFF, or with
    /// U+FEFF at its start; and a dictionary whose only key is `CF$UID`, with a number.
    case xml
  }
}

extension Defaults.PropertyListFormat: Defaults.ExchangeFormat {
  /// Returns the format that the first bytes indicate; nil if they indicate neither format.
  ///
  /// Text that only looks like an older format, white space, and empty data indicate neither.
  package static func detect(_ data: Data) -> Self? {
    if data.starts(with: BinaryPropertyListLayout.magic.prefix(6)) { return .binary }
    let text = data.starts(with: [0xef, 0xbb, 0xbf]) ? data.dropFirst(3) : data
    let start = text.drop { XMLScanner.isSpace($0) }
    let openings = ["<?xml", "<!DOCTYPE plist", "<plist", "<!--"]
    return openings.contains { start.starts(with: Array($0.utf8)) } ? .xml : nil
  }

  /// Returns the entries of a file and its format.
  ///
  /// - Throws: An error with the reason and the byte offset of the problem.
  /// - Complexity: O(*n*) time and memory for any *n* bytes.
  public static func decode(_ data: Data) throws(Defaults.ConversionError) -> (
    entries: [String: Defaults.PropertyListValue], format: Self
  ) {
    switch detect(data) {
    case .binary: (try BinaryPropertyListDecoder.decode(data), .binary)
    case .xml: (try XMLPropertyListDecoder.decode(data), .xml)
    case nil:
      if data.isEmpty { throw ConversionError("it is empty") }
      throw ConversionError("it is neither a binary nor an XML property list", offset: 0)
    }
  }

  /// Returns the content of a file with these entries; throws if an entry can't be held exactly.
  ///
  /// `PropertyListSerialization` writes the entries: 1,000 in several milliseconds.
  public func encode(
    _ entries: [String: Defaults.PropertyListValue]
  ) throws(Defaults.ConversionError) -> Data {
    do throws(ConversionError) {
      for (name, value) in entries {
        try ConversionError.locating(name) { () throws(ConversionError) in
          try validate(name: name)
          try validate(value)
        }
      }
      if self == .xml { try Self.validateKeys(of: entries) }
    } catch {
      throw ConversionError("\(error)")
    }
    do {
      return try PropertyListSerialization.data(
        fromPropertyList: entries.mapValues(FoundationPropertyList.object(of:)),
        format: self == .binary ? .binary : .xml, options: 0)
    } catch {
      throw ConversionError("the entries can't be written: \(error)")
    }
  }

  /// Returns the entries of a property list of either format.
  ///
  /// - Throws: The first problem, with its offset.
  public func decode(
    _ data: Data
  ) throws(Defaults.ConversionError) -> [String: Defaults.PropertyListValue] {
    try Self.decode(data).entries
  }
}

extension Defaults.ExchangeFormat where Self == Defaults.PropertyListFormat {
  /// A property list: written as XML, sorted by name; read in either format.
  public static var plist: Self { .xml }

  /// A property list: written in this format; read in either.
  public static func plist(_ format: Defaults.PropertyListFormat) -> Self { format }
}

// MARK: - Limits of the formats

extension Defaults.PropertyListFormat {
  /// Throws `unrepresentable` if a file of this format can't hold the entry exactly.
  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    do throws(ConversionError) {
      try validate(name: name)
      try validate(value)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entry can't be stored: \(error)", key: name, underlying: error)
    }
  }

  /// Throws if a file of this format can't hold the value exactly, or the value is too deep.
  ///
  /// - Complexity: One visit of each value, and for XML one visit of each character.
  package func validate(_ value: PropertyListValue) throws(ConversionError) {
    if value.isDeeper(than: PropertyListValue.maximumDepth) { throw .tooDeep() }
    try validateContent(of: value)
  }

  /// Throws if a file of this format can't have an entry of this name.
  func validate(name: String) throws(ConversionError) {
    if self == .xml { try Self.validateText(name, "the key") }
  }

  /// Throws for the only dictionary that `PropertyListSerialization` reads as a private class.
  static func validateKeys(of dictionary: [String: PropertyListValue]) throws(ConversionError) {
    guard dictionary.count == 1 else { return }
    switch dictionary["CF$UID"] {
    case .integer, .unsignedInteger, .real:
      throw ConversionError(
        "XML can't hold a dictionary whose only key is CF$UID; rename it, or use format: .binary")
    default:
      return
    }
  }

  private func validateContent(of value: PropertyListValue) throws(ConversionError) {
    switch value {
    case .bool, .integer, .unsignedInteger, .data: break
    case .real(let number): try validateReal(number)
    case .date(let date): if self == .xml { try Self.validateDate(date) }
    case .string(let text): if self == .xml { try Self.validateText(text, "the string") }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        try ConversionError.locating("[\(index)]") {
          () throws(ConversionError) in try validateContent(of: element)
        }
      }
    case .dictionary(let entries):
      if self == .xml { try Self.validateKeys(of: entries) }
      for (key, element) in entries {
        try ConversionError.locating(key) { () throws(ConversionError) in
          try validate(name: key)
          try validateContent(of: element)
        }
      }
    }
  }

  private func validateReal(_ number: Double) throws(ConversionError) {
    if number.isNaN, number.bitPattern != Double.nan.bitPattern {
      // `PropertyListSerialization` writes every NaN as `Double.nan`.
      throw ConversionError("a NaN with a sign or payload can't be stored exactly; use Double.nan")
    }
    if self == .xml, number == 0, number.sign == .minus {
      throw ConversionError("XML loses the sign of -0.0; use 0.0, or format: .binary")
    }
  }

  private static func validateDate(_ date: Date) throws(ConversionError) {
    let seconds = date.timeIntervalSinceReferenceDate
    // From 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z: the years with four digits. Year 0 matters
    // because it includes `Date.distantPast`.
    guard -63_145_526_400...252_423_993_599 ~= seconds else {
      throw ConversionError("XML holds dates of the years 0 to 9999 only; use format: .binary")
    }
    guard seconds == seconds.rounded(), seconds != 0 || seconds.sign == .plus else {
      throw ConversionError(
        "XML holds whole seconds only; round the date to whole seconds, or use format: .binary")
    }
  }

  private static func validateText(_ text: String, _ what: String) throws(ConversionError) {
    let damaged = text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x09, 0x0a: false
      // XML has no other control characters, and its readers convert CR and CR LF to LF.
      case ..<0x20, 0xfffe, 0xffff: true
      default: false
      }
    }
    // `PropertyListSerialization` reads a U+FEFF at the start as a byte order mark.
    let mark: Unicode.Scalar? = text.unicodeScalars.first == "\u{feff}" ? "\u{feff}" : nil
    guard let scalar = damaged ?? mark else { return }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    throw ConversionError(
      "XML can't hold the character U+\(code) of \(what); remove it, or use format: .binary")
  }
}
