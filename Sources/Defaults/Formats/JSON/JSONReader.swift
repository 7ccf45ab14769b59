import Foundation

extension Defaults {
  /// Reads values in the convention of ``JSONFormat``.
  package struct JSONReader {
    let bytes: [UInt8]
    /// Whether comments and commas after the last element are allowed.
    private let allowsComments: Bool
    /// Whether each string, number or word is returned as data that contains its text. Then all
    /// names are allowed, and of two values with one name, the first counts, as for Foundation.
    private let keepsText: Bool
    var position = 0
    /// The offsets of the file's names; nil if they aren't wanted.
    private var offsets: NameOffsets?

    package init(
      _ data: Data, allowingComments allowsComments: Bool = false,
      keepingText keepsText: Bool = false
    ) {
      bytes = Array(data)
      self.allowsComments = allowsComments
      self.keepsText = keepsText
    }

    /// Reads the whole text as an object.
    mutating func entries() throws(ConversionError) -> [String: PropertyListValue] {
      if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
      try skipSpace()
      guard next == UInt8(ascii: "{") else {
        throw bytes.isEmpty
          ? ConversionError("it is empty") : error("an object was expected")
      }
      let start = position
      guard case .dictionary(let entries) = try value(levels: PropertyListValue.maximumDepth + 1)
      else { throw ConversionError("an object with entries was expected", offset: start) }
      try skipSpace()
      guard next == nil else { throw error("there is text after the object") }
      return entries
    }

    /// Returns the offsets of the names in a whole text that is an object.
    package static func offsetsOfNames(in data: Data) throws(ConversionError) -> [String: Int] {
      var reader = Self(data, allowingComments: true)
      reader.offsets = NameOffsets()
      _ = try reader.entries()
      return reader.offsets?.all ?? [:]
    }

    /// Reads the whole text as a value.
    package mutating func wholeValue() throws(ConversionError) -> PropertyListValue {
      try skipSpace()
      // More than the 512 levels that Foundation reads.
      let value = try value(levels: keepsText ? 520 : PropertyListValue.maximumDepth)
      try skipSpace()
      guard next == nil else { throw error("there is text after the value") }
      return value
    }

    /// Reads a value of at most `levels` levels. The object of a file has one level more than a
    /// value.
    private mutating func value(levels: Int) throws(ConversionError) -> PropertyListValue {
      guard levels > 0 else {
        throw error("there are more than \(PropertyListValue.maximumDepth) levels")
      }
      switch next {
      case UInt8(ascii: "{"): return try object(levels: levels)
      case UInt8(ascii: "["): return try array(levels: levels)
      case _ where keepsText: return .data(Data(try text()))
      case UInt8(ascii: "\""): return .string(try string())
      case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return try number()
      default:
        if take("true") { return true }
        if take("false") { return false }
        if take("null", advancing: false) {
          throw error("null can't be stored; leave the name out")
        }
        throw error(next == nil ? "the text ends too early" : "a value was expected")
      }
    }

    private mutating func object(levels: Int) throws(ConversionError) -> PropertyListValue {
      position += 1
      var entries: [String: PropertyListValue] = [:]
      try skipSpace()
      while next != UInt8(ascii: "}") {
        let offset = position
        let written = try string()
        try skipSpace()
        try expect(":")
        try skipSpace()
        let isOfFile = levels > PropertyListValue.maximumDepth
        if keepsText {
          let value = try value(levels: levels - 1)
          if entries[written] == nil { entries[written] = value }
        } else if let name = JSONTag.unescape(written) {
          let outer = offsets?.path
          offsets?.enter(name, at: offset)
          try entries.add(try value(levels: levels - 1), for: name, at: offset)
          offsets?.path = outer ?? nil
        } else if isOfFile, written == JSONTag.schema {
          try addSchema(to: &entries, at: offset)
        } else {
          guard entries.isEmpty, let tag = JSONTag(rawValue: written) else {
            throw ConversionError(
              "the name \"\(written.prefix(40))\" isn't allowed here; "
                + "write a leading $ as $$",
              offset: offset)
          }
          return try content(of: tag)
        }
        try skipSpace()
        if try !takeComma(before: "}") { break }
      }
      position += 1
      return .dictionary(entries)
    }

    /// Adds the reference of a file to its JSON Schema, which isn't a setting.
    private mutating func addSchema(
      to entries: inout [String: PropertyListValue], at offset: Int
    ) throws(ConversionError) {
      guard next == UInt8(ascii: "\"") else {
        throw error("$schema must be a string; for a setting of this name, write $$schema")
      }
      let reference = try string()
      guard entries.updateValue(.string(reference), forKey: schemaName) == nil else {
        throw ConversionError("the name \"$schema\" appears twice in the file", offset: offset)
      }
    }

    private mutating func content(of tag: JSONTag) throws(ConversionError) -> PropertyListValue {
      let offset = position
      let value = try tag.value(of: try string(), at: offset)
      try skipSpace()
      if allowsComments, next == UInt8(ascii: ",") { _ = try takeComma(before: "}") }
      try expect("}")
      return value
    }

    private mutating func array(levels: Int) throws(ConversionError) -> PropertyListValue {
      let outer = offsets?.path
      offsets?.enter(nil, at: position)
      defer { offsets?.path = outer ?? nil }
      position += 1
      var elements: [PropertyListValue] = []
      try skipSpace()
      while next != UInt8(ascii: "]") {
        elements.append(try value(levels: levels - 1))
        try skipSpace()
        if try !takeComma(before: "]") { break }
      }
      position += 1
      return .array(elements)
    }

    /// Returns whether another element follows, and moves to it, or else to the end.
    private mutating func takeComma(before end: Unicode.Scalar) throws(ConversionError) -> Bool {
      if next == UInt8(ascii: end) { return false }
      try expect(",")
      try skipSpace()
      guard next == UInt8(ascii: end) else { return true }
      guard allowsComments else { throw error("an element was expected") }
      return false
    }

    /// Returns the text of a string, number or word, which a JSON parser has accepted.
    private mutating func text() throws(ConversionError) -> ArraySlice<UInt8> {
      let start = position
      if next == UInt8(ascii: "\"") {
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
          position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        try expect("\"")
      } else {
        while let byte = next, !XMLScanner.isSpace(byte), !",:[]{}\"".utf8.contains(byte) {
          position += 1
        }
      }
      guard position > start else { throw error("a value was expected") }
      return bytes[start..<position]
    }

    // MARK: - Strings

    /// Reads a string and resolves its escapes.
    private mutating func string() throws(ConversionError) -> String {
      let offset = position
      guard next == UInt8(ascii: "\"") else {
        throw error(next == nil ? "the text ends too early" : "a string was expected")
      }
      position += 1
      var content: [UInt8] = []
      while let byte = next, byte != UInt8(ascii: "\"") {
        // More often a forgotten quotation mark than a text with a line break.
        guard byte != 0x0a, byte != 0x0d else {
          throw ConversionError("the string has no end in this line", offset: offset)
        }
        guard byte >= 0x20 else { throw error("a control character must be escaped") }
        position += 1
        if byte == UInt8(ascii: "\\") {
          content.append(contentsOf: String(try escaped()).utf8)
        } else {
          content.append(byte)
        }
      }
      guard next != nil else { throw ConversionError("the string has no end", offset: offset) }
      position += 1
      guard let text = String(validating: content, as: UTF8.self) else {
        throw ConversionError("the string isn't UTF-8", offset: offset)
      }
      return text
    }

    /// Returns the character of the escape whose backslash was just read.
    private mutating func escaped() throws(ConversionError) -> Unicode.Scalar {
      let offset = position - 1
      defer { position += 1 }
      switch next {
      case let byte? where "\"\\/".utf8.contains(byte): return Unicode.Scalar(byte)
      case UInt8(ascii: "b"): return "\u{8}"
      case UInt8(ascii: "f"): return "\u{c}"
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"): break
      default: throw ConversionError("the escape is unknown", offset: offset)
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
      throw ConversionError("a surrogate in the string has no partner", offset: offset)
    }

    /// Reads four hexadecimal digits.
    private func unit(at offset: Int) throws(ConversionError) -> UInt16 {
      let digits = bytes[min(offset, bytes.count)...].prefix(4)
      guard let unit = UInt16(hexadecimal: digits, count: 4) else {
        throw ConversionError("four hexadecimal digits were expected", offset: offset)
      }
      return unit
    }

    // MARK: - Bytes

    /// The next byte; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String) -> ConversionError { ConversionError(reason, offset: position) }

    /// Skips white space, and comments if they are allowed.
    private mutating func skipSpace() throws(ConversionError) {
      while let next {
        if XMLScanner.isSpace(next) {
          position += 1
        } else if next == UInt8(ascii: "/"), allowsComments {
          try skipComment()
        } else {
          return
        }
      }
    }

    private mutating func skipComment() throws(ConversionError) {
      let offset = position
      if take("//") {
        position = bytes[position...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? bytes.count
      } else if take("/*") {
        while !take("*/") {
          guard next != nil else { throw ConversionError("the comment has no end", offset: offset) }
          position += 1
        }
      } else {
        throw error("a comment begins with // or /*")
      }
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(ConversionError) {
      guard next == UInt8(ascii: character) else {
        throw error(next == nil ? "the text ends too early" : "\"\(character)\" was expected")
      }
      position += 1
    }

    private mutating func take(_ word: StaticString, advancing: Bool = true) -> Bool {
      guard word.withUTF8Buffer({ bytes[position...].starts(with: $0) }) else { return false }
      if advancing { position += word.utf8CodeUnitCount }
      return true
    }
  }
}
