import Foundation

extension Defaults {
  /// Reads the XML property list format, strictly, straight into ``PropertyListValue``.
  ///
  /// `PropertyListSerialization` reads what it can't make sense of as something else, without a
  /// word: of duplicate keys it keeps one, data that isn't base64 becomes empty, month 99 a later
  /// year, a leading U+FEFF nothing, `["CF$UID": 1]` an object of a private class; it ignores what
  /// follows `</plist>`, and takes minutes for some files of a few megabytes (keys that collide).
  /// Here each of these is an error or read as it stands, in time and memory proportional to the
  /// file. What it and Python's `plistlib` write is read, line ends and control characters as they
  /// are. Entities other than the five of XML don't exist, so none can expand.
  struct XMLPropertyListDecoder {
    private var scanner: XMLScanner

    /// The entries of a file in UTF-8, whose root must be a dictionary.
    static func decode(_ data: Data) throws(PropertyListError) -> [String: PropertyListValue] {
      let result = data.withUnsafeBytes { bytes in
        Result { () throws(PropertyListError) in
          var decoder = Self(scanner: XMLScanner(bytes))
          return try decoder.document()
        }
      }
      guard case .dictionary(let entries) = try result.get() else {
        throw PropertyListError("its root isn't a dictionary")
      }
      return entries
    }

    private mutating func document() throws(PropertyListError) -> PropertyListValue {
      try scanner.skipProlog()
      guard let plist = try scanner.openingTag(), plist.name == "plist", !plist.isEmpty else {
        throw PropertyListError("there is no <plist>", offset: scanner.position)
      }
      guard let tag = try scanner.openingTag() else {
        throw PropertyListError("the <plist> is empty", offset: scanner.position)
      }
      // One level more than a value may have: the root's entries are the values.
      let root = try value(tag, levels: PropertyListValue.maximumDepth + 1)
      try scanner.closingTag("plist")
      try scanner.skipMiscellany()
      guard scanner.isAtEnd else {
        throw PropertyListError("there is more after </plist>", offset: scanner.position)
      }
      return root
    }

    private mutating func value(
      _ tag: XMLScanner.Tag, levels: Int
    ) throws(PropertyListError) -> PropertyListValue {
      guard levels > 0 else {
        throw PropertyListError(
          "the value has more than \(PropertyListValue.maximumDepth) levels", offset: tag.offset)
      }
      switch tag.name {
      case "dict":
        return .dictionary(try entries(tag, levels: levels - 1))
      case "array":
        return .array(try elements(tag, levels: levels - 1))
      case "true", "false":
        if !tag.isEmpty { try scanner.closingTag(tag.name) }
        return .bool(tag.name == "true")
      case "string":
        return .string(try scanner.text(of: tag))
      case "integer":
        return try Self.integer(try scanner.text(of: tag), at: tag.offset)
      case "real":
        return .real(try Self.real(try scanner.text(of: tag), at: tag.offset))
      case "date":
        return .date(try Self.date(try scanner.text(of: tag), at: tag.offset))
      case "data":
        return .data(try Self.data(try scanner.text(of: tag), at: tag.offset))
      default:
        throw PropertyListError("<\(tag.name)> isn't known", offset: tag.offset)
      }
    }

    private mutating func elements(
      _ tag: XMLScanner.Tag, levels: Int
    ) throws(PropertyListError) -> [PropertyListValue] {
      var elements: [PropertyListValue] = []
      if tag.isEmpty { return elements }
      while let element = try scanner.openingTag() {
        elements.append(try value(element, levels: levels))
      }
      try scanner.closingTag("array")
      return elements
    }

    private mutating func entries(
      _ tag: XMLScanner.Tag, levels: Int
    ) throws(PropertyListError) -> [String: PropertyListValue] {
      var entries: [String: PropertyListValue] = [:]
      if tag.isEmpty { return entries }
      while let keyTag = try scanner.openingTag() {
        guard keyTag.name == "key" else {
          throw PropertyListError("a <key> was expected", offset: keyTag.offset)
        }
        let key = try scanner.text(of: keyTag)
        guard let valueTag = try scanner.openingTag() else {
          throw PropertyListError("a key has no value", offset: keyTag.offset)
        }
        try entries.add(try value(valueTag, levels: levels), for: key, at: keyTag.offset)
      }
      try scanner.closingTag("dict")
      return entries
    }
  }
}
