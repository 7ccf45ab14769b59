import Foundation

extension Defaults {
  /// Reads values by the convention of ``JSONFormat``.
  struct JSONReader {
    let bytes: [UInt8]
    var position = 0

    init(_ data: Data) {
      bytes = Array(data)
    }

    /// The whole text as an object.
    mutating func entries() throws(PropertyListError) -> [String: PropertyListValue] {
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
      skipSpace()
      guard next == UInt8(ascii: "{") else {
        throw error(bytes.isEmpty ? "it is empty" : "an object was expected")
      }
      let start = position
      guard case .dictionary(let entries) = try value(levels: PropertyListValue.maximumDepth + 1)
      else { throw PropertyListError("an object with entries was expected", offset: start) }
      skipSpace()
      guard next == nil else { throw error("something stands after the object") }
      return entries
    }

    /// A value with at most so many levels.
    private mutating func value(levels: Int) throws(PropertyListError) -> PropertyListValue {
      guard levels > 0 else {
        throw error("there are more than \(PropertyListValue.maximumDepth) levels")
      }
      switch next {
      case UInt8(ascii: "{"): return try object(levels: levels)
      case UInt8(ascii: "["): return try array(levels: levels)
      case UInt8(ascii: "\""): return .string(try string())
      case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number()
      default:
        if take("true") { return true }
        if take("false") { return false }
        if take("null", advancing: false) {
          throw error("null can't be stored; leave the name out")
        }
        throw error(next == nil ? "the text ends too early" : "a value was expected")
      }
    }

    private mutating func object(levels: Int) throws(PropertyListError) -> PropertyListValue {
      position += 1
      var entries: [String: PropertyListValue] = [:]
      skipSpace()
      while next != UInt8(ascii: "}") {
        let offset = position
        let written = try string()
        skipSpace()
        try expect(":")
        skipSpace()
        if let name = JSONTag.unescape(written) {
          try entries.add(try value(levels: levels - 1), for: name, at: offset)
        } else {
          guard entries.isEmpty, let tag = JSONTag(rawValue: written) else {
            throw PropertyListError(
              "the name \"\(written.prefix(40))\" has no meaning here; a setting's own $ is written $$",
              offset: offset)
          }
          return try content(of: tag)
        }
        skipSpace()
        if try !takeComma(before: "}") { break }
      }
      position += 1
      return .dictionary(entries)
    }

    private mutating func content(of tag: JSONTag) throws(PropertyListError) -> PropertyListValue {
      let offset = position
      let value = try tag.value(of: try string(), at: offset)
      skipSpace()
      try expect("}")
      return value
    }

    private mutating func array(levels: Int) throws(PropertyListError) -> PropertyListValue {
      position += 1
      var elements: [PropertyListValue] = []
      skipSpace()
      while next != UInt8(ascii: "]") {
        elements.append(try value(levels: levels - 1))
        skipSpace()
        if try !takeComma(before: "]") { break }
      }
      position += 1
      return .array(elements)
    }

    /// Whether another element follows; stands before it then, else before the end.
    private mutating func takeComma(before end: Unicode.Scalar) throws(PropertyListError) -> Bool {
      if next == UInt8(ascii: end) { return false }
      try expect(",")
      skipSpace()
      guard next != UInt8(ascii: end) else { throw error("an element was expected") }
      return true
    }
  }
}

// MARK: - Bytes

extension Defaults.JSONReader {
  /// The next byte; nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  func error(_ reason: String) -> Defaults.PropertyListError {
    Defaults.PropertyListError(reason, offset: position)
  }

  private mutating func skipSpace() {
    while let next, Defaults.XMLPropertyListDecoder.XMLScanner.isSpace(next) { position += 1 }
  }

  private mutating func expect(
    _ character: Unicode.Scalar
  ) throws(Defaults.PropertyListError) {
    guard next == UInt8(ascii: character) else {
      throw error(next == nil ? "the text ends too early" : "\"\(character)\" was expected")
    }
    position += 1
  }

  private mutating func take(_ word: String, advancing: Bool = true) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    if advancing { position += word.utf8.count }
    return true
  }
}
