import Foundation

/// The form of values and names in `UserDefaults` on Linux, whose file is XML.
///
/// A value that XML holds exactly is stored as it is. Any other value is text: ``mark``, then the
/// value as JSON in the convention of ``Defaults/JSONFormat``, which is exact. A text or name that
/// begins with the mark is also stored that way, so that the mark is unambiguous.
enum UserDefaultsForm {
  static let mark = "Defaults.exact:"

  /// Returns a form of the value that XML holds exactly.
  static func stored(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .bool, .integer, .unsignedInteger, .data: return value
    case .string(let text): return isPlain(text) ? value : .string(marked(value))
    case .real, .date: return isExact(value) ? value : .string(marked(value))
    case .array(let elements): return .array(elements.map(stored))
    case .dictionary(let entries):
      // The dictionary as a whole, because other programs would read a marked name as another name.
      guard entries.keys.allSatisfy(isPlain),
        (try? Defaults.PropertyListFormat.validateKeys(of: entries)) != nil
      else { return .string(marked(value)) }
      return .dictionary(entries.mapValues(stored))
    }
  }

  /// Returns the value of a form. A text that ``stored(_:)`` wouldn't write is returned unchanged.
  static func value(ofStored stored: PropertyListValue) -> PropertyListValue {
    switch stored {
    case .bool, .integer, .unsignedInteger, .real, .date, .data: return stored
    case .string(let text): return meaning(of: text) ?? stored
    case .array(let elements): return .array(elements.map(value(ofStored:)))
    case .dictionary(let entries): return .dictionary(entries.mapValues(value(ofStored:)))
    }
  }

  /// Returns a form of the name that XML holds exactly.
  static func stored(name: String) -> String {
    isPlain(name) ? name : marked(.string(name))
  }

  /// Returns the name of a form.
  static func name(ofStored stored: String) -> String {
    guard case .string(let name)? = meaning(of: stored) else { return stored }
    return name
  }

  private static func isExact(_ value: PropertyListValue) -> Bool {
    (try? Defaults.PropertyListFormat.xml.validate(value)) != nil
  }

  private static func isPlain(_ text: String) -> Bool {
    // By bytes, because the mark followed by a combining character is no prefix of characters.
    !text.utf8.starts(with: mark.utf8) && isExact(.string(text))
  }

  private static func marked(_ value: PropertyListValue) -> String {
    var writer = Defaults.JSONWriter(hasLines: false)
    writer.write(value)
    var text = mark
    for scalar in String(decoding: writer.finish(), as: UTF8.self).unicodeScalars {
      switch scalar {
      // Valid characters in JSON, but not in XML.
      case "\u{fffe}": text += #"\ufffe"#
      case "\u{ffff}": text += #"\uffff"#
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func meaning(of text: String) -> PropertyListValue? {
    guard text.utf8.starts(with: mark.utf8) else { return nil }
    var reader = Defaults.JSONReader(Data(text.utf8.dropFirst(mark.utf8.count)))
    guard let value = try? reader.wholeValue(), stored(value) == .string(text) else { return nil }
    return value
  }
}

extension PropertyListValue {
  /// Returns whether Foundation may consider this value equal to another one.
  fileprivate func isAlike(_ other: Self) -> Bool {
    switch (self, other) {
    // Strings that are equal in Swift may have different characters.
    case (.string(let mine), .string(let other)): mine == other
    case (.array(let mine), .array(let other)):
      mine.count == other.count && zip(mine, other).allSatisfy { $0.isAlike($1) }
    case (.dictionary(let mine), .dictionary(let other)):
      mine.count == other.count && mine.allSatisfy { other[$0.key]?.isAlike($0.value) == true }
    default:
      if let number, let other = other.number { number == other } else { self == other }
    }
  }

  /// The nearest real of a number or boolean.
  private var number: Double? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .unsignedInteger(let value): Double(value)
    case .real(let value): value
    case .string, .date, .data, .array, .dictionary: nil
    }
  }
}

// MARK: - Access

extension UserDefaults {
  /// Returns the entry of a name, from any of the domains.
  func entry(named name: String) throws(ConversionError) -> PropertyListValue? {
    guard let object = object(forKey: Self.key(of: name)) else { return nil }
    return try Self.entry(of: object)
  }

  /// Sets an entry, or removes it for nil.
  func setEntry(_ entry: PropertyListValue?, named name: String) {
    let key = Self.key(of: name)
    guard let entry else { return removeObject(forKey: key) }
    // Foundation ignores setting 1.0 over 1 or true. Another thread may find no value meanwhile.
    if isHidden(key) || (try? self.entry(named: name))?.isAlike(entry) == true {
      removeObject(forKey: key)
    }
    set(Self.object(of: entry), forKey: key)
  }

  /// Whether the value of a key in the object's own domain can't be read, since an argument, or a
  /// value that an administrator manages, takes precedence.
  private func isHidden(_ key: String) -> Bool {
    #if canImport(Darwin)
      if objectIsForced(forKey: key) { return true }
    #endif
    return volatileDomain(forName: Self.argumentDomain)[key] != nil
  }

  /// Returns whether an argument, a global setting or a default registered with Foundation has a
  /// name.
  func hasSharedEntry(named name: String) -> Bool {
    let key = Self.key(of: name)
    #if !canImport(Darwin)
      // On Linux the registration domain is empty, but registered defaults apply to all objects.
      if UserDefaults(suiteName: "Defaults.empty")?.object(forKey: key) != nil { return true }
    #endif
    return sharedDomains.contains { $0[key] != nil }
  }

  /// The domains of global settings, registered defaults and arguments. On Linux, the registration
  /// domain is empty.
  var sharedDomains: [[String: Any]] {
    [persistentDomain(forName: Self.globalDomain) ?? [:]]
      + [Self.registrationDomain, Self.argumentDomain].map(volatileDomain)
  }

  /// The names of the entries in all domains.
  var entryNames: Set<String> { Set(dictionaryRepresentation().keys.map(Self.name(of:))) }

  // On Apple platforms, user defaults hold every value exactly.
  #if canImport(Darwin)
    private static func key(of name: String) -> String { name }
    static func name(of key: String) -> String { key }
    static func entry(of object: Any) throws(ConversionError) -> PropertyListValue {
      try FoundationPropertyList.value(of: object)
    }
    private static func object(of entry: PropertyListValue) -> Any {
      FoundationPropertyList.object(of: entry)
    }
  #else
    private static func key(of name: String) -> String { UserDefaultsForm.stored(name: name) }

    /// Returns the name of the entry under a key.
    static func name(of key: String) -> String { UserDefaultsForm.name(ofStored: key) }

    /// Returns the entry that an object represents.
    static func entry(of object: Any) throws(ConversionError) -> PropertyListValue {
      UserDefaultsForm.value(ofStored: try FoundationPropertyList.value(of: object))
    }

    private static func object(of entry: PropertyListValue) -> Any {
      FoundationPropertyList.object(of: UserDefaultsForm.stored(entry))
    }
  #endif
}
