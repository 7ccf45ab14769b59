import Defaults
import Foundation

extension Defaults {
  /// The settings of keys as a JSON Schema (2020-12), for editors, forms and other programs: what a
  /// file may hold that ``Suite/export(_:to:as:)`` writes as ``JSONFormat``.
  ///
  /// Each setting has its type, default and description, and what its rules say as far as JSON
  /// Schema can: ranges of numbers, lengths and counts, choices, cases, and those literals of
  /// regular expressions that mean the same in all dialects. What it can't, such as a rule of your
  /// own, is a `$comment`. So a value that the schema refuses is refused here, but for one that is
  /// written in another way than an export does. Names that aren't declared are allowed. A secret
  /// is `writeOnly`, and its default isn't shown.
  ///
  /// ```swift
  /// try Defaults.jsonSchema(of: [.volume, .theme]).write(to: url, atomically: true, encoding: .utf8)
  /// ```
  public static func jsonSchema(of keys: [AnyKey]) -> String {
    var properties: [String: PropertyListValue] = [:]
    for key in keys {
      properties[JSONTag.escape(key.name)] = .dictionary(JSONSchema(of: key).members)
    }
    var writer = JSONWriter(hasLines: true, isOfEntries: false)
    writer.write([
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": .dictionary(properties),
    ])
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  /// The schema of one value, in the making.
  fileprivate struct JSONSchema {
    var members: [String: PropertyListValue]
  }
}

extension Defaults.JSONSchema {
  init(of key: Defaults.KeyBase) {
    let form = key.typed.form
    self.init(of: form.shape, form.limits)
    if !form.cases.isEmpty {
      members["enum"] = .array(form.cases.map { Self.written($0.entry) })
      // The cases are what all rules allow.
      members["$comment"] = nil
    }
    if form.storesNil {
      // Nil is an empty array, and an array lies in another one.
      let value = Defaults.PropertyListValue.dictionary(members)
      members = ["anyOf": [value, ["type": "array", "maxItems": 1, "items": value]]]
    }
    members["description"] = key.about.map { .string($0) }
    if key.isSecret {
      members["writeOnly"] = true
    } else {
      members["default"] = key.typed.declaredDefault.map(Self.written)
    }
  }

  /// The schema of what has a shape and keeps within limits.
  private init(of shape: Defaults.Shape, _ limits: [Defaults.Limit]) {
    var (ranges, others): ([Defaults.ValueRange], [Defaults.Limit]) = ([], [])
    for limit in limits {
      if case .range(let range) = limit, range.isOf(shape) {
        ranges.append(range)
      } else {
        others.append(limit)
      }
    }
    switch shape {
    case .integer(let bounds): members = Self.integer(bounds, ranges)
    case .real: members = Self.real(ranges)
    default: members = Self.members(of: shape, limits)
    }
    let rest = others.filter { !add($0, to: shape) }
    if !rest.isEmpty {
      members["$comment"] = .string("a value\(rest.map { $0.words(for: shape) }.joined())")
    }
  }

  private static func members(
    of shape: Defaults.Shape, _ limits: [Defaults.Limit]
  ) -> [String: Defaults.PropertyListValue] {
    /// What is asked of each element.
    var ofElements: [Defaults.Limit] {
      limits.compactMap { if case .each(let limit) = $0 { limit } else { nil } }
    }
    func element(_ shape: Defaults.Shape) -> Defaults.PropertyListValue {
      .dictionary(Self(of: shape, ofElements).members)
    }
    switch shape {
    case .any, .integer, .real: return [:]
    case .bool: return ["type": "boolean"]
    case .bit: return ["type": "integer", "enum": [0, 1]]
    case .string(let content): return members(of: content)
    case .date: return tagged(.date, ["format": "date-time"])
    case .data: return tagged(.data, ["contentEncoding": "base64"])
    case .duration:
      let digits: Defaults.PropertyListValue = [
        "type": "string", "pattern": #"^-?[0-9]+(\.[0-9]+)?$"#,
      ]
      return ["anyOf": [["type": "number"], digits]]
    case .array(let shape): return ["type": "array", "items": element(shape)]
    case .set(let shape):
      return ["type": "array", "items": element(shape), "uniqueItems": true]
    case .dictionary(let shape): return ["type": "object", "additionalProperties": element(shape)]
    case .optional(let shape):
      return ["type": "array", "maxItems": 1, "items": .dictionary(Self(of: shape, []).members)]
    case .converted(let shape): return Self(of: shape, []).members
    }
  }

