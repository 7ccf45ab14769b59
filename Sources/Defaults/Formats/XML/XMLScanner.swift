/// Finds the tags and texts of an XML document, in the subset of XML that property lists use.
struct XMLScanner {
  /// A start tag, or an empty element.
  struct Tag {
    var name: String
    /// Whether it is `<name/>`, which has neither text nor an end tag.
    var isEmpty: Bool
    var offset: Int
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }

  /// Skips everything that may precede `<plist>`.
  mutating func skipProlog() throws(ConversionError) {
    _ = take("\u{FEFF}")
    skipSpace()
    let start = position
    if isAt("<?xml") {
      try skip(through: "?>", "the XML declaration")
      try checkEncoding(String(decoding: bytes[start..<position], as: UTF8.self), at: start)
    }
    try skipMiscellany()
    guard isAt("<!DOCTYPE") else { return }
    let doctype = position
    try skip(through: ">", "the document type")
    guard !bytes[doctype..<position].contains(UInt8(ascii: "[")) else {
      throw ConversionError("a document type with declarations can't be read", offset: doctype)
    }
    try skipMiscellany()
  }

  mutating func skipMiscellany() throws(ConversionError) {
    while true {
      skipSpace()
      if take("<!--") {
        try skip(through: "-->", "a comment")
      } else if isAt("<?") {
        try skip(through: "?>", "a processing instruction")
      } else {
        return
      }
    }
  }

  /// Returns the next start tag; nil if an end tag or the end of the file comes next.
  mutating func openingTag() throws(ConversionError) -> Tag? {
    try skipMiscellany()
    if isAtEnd || isAt("</") { return nil }
    let offset = position
    guard take("<") else { throw ConversionError("a tag was expected", offset: offset) }
    let name = takeName()
    skipSpace()
    // Only <plist> has an attribute, its version.
    if name == "plist" {
      while !isAtEnd, !isAt(">"), !isAt("/>") { position += 1 }
    }
    let isEmpty = take("/")
    guard take(">") else { throw ConversionError("the tag isn't closed", offset: offset) }
    return Tag(name: name, isEmpty: isEmpty, offset: offset)
  }

  /// Reads the end tag of this name; throws if something else comes next.
  mutating func closingTag(_ name: String) throws(ConversionError) {
    try skipMiscellany()
    let offset = position
    if take("</"), takeName() == name {
      skipSpace()
      if take(">") { return }
    }
    throw ConversionError("</\(name)> was expected", offset: offset)
  }

  /// Returns the text of an element, after reading its end tag.
  mutating func text(of tag: Tag) throws(ConversionError) -> String {
    var text = ""
    if tag.isEmpty { return text }
    while true {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "<"),
        bytes[position] != UInt8(ascii: "&")
      {
        position += 1
      }
      try append(start..<position, to: &text)
      if isAt("&") {
        try reference(into: &text)
      } else if take("<![CDATA[") {
        let content = position
        try skip(through: "]]>", "a CDATA section")
        try append(content..<position - 3, to: &text)
      } else if take("<!--") {
        try skip(through: "-->", "a comment")
      } else {
        try closingTag(tag.name)
        return text
      }
    }
  }

  private mutating func reference(into text: inout String) throws(ConversionError) {
    let start = position
    // The longest valid reference is "&#x10FFFF;", but a number may have leading zeros.
    let end = bytes[start..<min(start + 32, bytes.count)].firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw ConversionError("a reference has no end", offset: start) }
    let name = String(decoding: bytes[start + 1..<end], as: UTF8.self)
    position = end + 1
    switch name {
    case "amp": text += "&"
    case "lt": text += "<"
    case "gt": text += ">"
    case "quot": text += "\""
    case "apos": text += "'"
    default:
      let isHexadecimal = name.hasPrefix("#x")
      let digits = name.dropFirst(isHexadecimal ? 2 : 1)
      // The parser would accept a sign.
      guard name.hasPrefix("#"), digits.first?.isHexDigit == true,
        let number = UInt32(digits: digits, radix: isHexadecimal ? 16 : 10),
        let scalar = Unicode.Scalar(number)
      else {
        // The name isn't quoted, because it may be part of a secret.
        throw ConversionError("the reference isn't known", offset: start)
      }
      text.unicodeScalars.append(scalar)
    }
  }

  private func append(_ range: Range<Int>, to text: inout String) throws(ConversionError) {
    if range.isEmpty { return }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[range])
    let part =
      bytes.contains(UInt8(ascii: "\r"))
      ? String(validating: Self.withLineFeeds(bytes), as: UTF8.self)
      : String(validating: bytes, as: UTF8.self)
    guard let part else {
      throw ConversionError("the text isn't UTF-8", offset: range.lowerBound)
    }
    if text.isEmpty { text = part } else { text += part }
  }

  /// Returns the bytes with a line feed for each line break: in XML, a carriage return is one, too,
  /// unless it is written as a reference (XML 1.0, section 2.11).
  private static func withLineFeeds(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8?
    for byte in bytes {
      if byte != lineFeed || previous != carriageReturn {
        result.append(byte == carriageReturn ? lineFeed : byte)
      }
      previous = byte
    }
    return result
  }

  private func checkEncoding(_ declaration: String, at offset: Int) throws(ConversionError) {
    let parts = declaration.split { $0 == "\"" || $0 == "'" }
    // There may be white space around the equals sign.
    let label = parts.firstIndex { $0.filter { !$0.isWhitespace }.hasSuffix("encoding=") }
    guard let label, parts.indices.contains(label + 1) else { return }
    guard ["utf-8", "us-ascii", "ascii"].contains(parts[label + 1].lowercased()) else {
      throw ConversionError("only UTF-8 can be read, not \(parts[label + 1])", offset: offset)
    }
  }

  private mutating func takeName() -> String {
    let start = position
    while position < bytes.count, case let byte = bytes[position], !Self.isSpace(byte),
      byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "<")
    {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private mutating func skip(through end: StaticString, _ what: String) throws(ConversionError) {
    let start = position
    while !isAtEnd, !isAt(end) { position += 1 }
    guard !isAtEnd else { throw ConversionError("\(what) has no end", offset: start) }
    position += end.utf8CodeUnitCount
  }

  /// Skips a text if it comes next, and returns whether it did.
  private mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  private func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }
}
