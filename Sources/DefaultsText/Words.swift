import Defaults

extension Defaults.Shape {
  /// The shape without the nothing that an optional may be: what lies in an entry.
  var ofEntry: Defaults.Shape {
    if case .optional(let wrapped) = self { wrapped } else { self }
  }

  /// The shape of what is stored, whatever it was converted from.
  var stored: Defaults.Shape {
    switch self {
    case .converted(let shape): shape.stored
    case .array(let element): .array(element.stored)
    case .set(let element): .set(element.stored)
    default: self
    }
  }

  /// The shape of one value.
  init(of value: Defaults.PropertyListValue) {
    self =
      switch value {
      case .bool: .bool
      case .integer, .unsignedInteger: .integer(of: Int.self)
      case .real: .real
      case .string: .text
      case .date: .date
      case .data: .data
      case .array, .dictionary: .any
      }
  }

  /// Whether values have a text of their own, and so can stand between commas.
  var isScalar: Bool {
    switch self {
    case .any, .array, .set, .dictionary, .optional: false
    case .converted(let shape): shape.isScalar
    case .bool, .bit, .integer, .real, .string, .date, .data, .duration: true
    }
  }

  /// What a person may type, without the limits: "a whole number".
  var words: String {
    switch self {
    case .any, .dictionary, .optional: "JSON"
    case .bool, .bit: "true or false (yes or no, on or off, 1 or 0)"
    case .integer(let limits): "a whole number" + Self.words(for: limits)
    case .real: "a number"
    case .string(let content): content.words
    case .date: "a date such as 2026-11-21T13:00:00Z"
    case .data: "data in base 64"
    case .duration: "a duration such as 1h 30m"
    case .array(let element), .set(let element):
      element.isScalar ? "comma-separated \(element.pluralWords)" : "a JSON array"
    case .converted(let shape): shape.words
    }
  }

  /// The limits of a small type, which a person may run into.
  private static func words(for limits: ClosedRange<Int128>) -> String {
    let isWide = limits.upperBound >= Int128(Int64.max)
    return isWide
      ? (limits.lowerBound == 0 ? ", at least 0" : "")
      : ", \(limits.lowerBound) to \(limits.upperBound)"
  }

  private var pluralWords: String {
    switch self {
    case .bool, .bit: "words, each true or false"
    case .integer(let limits): "whole numbers" + Self.words(for: limits)
    case .real: "numbers"
    case .date: "dates such as 2026-11-21T13:00:00Z"
    case .data: "data in base 64"
    case .duration: "durations such as 1h 30m"
    case .string(.text): "words"
    case .string(let content): "values, each \(content.words)"
    case .converted(let shape): shape.pluralWords
    case .any, .array, .set, .dictionary, .optional: "values"
    }
  }
}

extension Defaults.Shape.Content {
  fileprivate var words: String {
    switch self {
    case .text: "text"
    case .words(let words): words.joined(separator: " or ")
    case .wholeNumber: "a whole number"
    case .decimalNumber: "a decimal number"
    case .date: "a date such as 2026-11-21T13:00:00Z"
    case .url: "a URL such as https://example.com/"
    case .uuid: "a UUID"
    case .base64: "data in base 64"
    case .json: "JSON"
    }
  }
}

extension Defaults.Limit {
  /// What is asked of a value, to be put behind what kind of value it is.
  var words: String {
    switch self {
    case .range(let range):
      switch (range.lowerBound?.text, range.upperBound?.text) {
      case (let lower?, let upper?):
        ", \(lower) to \(upper)" + (range.includesUpperBound ? "" : ", without that")
      case (let lower?, nil): ", at least \(lower)"
      case (nil, let upper?): range.includesUpperBound ? ", at most \(upper)" : ", below \(upper)"
      case (nil, nil): ""
      }
    case .count(let range, let isOfText):
      ", \(Self.count(range)) \(isOfText ? "characters" : "of them")"
    case .choices(let choices): ", one of \(choices.map(\.text).joined(separator: ", "))"
    case .pattern(let pattern?): " that matches \(pattern)"
    case .pattern(nil): " of a certain form"
    case .check(let words): " that \(words)"
    case .each(let limit):
      limit.words.hasPrefix(", ") ? ", each\(limit.words.dropFirst())" : limit.words
    }
  }
}

extension Defaults.PropertyListValue {
  /// The value in a sentence: as a person would write it.
  var text: String { Defaults.EntryText.text(of: self, as: Defaults.Shape(of: self)) }
}
