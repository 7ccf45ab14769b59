import Foundation

/// The form in which values and names are stored in `UserDefaults` on Linux, where its file is XML.
///
/// What XML holds exactly is stored as it is. Anything else is text: ``mark``, and then the value as
/// JSON by the convention of ``Defaults/JSONFormat``, which is exact. A text or name that begins
/// with the mark is stored so, too, so that only this form begins with it.
enum UserDefaultsForm {
  static let mark = "Defaults.exact:"

  /// A value of which XML loses nothing.
  static func stored(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .bool, .integer, .unsignedInteger, .data: return value
    case .string(let text): return isPlain(text) ? value : marked(value)
    case .real, .date: return isExact(value) ? value : marked(value)
    case .array(let elements): return .array(elements.map(stored))
    case .dictionary(let entries):
      // Its names can't be replaced one by one: another reader would find other names.
      guard entries.keys.allSatisfy(isPlain),
        (try? Defaults.PropertyListFormat.validateKeys(of: entries)) != nil
      else { return marked(value) }
      return .dictionary(entries.mapValues(stored))
    }
  }

  /// The value that is stored so; any text that isn't exactly what ``stored(_:)`` writes is itself.
  static func value(ofStored stored: PropertyListValue) -> PropertyListValue {
    switch stored {
    case .bool, .integer, .unsignedInteger, .real, .date, .data: return stored
    case .string(let text): return meaning(of: text) ?? stored
    case .array(let elements): return .array(elements.map(value(ofStored:)))
    case .dictionary(let entries): return .dictionary(entries.mapValues(value(ofStored:)))
    }
  }

  /// A name of which XML loses nothing.
  static func stored(name: String) -> String {
    guard !isPlain(name), case .string(let text) = marked(.string(name)) else { return name }
    return text
  }

  /// The name that is stored so.
  static func name(ofStored stored: String) -> String {
    guard case .string(let name)? = meaning(of: stored) else { return stored }
    return name
  }

  private static func isExact(_ value: PropertyListValue) -> Bool {
    (try? Defaults.PropertyListFormat.xml.validate(value)) != nil
  }

  private static func isPlain(_ text: String) -> Bool {
    // By bytes: the mark with a combining character behind it is no prefix of characters.
    !text.utf8.starts(with: mark.utf8) && isExact(.string(text))
  }

  private static func marked(_ value: PropertyListValue) -> PropertyListValue {
    var writer = Defaults.JSONWriter(hasLines: false)
    writer.write(value)
    var text = mark
    for scalar in String(decoding: writer.finish(), as: UTF8.self).unicodeScalars {
      switch scalar {
      // In JSON they are characters like any other, and XML has none of them.
      case "\u{fffe}": text += #"\ufffe"#
      case "\u{ffff}": text += #"\uffff"#
      default: text.unicodeScalars.append(scalar)
      }
    }
    return .string(text)
  }

  private static func meaning(of text: String) -> PropertyListValue? {
    guard text.utf8.starts(with: mark.utf8) else { return nil }
    var reader = Defaults.JSONReader(Data(text.utf8.dropFirst(mark.utf8.count)))
    guard let value = try? reader.wholeValue(), stored(value) == .string(text) else { return nil }
    return value
  }
}
