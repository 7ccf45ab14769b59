extension Defaults.JSONReader {
  /// A string with its escapes undone.
  mutating func string() throws(Defaults.PropertyListError) -> String {
    let offset = position
    guard next == UInt8(ascii: "\"") else {
      throw error(next == nil ? "the text ends too early" : "a string was expected")
    }
    position += 1
    var content: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error("a control character must be escaped") }
      position += 1
      if byte == UInt8(ascii: "\\") {
        content.append(contentsOf: String(try escaped()).utf8)
      } else {
        content.append(byte)
      }
    }
    guard next != nil else {
      throw Defaults.PropertyListError("the string has no end", offset: offset)
    }
    position += 1
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Defaults.PropertyListError("the string isn't UTF-8", offset: offset)
    }
    return text
  }

  /// What the escape stands for whose backslash was just read.
  private mutating func escaped() throws(Defaults.PropertyListError) -> Unicode.Scalar {
    let offset = position - 1
    defer { position += 1 }
    switch next {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw Defaults.PropertyListError("there is no such escape", offset: offset)
    }
    let first = try unit(at: position + 1)
    position += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A character beyond the first 65,536 is a pair of escapes.
    if UTF16.isLeadSurrogate(first), bytes[(position + 1)...].starts(with: Array("\\u".utf8)) {
      let second = try unit(at: position + 3)
      let bits = UInt32(first & 0x3ff) << 10 | UInt32(second & 0x3ff)
      if UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(0x10000 + bits) {
        position += 6
        return scalar
      }
    }
    throw Defaults.PropertyListError("this is half a character", offset: offset)
  }

  /// Four hexadecimal digits.
  private func unit(at offset: Int) throws(Defaults.PropertyListError) -> UInt16 {
    let digits = bytes[min(offset, bytes.count)...].prefix(4)
    let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard digits.count == 4, isHexadecimal,
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else {
      throw Defaults.PropertyListError("four hexadecimal digits were expected", offset: offset)
    }
    return unit
  }

  /// An integer, or a real if there is a fraction or exponent, or the sign of zero counts.
  mutating func number() throws(Defaults.PropertyListError) -> Defaults.PropertyListValue {
    let offset = position
    if next == UInt8(ascii: "-") { position += 1 }
    let first = position
    try skipDigits()
    guard position == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw Defaults.PropertyListError("a number can't begin with 0", offset: offset)
    }
    var isReal = false
    if next == UInt8(ascii: ".") {
      isReal = true
      position += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isReal = true
      position += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    let text = String(decoding: bytes[offset..<position], as: UTF8.self)
    if !isReal, text != "-0" {
      if let integer = Defaults.JSONTag.integer(text) { return integer }
      throw Defaults.PropertyListError(
        "the integer has more than 64 bits; with a fraction it is a real", offset: offset)
    }
    guard let real = Double(text), real.isFinite else {
      throw Defaults.PropertyListError("the real is too large for 64 bits", offset: offset)
    }
    return .real(real)
  }

  private mutating func skipDigits() throws(Defaults.PropertyListError) {
    let start = position
    while let next, Self.isDigit(next) { position += 1 }
    guard position > start else { throw error("a digit was expected") }
  }
}
