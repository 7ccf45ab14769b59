import Defaults

extension Defaults.Shape {
  /// The shape of an entry: an optional without its nil.
  var ofEntry: Defaults.Shape {
    switch self {
    case .optional(let wrapped): wrapped
    case .either(let shape, let others): .either(shape.ofEntry, or: others.map(\.ofEntry))
    default: self
    }
  }

  /// Whether nil is allowed.
  var isOptional: Bool {
    switch self {
    case .optional: true
    case .either(let shape, _): shape.isOptional
    default: false
    }
  }

  /// The shape that is written, without other shapes that can be read.
  var written: Defaults.Shape {
    switch self {
    case .either(let shape, _): shape.written
    case .array(let element): .array(element.written)
    case .set(let element): .set(element.written)
    case .dictionary(let element): .dictionary(element.written)
    case .optional(let wrapped): .optional(wrapped.written)
    case .converted(let shape): .converted(shape.written)
    default: self
    }
  }

  /// The stored shape, regardless of conversions.
  var stored: Defaults.Shape {
    switch self {
    case .converted(let shape), .either(let shape, _): shape.stored
    case .array(let element): .array(element.stored)
    case .set(let element): .set(element.stored)
    default: self
    }
  }

  fileprivate var element: Defaults.Shape {
    switch self {
    case .array(let element), .set(let element), .dictionary(let element): element
    default: .any
    }
  }

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

  /// Whether values have a text of their own, so that they can be elements between commas.
  var isScalar: Bool {
    switch self {
    case .any, .array, .set, .dictionary, .optional: false
    case .converted(let shape), .either(let shape, _): shape.isScalar
    case .bool, .bit, .integer, .real, .float, .string, .date, .data, .duration: true
    }
  }

  /// A description of the values that the user may type, without the limits: "a whole number".
  var words: String {
    switch self {
    case .any, .dictionary, .optional: "JSON"
    case .bool, .bit: "true or false (yes or no, on or off, 1 or 0)"
    case .integer(let limits): "a whole number" + Self.words(for: limits)
    case .real, .float: "a number"
    case .string(let content): content.words
    case .date: "a date such as 2026-11-21T13:00:00Z"
    case .data: "data in base 64"
    case .duration: "a duration such as 1h 30m"
    case .array(let element), .set(let element):
      element.isScalar ? "comma-separated \(element.pluralWords)" : "a JSON array"
    case .converted(let shape), .either(let shape, _): shape.words
    }
  }

  /// The limits of a small type, which the user could exceed.
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
    case .real, .float: "numbers"
    case .date: "dates such as 2026-11-21T13:00:00Z"
    case .data: "data in base 64"
    case .duration: "durations such as 1h 30m"
    case .string(.text): "words"
    case .string(let content): "values, each \(content.words)"
    case .converted(let shape), .either(let shape, _): shape.pluralWords
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
  /// A description of the limit, to be appended to that of the shape.
  func words(for shape: Defaults.Shape) -> String {
    func text(_ bound: Defaults.PropertyListValue) -> String {
      // A duration is stored as a number of seconds.
      if case .duration = shape { return Defaults.EntryText.text(of: bound, as: shape) }
      return Defaults.EntryText.text(of: bound)
    }
    switch self {
    case .range(let range):
      return switch (range.lowerBound.map(text), range.upperBound.map(text)) {
      case (let lower?, let upper?):
        range.includesUpperBound
          ? ", \(lower) to \(upper)" : ", at least \(lower) and below \(upper)"
      case (let lower?, nil): ", at least \(lower)"
      case (nil, let upper?): range.includesUpperBound ? ", at most \(upper)" : ", below \(upper)"
      case (nil, nil): " in a range"
      }
    case .count(let range, let isOfText):
      if case .converted = shape, !isOfText { return ", with \(Self.count(range)) elements" }
      return ", \(Self.count(range)) \(isOfText ? "characters" : "of them")"
    case .choices(let choices): return ", one of \(choices.map(text).joined(separator: ", "))"
    case .pattern(let pattern): return " that matches \(pattern)"
    case .check(let words): return " that \(words)"
    case .each(let limit):
      let words = limit.words(for: shape.element)
      if words.hasPrefix(" that ") { return ", each of which\(words.dropFirst(5))" }
      guard words.hasPrefix(", "), !words.hasPrefix(", each") else { return words }
      if case .converted = shape { return ", each element\(words.dropFirst())" }
      return ", each\(words.dropFirst())"
    }
  }
}
