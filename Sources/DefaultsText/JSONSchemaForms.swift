import Defaults

// The forms of numbers and texts in a file: all forms that their bridges read.

extension JSONSchema {
  /// A number, as an integer or a real, or an object if an export writes the integer with more than
  /// 53 bits.
  static func integer(
    _ bounds: ClosedRange<Int128>, _ ranges: [Defaults.RangeLimit]
  ) -> [Members] {
    var (lower, upper) = (bounds.lowerBound, bounds.upperBound)
    for range in ranges {
      if let bound = range.lowerBound?.wholeNumber { lower = max(lower, bound) }
      if let bound = range.upperBound?.wholeNumber {
        upper = min(upper, range.includesUpperBound ? bound : bound - 1)
      }
    }
    var number: Members = ["type": "integer"]
    // 128-bit types exceed the range of stored integers.
    if lower > Int128(Int64.min) { number["minimum"] = bound(lower, .down) }
    if upper < Int128(UInt64.max) { number["maximum"] = bound(upper, .up) }
    let safe = Defaults.JSONTag.safeIntegers
    let (isBelow, isAbove) = (lower < Int128(safe.lowerBound), upper > Int128(safe.upperBound))
    guard isBelow || isAbove else { return [number] }
    // A pattern for the number of digits; shorter integers are written as numbers.
    let sign = !isBelow ? "" : !isAbove ? "-" : "-?"
    return [number, tagged(.integer, ["pattern": .string("^\(sign)[0-9]{16,20}$")])]
  }

  /// A bound as a number that every JSON parser represents exactly. Rounded away from the range.
  private static func bound(
    _ number: Int128, _ direction: FloatingPointRoundingRule
  ) -> Defaults.PropertyListValue {
    if let small = Int64(exactly: number), Defaults.JSONTag.safeIntegers.contains(small) {
      return .integer(small)
    }
    let real = Double(number)
    return switch direction {
    case .down where Int128(real) > number: .real(real.nextDown)
    case .up where Int128(real) < number: .real(real.nextUp)
    default: .real(real)
    }
  }

  /// A number, or an object, which is how an export writes an infinity, a NaN, or an integer of
  /// more than 53 bits.
  static func real(_ ranges: [Defaults.RangeLimit], isFloat: Bool) -> [Members] {
    var number: Members = ["type": "number"]
    var special: Set<String> = ranges.isEmpty ? [] : ["inf", "-inf"]
    var (lowest, highest) = (-Double.infinity, Double.infinity)
    for range in ranges {
      if let lower = range.lowerBound?.real, lower > -.infinity {
        special.remove("-inf")
        lowest = max(lowest, isFloat ? min(lower, Double(Float(lower))) : lower)
      }
      guard let upper = range.upperBound?.real else { continue }
      if upper < .infinity || !range.includesUpperBound { special.remove("inf") }
      guard upper.isFinite else { continue }
      let bound = isFloat ? max(upper, Double(Float(upper))) : upper
      highest = min(highest, bound)
      let name = range.includesUpperBound ? "maximum" : "exclusiveMaximum"
      number[name] = .real(min(bound, number[name]?.real ?? bound))
    }
    // JSON can't represent an infinity.
    if lowest.isFinite { number["minimum"] = .real(lowest) }
    var forms = [number]
    if ranges.isEmpty {
      forms.append(tagged(.real, [:]))
    } else if !special.isEmpty {
      let words = Defaults.PropertyListValue.array(special.sorted().map { .string($0) })
      forms.append(tagged(.real, ["enum": words]))
    }
    let (isBelow, isAbove) = (lowest <= -0x1p53, highest >= 0x1p53)
    if isBelow || isAbove {
      let sign = !isBelow ? "" : !isAbove ? "-" : "-?"
      forms.append(tagged(.integer, ["pattern": .string("^\(sign)[0-9]{16,20}$")]))
    }
    return forms
  }

  static func string(_ content: Defaults.Shape.Content) -> [Members] {
    var members: Members = ["type": "string"]
    switch content {
    case .text: break
    case .words(let words):
      // The pattern accepts any letter case; the words are listed for editors.
      return [["enum": .array(words.map { .string($0) })], inAnyCase(words)]
    case .wholeNumber: members["pattern"] = .string("^\(space)[-+]?[0-9]+\(space)$")
    case .decimalNumber: members["pattern"] = #"^(NaN|-?[0-9]+(\.[0-9]+)?)$"#
    case .date: members["format"] = "date-time"
    case .uuid: members["format"] = "uuid"
    case .base64: members["contentEncoding"] = "base64"
    case .json: members["contentMediaType"] = "application/json"
    case .url:
      members["format"] = "uri-reference"
      // A URL with a base is stored as two strings.
      return [members, ["type": "array", "items": .dictionary(members)]]
    }
    return [members]
  }

