extension Defaults.JSONReader {
  /// Reads an integer, or a real if there is a fraction, an exponent, or a negative zero.
  mutating func number() throws(ConversionError) -> PropertyListValue {
    let offset = position
    if next == UInt8(ascii: "-") { position += 1 }
    let first = position
    try skipDigits()
    guard position == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw ConversionError("a number can't begin with 0", offset: offset)
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
      throw ConversionError(
        "the integer has more than 64 bits; append .0 for a real", offset: offset)
    }
    guard let real = Double(text), real.isFinite else {
      throw ConversionError("the real is too large for 64 bits", offset: offset)
    }
    return .real(real)
  }

  private mutating func skipDigits() throws(ConversionError) {
    let start = position
    while let next, next.isDigit { position += 1 }
    guard position > start else { throw error("a digit was expected") }
  }
}