  private static func members(
    of content: Defaults.Shape.Content
  ) -> [String: Defaults.PropertyListValue] {
    var members: [String: Defaults.PropertyListValue] = ["type": "string"]
    switch content {
    case .text: break
    case .words(let words): members["enum"] = .array(words.map { .string($0) })
    case .wholeNumber: members["pattern"] = "^-?[0-9]+$"
    case .decimalNumber: members["pattern"] = #"^(NaN|-?[0-9]+(\.[0-9]+)?)$"#
    case .date: members["format"] = "date-time"
    case .uuid: members["format"] = "uuid"
    case .base64: members["contentEncoding"] = "base64"
    case .json: members["contentMediaType"] = "application/json"
    case .url:
      members["format"] = "uri-reference"
      // A URL with a base is two strings.
      let parts: Defaults.PropertyListValue = ["type": "array", "items": .dictionary(members)]
      return ["anyOf": [.dictionary(members), parts]]
    }
    return members
  }

  /// A value that JSON has no form of its own for.
  private static func tagged(
    _ tag: Defaults.JSONTag, _ content: [String: Defaults.PropertyListValue]
  ) -> [String: Defaults.PropertyListValue] {
    let content = content.merging(["type": "string"]) { given, _ in given }
    return [
      "type": "object", "required": [.string(tag.rawValue)],
      "properties": [tag.rawValue: .dictionary(content)],
    ]
  }

  // MARK: - Numbers

  /// As an export writes them: those of more than 53 bits as text, in an object.
  private static func integer(
    _ bounds: ClosedRange<Int128>, _ ranges: [Defaults.ValueRange]
  ) -> [String: Defaults.PropertyListValue] {
    var (lower, upper) = (bounds.lowerBound, bounds.upperBound)
    for range in ranges {
      if let bound = range.lowerBound?.integer { lower = max(lower, bound) }
      if let bound = range.upperBound?.integer {
        upper = min(upper, range.includesUpperBound ? bound : bound - 1)
      }
    }
    let safe = Defaults.JSONTag.safeIntegers
    let safeBounds = Int128(safe.lowerBound)...Int128(safe.upperBound)
    // By their digits: what has fewer is written as a number.
    let sign = lower >= safeBounds.lowerBound ? "" : upper <= safeBounds.upperBound ? "-" : "-?"
    let large = tagged(.integer, ["pattern": .string("^\(sign)[0-9]{16,20}$")])
    if lower > safeBounds.upperBound || upper < safeBounds.lowerBound { return large }
    var number: [String: Defaults.PropertyListValue] = ["type": "integer"]
    number["minimum"] = .integer(Int64(clamping: max(lower, safeBounds.lowerBound)))
    number["maximum"] = .integer(Int64(clamping: min(upper, safeBounds.upperBound)))
    if safeBounds.contains(lower), safeBounds.contains(upper) { return number }
    return ["anyOf": [.dictionary(number), .dictionary(large)]]
  }

  private static func real(
    _ ranges: [Defaults.ValueRange]
  ) -> [String: Defaults.PropertyListValue] {
    var number: [String: Defaults.PropertyListValue] = ["type": "number"]
    guard !ranges.isEmpty else {
      return ["anyOf": [.dictionary(number), .dictionary(tagged(.real, [:]))]]
    }
    var special: Set<String> = ["inf", "-inf"]
    for range in ranges {
      if let lower = range.lowerBound?.real, lower > -.infinity {
        special.remove("-inf")
        // JSON has no number for it.
        if lower < .infinity {
          number["minimum"] = .real(max(lower, number["minimum"]?.real ?? lower))
        }
      }
      guard let upper = range.upperBound?.real else { continue }
      if upper < .infinity || !range.includesUpperBound { special.remove("inf") }
      guard upper.isFinite else { continue }
      let name = range.includesUpperBound ? "maximum" : "exclusiveMaximum"
      number[name] = .real(min(upper, number[name]?.real ?? upper))
    }
    guard !special.isEmpty else { return number }
    let words = Defaults.PropertyListValue.array(special.sorted().map { .string($0) })
    return ["anyOf": [.dictionary(number), .dictionary(tagged(.real, ["enum": words]))]]
  }

