/// The tags of an XML property list, without a check that they match.
struct XMLTokens {
  enum Kind {
    case opening, closing, empty
  }

  /// The meaning of a tag's name.
  enum Role {
    case key, collection, other

    fileprivate init(_ name: some Sequence<UInt8>) {
      let isCollection = name.elementsEqual("dict".utf8) || name.elementsEqual("array".utf8)
      self = isCollection ? .collection : name.elementsEqual("key".utf8) ? .key : .other
    }
  }

  /// A tag in 16 bytes. A file may have a tag for every three bytes, and at most
  /// ``RawFile/limitOfDamaged`` bytes.
  struct Token {
    let kind: Kind
    let role: Role
    private let start: UInt32
    private let nameEnd: UInt32
    private let end: UInt32

    init(_ kind: Kind, _ role: Role, nameEnd: Int, range: Range<Int>) {
      self.kind = kind
      self.role = role
      start = UInt32(range.lowerBound)
      self.nameEnd = UInt32(nameEnd)
      end = UInt32(range.upperBound)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
    /// The range of the name, after `<` or `</`.
    var name: Range<Int> { Int(start) + (kind == .closing ? 2 : 1)..<Int(nameEnd) }
    var isCollection: Bool { role == .collection }
    var isKey: Bool { kind == .opening && role == .key }
  }

  private(set) var tokens: [Token] = []

  /// The maximum length of a tag.
  private static let longest = 200

  init(_ bytes: [UInt8]) {
    var position = 0
    // If an end wasn't found once, there is none later. Repeated searches would take forever.
    var (hasComments, hasSections) = (true, true)
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start + 1
      let rest = bytes[start...]
      if hasComments, rest.starts(with: "<!--".utf8) {
        let end = Self.end(of: "-->", in: bytes, from: start + 4)
        hasComments = end != nil
        position = end ?? position
      } else if hasSections, rest.starts(with: "<![CDATA[".utf8) {
        let end = Self.end(of: "]]>", in: bytes, from: start + 9)
        hasSections = end != nil
        position = end ?? position
      } else if let token = Self.token(bytes, at: start) {
        tokens.append(token)
        position = token.range.upperBound
      }
    }
  }

  private static func token(_ bytes: [UInt8], at start: Int) -> Token? {
    let limit = min(bytes.count, start + longest)
    // If a tag isn't closed, the next one still begins at its `<`.
    let end = bytes[(start + 1)..<limit].firstIndex {
      $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<")
    }
    guard let end, bytes[end] == UInt8(ascii: ">") else { return nil }
    let isClosing = bytes[start + 1] == UInt8(ascii: "/")
    let begin = start + (isClosing ? 2 : 1)
    let name = bytes[min(begin, end)..<end].prefix {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
    }
    guard !name.isEmpty else { return nil }
    let isEmpty = bytes[end - 1] == UInt8(ascii: "/")
    return Token(
      isClosing ? .closing : isEmpty ? .empty : .opening, Role(name), nameEnd: name.endIndex,
      range: start..<end + 1)
  }

  /// The offset after the next occurrence of a text.
  private static func end(of text: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
    let text = text.withUTF8Buffer { Array($0) }
    var position = start
    while position + text.count <= bytes.count {
      guard let first = bytes[position...].firstIndex(of: text[0]) else { return nil }
      if bytes[first...].starts(with: text) { return first + text.count }
      position = first + 1
    }
    return nil
  }
}
