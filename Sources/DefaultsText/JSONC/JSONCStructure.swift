import Foundation

/// The places of the elements in the text of JSON with comments.
struct JSONCStructure {
  /// A value: a scalar, or an object or array with its elements.
  struct Value {
    enum Kind { case scalar, object, array }

    let kind: Kind
    /// The bytes of the value, from its first bracket to its last.
    let range: Range<Int>
    let elements: [Element]
  }

  /// A member of an object or an element of an array.
  struct Element {
    /// The name with its quotation marks; nil in an array.
    let name: Range<Int>?
    let value: Value
    /// The offset of the comma behind it; nil if there is none.
    let comma: Int?

    var start: Int { name?.lowerBound ?? value.range.lowerBound }
    var end: Int { value.range.upperBound }
  }

  /// White space, a comment or a comma between elements.
  struct Token {
    enum Kind { case space, comment, comma }

    let kind: Kind
    let range: Range<Int>
    /// The number of line breaks of white space.
    var breaks = 0
  }

  let bytes: [UInt8]
  let root: Value

  /// Finds the elements of text that ``Defaults/JSONReader`` has accepted, which limits the levels;
  /// nil if they aren't found.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    var scanner = Scanner(bytes: bytes)
    guard let root = scanner.file() else { return nil }
    self.root = root
  }

  /// The tokens in a range without values.
  func tokens(in range: Range<Int>) -> [Token] {
    var scanner = Scanner(bytes: bytes, position: range.lowerBound)
    var tokens: [Token] = []
    while scanner.position < range.upperBound, let token = scanner.token() { tokens.append(token) }
    return tokens
  }
}

extension JSONCStructure {
  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func file() -> Value? {
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
      skip()
      guard let value = value(), value.kind == .object else { return nil }
      skip()
      return position == bytes.count ? value : nil
    }

    private mutating func value() -> Value? {
      let start = position
      switch next {
      case UInt8(ascii: "{"): return container(.object, until: UInt8(ascii: "}"))
      case UInt8(ascii: "["): return container(.array, until: UInt8(ascii: "]"))
      case UInt8(ascii: "\""):
        guard string() else { return nil }
      default:
        while let byte = next, !Self.endsWord(byte) { position += 1 }
      }
      guard position > start else { return nil }
      return Value(kind: .scalar, range: start..<position, elements: [])
    }

    private mutating func container(_ kind: Value.Kind, until end: UInt8) -> Value? {
      let start = position
      var elements: [Element] = []
      position += 1
      skip()
      while next != end {
        var name: Range<Int>?
        if kind == .object {
          let start = position
          guard string() else { return nil }
          name = start..<position
          skip()
          guard next == UInt8(ascii: ":") else { return nil }
          position += 1
          skip()
        }
        guard let value = value() else { return nil }
        skip()
        let comma = next == UInt8(ascii: ",") ? position : nil
        elements.append(Element(name: name, value: value, comma: comma))
        guard comma != nil else { break }
        position += 1
        skip()
      }
      guard next == end else { return nil }
      position += 1
      return Value(kind: kind, range: start..<position, elements: elements)
    }

    /// Skips a string, and returns whether there was one.
    private mutating func string() -> Bool {
      guard next == UInt8(ascii: "\"") else { return false }
      position += 1
      while let byte = next, byte != UInt8(ascii: "\"") {
        position += byte == UInt8(ascii: "\\") ? 2 : 1
      }
      position += 1
      return position <= bytes.count
    }

    /// Skips white space and comments.
    private mutating func skip() {
      while let next, JSONCStructure.isSpace(next) || next == UInt8(ascii: "/"), token() != nil {}
    }

    mutating func token() -> Token? {
      let start = position
      switch next {
      case UInt8(ascii: ","):
        position += 1
        return Token(kind: .comma, range: start..<position)
      case UInt8(ascii: "/"):
        position += 2
        if position <= bytes.count, bytes[position - 1] == UInt8(ascii: "*") {
          while position < bytes.count, !bytes[position...].starts(with: "*/".utf8) {
            position += 1
          }
          position += 2
        } else {
          while let next, !JSONCStructure.isBreak(next) { position += 1 }
        }
        position = min(position, bytes.count)
        return Token(kind: .comment, range: start..<position)
      default:
        var breaks = 0
        while let byte = next, JSONCStructure.isSpace(byte) {
          position += 1
          let isPair = byte == 0x0d && next == 0x0a
          if JSONCStructure.isBreak(byte), !isPair { breaks += 1 }
        }
        guard position > start else { return nil }
        return Token(kind: .space, range: start..<position, breaks: breaks)
      }
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
      JSONCStructure.isSpace(byte) || ",]}/".utf8.contains(byte)
    }
  }

  static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || isBreak(byte) }
}