  // MARK: - Other limits

  /// Adds a limit, if JSON Schema has a word for it.
  private mutating func add(_ limit: Defaults.Limit, to shape: Defaults.Shape) -> Bool {
    switch (limit, shape) {
    case (.count(let range, isOfText: false), .array), (.count(let range, isOfText: false), .set):
      add(range, "minItems", "maxItems")
    case (.count(let range, isOfText: false), .dictionary):
      add(range, "minProperties", "maxProperties")
    case (.count(let range, isOfText: true), .string(.text)):
      add(range, "minLength", "maxLength")
    case (.choices(let choices), _):
      guard choices.allSatisfy(shape.holds) else { return false }
      members["enum"] = .array(choices.map(Self.written))
    case (.pattern(let pattern?, isExact: true), .string(.text)):
      guard let translated = PortablePattern(pattern)?.text else { return false }
      members["pattern"] = .string("^(?:\(translated))$(?!\\n)")
    case (.each, .array), (.each, .set), (.each, .dictionary): break
    default: return false
    }
    return true
  }

  private mutating func add(_ range: ClosedRange<Int>, _ lower: String, _ upper: String) {
    if range.lowerBound > 0 { members[lower] = .integer(Int64(range.lowerBound)) }
    if range.upperBound < .max { members[upper] = .integer(Int64(range.upperBound)) }
  }

  /// A value as an export writes it, which escapes the names in it.
  private static func written(_ value: Defaults.PropertyListValue) -> Defaults.PropertyListValue {
    switch value {
    case .array(let elements): .array(elements.map(written))
    case .dictionary(let elements):
      .dictionary(
        Dictionary(
          uniqueKeysWithValues: elements.map { (Defaults.JSONTag.escape($0), written($1)) }))
    default: value
    }
  }
}

extension Defaults.Schema {
  /// The settings of the schema as a JSON Schema; see ``Defaults/jsonSchema(of:)``. The defaults
  /// are those of the declarations.
  public static func jsonSchema() -> String {
    Defaults.jsonSchema(of: Self(suite: Defaults.MemorySuite()).keys)
  }
}

extension Defaults.ValueRange {
  /// Whether the bounds are numbers as they are stored in a shape.
  fileprivate func isOf(_ shape: Defaults.Shape) -> Bool {
    [lowerBound, upperBound].compactMap(\.self).allSatisfy { bound in
      switch shape {
      case .integer: bound.integer != nil
      case .real: bound.real != nil
      default: false
      }
    }
  }
}

extension Defaults.Shape {
  /// Whether an entry is one of this shape, as far as one can tell.
  fileprivate func holds(_ entry: Defaults.PropertyListValue) -> Bool {
    switch (self, entry) {
    case (.bool, .bool), (.bit, .integer), (.real, .real), (.string, .string), (.date, .date),
      (.data, .data), (.integer, .integer), (.integer, .unsignedInteger), (.duration, .real),
      (.duration, .string):
      true
    case (.array(let shape), .array(let elements)), (.set(let shape), .array(let elements)):
      elements.allSatisfy(shape.holds)
    case (.dictionary(let shape), .dictionary(let elements)):
      elements.values.allSatisfy(shape.holds)
    default: false
    }
  }
}

extension Defaults.PropertyListValue {
  fileprivate var integer: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .unsignedInteger(let value): Int128(value)
    default: nil
    }
  }

  fileprivate var real: Double? { if case .real(let value) = self { value } else { nil } }
}
