import Foundation

extension Defaults {
  /// How entries are written to a file.
  ///
  /// Both formats are read without being told which it is. What a format can't hold exactly is
  /// refused before anything is written, with an error that says what to do.
  public enum PropertyListFormat: Sendable, Hashable {
    /// The binary format: it holds every value but a NaN with a payload, and is the smaller one.
    case binary
    /// The XML format, for people and other programs.
    ///
    /// It can't hold: a date with a fraction of a second, before the year 0 or after 9999; `-0.0`;
    /// a string or key with a control character, a carriage return, U+FFFE or U+FFFF, or with
    /// U+FEFF at its start; and a dictionary whose only key is `CF$UID`, with a number.
    case xml
  }
}

extension Defaults.PropertyListFormat {
  /// The format that the bytes claim to have, by how they start; nil if they are neither.
  ///
  /// Text that merely looks like an older format, white space, and no bytes at all are neither:
  /// nothing is guessed.
  static func detect(_ data: Data) -> Self? {
    if data.starts(with: Defaults.BinaryPropertyListLayout.magic.prefix(6)) { return .binary }
    let text = data.starts(with: [0xef, 0xbb, 0xbf]) ? data.dropFirst(3) : data
    let start = text.drop { Defaults.XMLPropertyListDecoder.XMLScanner.isSpace($0) }
    let openings = ["<?xml", "<!DOCTYPE plist", "<plist"]
    return openings.contains { start.starts(with: $0.utf8) } ? .xml : nil
  }

  /// The entries of a file and the format it has; throws what is wrong with the bytes, and where.
  ///
  /// Takes time and memory proportional to the size of the data, whatever the bytes are.
  public static func decode(
    _ data: Data
  ) throws(Defaults.PropertyListError) -> (
    entries: [String: Defaults.PropertyListValue], format: Self
  ) {
    switch detect(data) {
    case .binary: (try Defaults.BinaryPropertyListDecoder.decode(data), .binary)
    case .xml: (try Defaults.XMLPropertyListDecoder.decode(data), .xml)
    case nil:
      throw Defaults.PropertyListError(
        data.isEmpty ? "it is empty" : "it is neither a binary nor an XML property list",
        offset: 0)
    }
  }

  /// The bytes of a file with these entries; throws if one isn't held exactly.
  ///
  /// Entries are written by `PropertyListSerialization`; 1,000 take some milliseconds.
  public func encode(
    _ entries: [String: Defaults.PropertyListValue]
  ) throws(Defaults.PropertyListError) -> Data {
    do throws(Defaults.ConversionError) {
      for (name, value) in entries {
        do throws(Defaults.ConversionError) {
          try validate(name: name)
          try validate(value)
        } catch {
          throw error.at(name)
        }
      }
      if self == .xml { try Self.validateKeys(of: entries) }
    } catch {
      throw Defaults.PropertyListError("\(error)")
    }
    return try Defaults.FoundationPropertyList.data(entries, format: self)
  }
}
