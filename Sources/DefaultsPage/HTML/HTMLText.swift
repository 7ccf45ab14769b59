import Defaults

/// Text of an HTML page. Text that isn't markup is escaped when it is added.
struct HTMLText {
  private(set) var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Adds markup that the program itself contains.
  mutating func add(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Adds text, or the value of an attribute in quotation marks.
  mutating func add(text added: String) {
    var added = added
    added.withUTF8 { new in
      if !new.contains(where: { Self.reference(for: $0) != nil }) {
        bytes.append(contentsOf: new)
        return
      }
      for byte in new {
        if let reference = Self.reference(for: byte) {
          add(reference)
        } else {
          bytes.append(byte)
        }
      }
    }
  }

  /// Adds a message or a title, whose invisible characters are replaced with their numbers.
  mutating func add(message: String) { add(text: escapedMessage(message)) }

  /// Adds a number.
  mutating func add(_ number: Int) { bytes.append(contentsOf: "\(number)".utf8) }

  /// Adds finished HTML.
  mutating func add(html: String) { bytes.append(contentsOf: html.utf8) }
  mutating func add(html: HTMLText) { bytes.append(contentsOf: html.bytes) }

  private static func reference(for byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}