  /// A pattern for words in any letter case; any text if non-ASCII letters have cases.
  private static func inAnyCase(_ words: [String]) -> Members {
    guard words.allSatisfy({ $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } }) else {
      return ["type": "string"]
    }
    let patterns = words.map { word in
      word.map { letter in
        letter.isLetter
          ? "[\(letter.lowercased())\(letter.uppercased())]"
          : letter.isNumber ? "\(letter)" : "\\u00" + String(letter.asciiValue ?? 0, radix: 16)
      }.joined()
    }
    return [
      "type": "string",
      "pattern": .string("^\(space)(\(patterns.joined(separator: "|")))\(space)$"),
    ]
  }

  /// The white space that may surround a text. The string of an `Int128` may have none, but has the
  /// same form here. The listed characters aren't in the dialects' own class.
  private static let space = #"[\s\u0085\u200b]*"#

  /// A number of seconds, or numbers with units.
  static let durationPattern =
    #"^-?([0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|"#
    + #"([0-9]+(\.[0-9]+)? *(d|h|m|min|s|ms|us|µs|ns) *)+)$"#
}

// MARK: - Entries

extension Defaults.Shape {
  /// The entries that are read as the same value, and that an export writes differently; nil if
  /// they can't be listed because a text can be written in several ways.
  func forms(of entry: Defaults.PropertyListValue) -> [Defaults.PropertyListValue]? {
    switch (self, entry) {
    case (.bool, .bool(let value)): [entry, value ? 1 : 0]
    case (.integer, .integer), (.integer, .unsignedInteger):
      [entry] + (entry.wholeNumber.flatMap { Self.largeReal($0) }.map { [$0] } ?? [])
    case (.real, .real(let value)): [entry] + Self.largeInteger(value)
    case (.float, .real(let value)):
      [entry] + Self.largeInteger(value)
        + (value.isFinite ? [.real(Double(Float(value)))] : [])
    case (.string(.text), .string), (.data, .data): [entry]
    case (.array(let element), .array(let elements)):
      elements.allSatisfy { element.forms(of: $0)?.count == 1 } ? [entry] : nil
    case (.set(let element), .array(let elements)):
      elements.count < 2 && elements.allSatisfy { element.forms(of: $0)?.count == 1 }
        ? [entry] : nil
    case (.dictionary(let element), .dictionary(let elements)):
      elements.values.allSatisfy { element.forms(of: $0)?.count == 1 } ? [entry] : nil
    default: nil
    }
  }

  /// The real equal to an integer that an export doesn't write as a number. The export writes the
  /// real as a number.
  private static func largeReal(_ number: Int128) -> Defaults.PropertyListValue? {
    let safe = Defaults.JSONTag.safeIntegers
    guard number > Int128(safe.upperBound) || number < Int128(safe.lowerBound),
      Int128(Double(number)) == number
    else { return nil }
    return .real(Double(number))
  }

  private static func largeInteger(_ real: Double) -> [Defaults.PropertyListValue] {
    guard real.magnitude >= 0x1p53, let number = Int128(exactly: real),
      let integer = Defaults.PropertyListValue(exactly: number)
    else { return [] }
    return [integer]
  }

  /// Whether choices have this shape. Those of a converted value don't.
  func holds(_ entries: [Defaults.PropertyListValue]) -> Bool {
    entries.allSatisfy { entry in
      switch (self, entry) {
      case (.bool, .bool), (.bit, .integer), (.real, .real), (.float, .real), (.string, .string),
        (.date, .date), (.data, .data), (.integer, .integer), (.integer, .unsignedInteger),
        (.duration, .real), (.duration, .string):
        true
      case (.array(let shape), .array(let elements)), (.set(let shape), .array(let elements)):
        shape.holds(elements)
      case (.dictionary(let shape), .dictionary(let elements)):
        shape.holds(Array(elements.values))
      default: false
      }
    }
  }

  /// Whether equal values always have equal JSON. False for NaN and for values of any type.
  var isDistinct: Bool {
    switch self {
    case .any, .real, .float, .date: false
    case .bool, .bit, .integer, .string, .data, .duration: true
    case .array(let shape), .set(let shape), .dictionary(let shape), .optional(let shape),
      .converted(let shape):
      shape.isDistinct
    case .either(let shape, let others): ([shape] + others).allSatisfy(\.isDistinct)
    }
  }
}

extension Defaults.RangeLimit {
  /// Whether the bounds are numbers in the stored form of a shape.
  func isOf(_ shape: Defaults.Shape) -> Bool {
    [lowerBound, upperBound].compactMap(\.self).allSatisfy { bound in
      switch shape {
      case .integer: bound.wholeNumber != nil
      case .real, .float: bound.real != nil
      default: false
      }
    }
  }
}

extension Defaults.PropertyListValue {
  fileprivate var wholeNumber: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .unsignedInteger(let value): Int128(value)
    default: nil
    }
  }

  fileprivate var real: Double? { if case .real(let value) = self { value } else { nil } }
}
