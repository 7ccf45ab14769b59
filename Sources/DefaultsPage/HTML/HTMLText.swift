import Defaults

/// Text of an HTML page. What isn't markup is escaped when it is added.
struct HTMLText {
  private(set) var text = ""

  /// Adds markup that the program itself contains.
  mutating func add(_ markup: StaticString) {
    markup.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
  }

  /// Adds text, or the value of an attribute in quotation marks.
  mutating func add(text added: String) {
    guard added.utf8.contains(where: Self.isMark) else {
      text += added
      return
    }
    for scalar in added.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Adds a message or a title, whose invisible characters are replaced with their numbers.
  mutating func add(message: String) { add(text: escapedMessage(message)) }

  /// Adds a number.
  mutating func add(_ number: Int) { text += "\(number)" }

  /// Adds finished HTML.
  mutating func add(html: String) { text += html }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
      UInt8(ascii: "'"):
      true
    default: false
    }
  }
}
