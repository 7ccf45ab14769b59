import Defaults
import Foundation

extension Defaults {
  /// Conversions between entries and the texts that users type and read: digits, true and false,
  /// ISO 8601 dates, words between commas. Other entries are JSON with the tags of ``JSONFormat``.
  package enum EntryText {
    /// The text of an entry that should have a shape.
    static func text(of entry: PropertyListValue, as shape: Shape) -> String {
      let shape = shape.stored
      if let text = scalar(entry, as: shape) { return text }
      switch (shape, entry) {
      case (.array(let element), .array(let elements)), (.set(let element), .array(let elements)):
        return ListText.text(of: elements.map { scalar($0, as: element) }) ?? json(entry)
      default: return json(entry)
      }
    }

    /// The text of an entry that has no key.
    package static func text(of entry: PropertyListValue) -> String {
      text(of: entry, as: Shape(of: entry))
    }

    /// The possible meanings of a text, the likeliest first. Throws what is wrong with it if there
    /// is none. Elements of a set are equal if their normal forms are.
    static func entries(
      of text: String, as shape: Shape,
      normalizing normalForm: (PropertyListValue) -> PropertyListValue = { $0 }
    ) throws(TextError) -> [PropertyListValue] {
      let shape = shape.stored
      switch shape {
      case .string(let content):
        // A string that isn't free text may be in quotation marks, as in JSON.
        if case .text = content { return [.string(text)] }
        return [.string(text)]
          + [try? value(ofJSON: text), .string(quoted(text))].compactMap(\.self)
      case .array(let element) where element.isScalar, .set(let element) where element.isScalar:
        if text.drop(while: \.isWhitespace).first == "[" { return [try value(ofJSON: text)] }
        let elements = try ListText.elements(of: text, as: element)
        guard case .set = shape else { return [.array(elements)] }
        // A set ignores a repeated element.
        var seen: Set<PropertyListValue> = []
        return [.array(elements.filter { seen.insert(normalForm($0)).inserted })]
      case _ where shape.isScalar:
        return [try scalar(text, as: shape)]
      default:
        return [try value(ofJSON: text)]
      }
    }

    /// The text of an entry that isn't a collection; nil if it doesn't have this shape.
    private static func scalar(_ entry: PropertyListValue, as shape: Shape) -> String? {
      switch (shape, entry) {
      case (.bool, .bool(let value)): "\(value)"
      case (.bit, .integer(let value)): value == 1 ? "true" : value == 0 ? "false" : nil
      case (.integer, .integer(let value)): "\(value)"
      case (.integer, .unsignedInteger(let value)): "\(value)"
      case (.real, .real(let value)), (.float, .real(let value)): ExactText.text(of: value)
      case (.string, .string(let text)): text
      case (.date, .date(let date)): ExactText.text(of: date)
      case (.data, .data(let data)): data.base64EncodedString()
      case (.duration, _): (try? DurationBridge().decode(entry)).flatMap(DurationText.text)
      default: nil
      }
    }

    /// The entry of a text that isn't a list.
    package static func scalar(
      _ original: String, as shape: Shape
    ) throws(TextError) -> PropertyListValue {
      if case .string = shape { return .string(original) }
      let text = original.withoutOuterSpace
      let entry: PropertyListValue? =
        switch shape {
        case .bool: bool(text).map { .bool($0) }
        case .bit: bool(text).map { .integer($0 ? 1 : 0) }
        case .integer: JSONTag.integer(text)
        case .real: ExactText.real(text).map { .real($0) }
        case .float: float(text)
        case .date: ExactText.date(text).map { .date($0) }
        case .data: Data(base64Encoded: text).map { .data($0) }
        case .duration: duration(text)
        default: nil
        }
      guard let entry else { throw TextError(found: original) }
      return entry
    }

    /// The `Float` nearest to a decimal text.
    private static func float(_ text: String) -> PropertyListValue? {
      guard let real = ExactText.real(text) else { return nil }
      guard real.isFinite, let float = Float(text), float.isFinite else {
        return .real(real)
      }
      return try? Float.bridge.encode(float)
    }

    private static func duration(_ text: String) -> PropertyListValue? {
      (try? DurationBridge().decode(.string(text))).flatMap { try? DurationBridge().encode($0) }
    }

    private static func bool(_ text: String) -> Bool? {
      switch text.lowercased() {
      case "true", "yes", "on", "1": true
      case "false", "no", "off", "0": false
      default: nil
      }
    }

    private static func quoted(_ text: String) -> String { json(.string(text)) }

    /// A value as one line of JSON.
    package static func json(_ value: PropertyListValue) -> String {
      var writer = JSONWriter(hasLines: false)
      writer.write(value)
      return String(decoding: writer.finish(), as: UTF8.self)
    }

    package static func value(ofJSON text: String) throws(TextError) -> PropertyListValue {
      let data = Data(text.utf8)
      var reader = JSONReader(data)
      do {
        return try reader.wholeValue()
      } catch {
        throw TextError(found: text, problem: error.description(in: data))
      }
    }
  }

  /// The reason why a text is invalid.
  package struct TextError: Error {
    /// The invalid text or part of it.
    package let found: String
    /// The position of the first character of `found`, from 1; nil for the whole text.
    var position: Int?
    /// More detail, unless the type is simply different.
    package var problem: String?
  }
}
