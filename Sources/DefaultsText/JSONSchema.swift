import Defaults
import Foundation

extension Defaults {
  /// Returns a JSON Schema (2020-12) of keys, for editors, forms and other programs. It describes
  /// the files that ``Suite/export(_:to:as:)`` writes as ``JSONFormat``.
  ///
  /// Each setting has its type, default and description, and the rules that JSON Schema can
  /// express: ranges of numbers, lengths and counts, choices, cases, and regular expression
  /// literals that mean the same in all dialects. Any other rule is a `$comment`, and choices that
  /// can be written in several ways are `examples`.
  ///
  /// The schema accepts each entry that a key reads, in the exported JSON form. That includes forms
  /// that a coding reads but doesn't write, such as 0 for false, a number for a `Decimal`, or an
  /// older form of ``Coding/reading(_:_:)``. These follow the written form in an `anyOf`, without
  /// the limits of rules. A validator that asserts `format` still rejects the texts that
  /// ``Coding/iso8601`` reads but doesn't write, such as one with a space instead of the T.
  /// Undeclared names are accepted. A secret is `writeOnly`, and its default
  /// is omitted.
  ///
  /// ```swift
  /// let schema = Defaults.jsonSchema(of: [.volume, .theme])
  /// try schema.write(to: url, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// - Parameter keys: The keys of the settings.
  /// - Returns: The schema as JSON text.
  /// - Note: If your own bridge reads several texts for one case of an enum, the schema lists the
  ///   cases only as the bridge writes them.
  public static func jsonSchema(of keys: [AnyKey]) -> String {
    var properties: [String: PropertyListValue] = [:]
    for key in keys {
      properties[JSONTag.escape(key.name)] = .dictionary(JSONSchema.members(of: key))
    }
    var writer = JSONWriter(hasLines: true, isOfEntries: false)
    writer.write([
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": .dictionary(properties),
    ])
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}

extension Defaults.Schema {
  /// Returns a JSON Schema of the schema's settings, with the defaults of their declarations. See
  /// ``Defaults/jsonSchema(of:)``.
  public static func jsonSchema() -> String {
    Defaults.jsonSchema(of: Self(suite: Defaults.MemorySuite()).keys)
  }
}

/// The schema of a value, one for each form in which it can be written.
struct JSONSchema {
  typealias Members = [String: Defaults.PropertyListValue]

  /// The accepted forms. The first one is the form that is written, with the limits of the rules.
  var forms: [Members]
  /// Annotations that apply to all forms.
  var notes: Members = [:]

  /// The schema as the members of one object.
  var members: Members {
    let form = forms.count == 1 ? forms[0] : ["anyOf": .array(forms.map { .dictionary($0) })]
    return form.merging(notes) { form, _ in form }
  }

  /// The schema of a key, with its default and description.
  static func members(of key: Defaults.KeyBase) -> Members {
    let form = key.typed.form
    var schema = JSONSchema(of: form.readShape, form.limits)
    if !form.cases.isEmpty {
      schema.notes["$comment"] = nil  // The cases already obey all rules.
      schema.list(form.cases.map(\.entry), of: form.shape.stored)
    }
    var members = schema.members
    if form.storesNil {
      // Nil is an empty array, and any other value is the only element of an array.
      let value = Defaults.PropertyListValue.dictionary(members)
      members = ["anyOf": [value, ["type": "array", "maxItems": 1, "items": value]]]
    }
    members["description"] = key.about.map { .string($0) }
    if key.isSecret {
      members["writeOnly"] = true
    } else {
      members["default"] = key.typed.declaredDefault.map(\.inExport)
    }
    return members
  }

  /// Creates the schema of values with a shape, within limits.
  init(of shape: Defaults.Shape, _ limits: [Defaults.Limit]) {
    var (shape, others) = (shape, [Defaults.Shape]())
    while case .either(let written, let more) = shape {
      shape = written
      others += more
    }
    let ranges = limits.compactMap { limit in
      if case .range(let range) = limit, range.isOf(shape) { range } else { nil }
    }
    forms = Self.forms(of: shape, limits, ranges)
    let rest = limits.filter { limit in
      if case .range(let range) = limit, range.isOf(shape) { return false }
      return !add(limit, to: shape)
    }
    if !rest.isEmpty {
      notes["$comment"] = .string("a value\(rest.map { $0.words(for: shape) }.joined())")
    }
    forms += others.flatMap { Self(of: $0, []).forms }
  }

  private static func forms(
    of shape: Defaults.Shape, _ limits: [Defaults.Limit], _ ranges: [Defaults.RangeLimit]
  ) -> [Members] {
    /// The limits of each element.
    var ofElements: [Defaults.Limit] {
      limits.compactMap { if case .each(let limit) = $0 { limit } else { nil } }
    }
    func element(_ shape: Defaults.Shape) -> Defaults.PropertyListValue {
      .dictionary(Self(of: shape, ofElements).members)
    }
    switch shape {
    case .any: return [[:]]
    case .bool: return [["type": "boolean"], ["enum": [0, 1]]]
    case .bit: return [["type": "integer"], ["type": "boolean"], tagged(.integer, [:])]
    case .integer(let bounds): return integer(bounds, ranges)
    case .real: return real(ranges, isFloat: false)
    case .float: return real(ranges, isFloat: true)
    case .string(let content): return string(content)
    // Without a format: a date outside of the years 0 to 9999 is a number of seconds.
    case .date: return [tagged(.date, [:])]
    case .data: return [tagged(.data, ["contentEncoding": "base64"])]
    case .duration:
      let text: Members = ["type": "string", "pattern": .string(durationPattern)]
      return [["type": "number"], text, tagged(.integer, [:])]
    case .array(let shape): return [["type": "array", "items": element(shape)]]
    case .set(let shape):
      var members: Members = ["type": "array", "items": element(shape)]
      if shape.isDistinct { members["uniqueItems"] = true }
      return [members]
    case .dictionary(let shape):
      return [["type": "object", "additionalProperties": element(shape)]]
    case .optional(let shape):
      return [
        ["type": "array", "maxItems": 1, "items": .dictionary(Self(of: shape, []).members)]
      ]
    case .converted(let shape), .either(let shape, _): return Self(of: shape, []).forms
    }
  }

  /// A value for which JSON has no native form.
  static func tagged(_ tag: Defaults.JSONTag, _ content: Members) -> Members {
    let content = content.merging(["type": "string"]) { given, _ in given }
    return [
      "type": "object", "required": [.string(tag.rawValue)],
      "properties": [tag.rawValue: .dictionary(content)],
    ]
  }

  // MARK: - Limits

  /// Adds a limit to the written form. Returns false if JSON Schema can't express it.
  private mutating func add(_ limit: Defaults.Limit, to shape: Defaults.Shape) -> Bool {
    switch (limit, shape) {
    case (.count(let range, isOfText: false), .array), (.count(let range, isOfText: false), .set):
      add(range, "minItems", "maxItems")
    case (.count(let range, isOfText: false), .dictionary):
      add(range, "minProperties", "maxProperties")
    case (.count(let range, isOfText: true), .string(.text)):
      add(range, "minLength", "maxLength")
    case (.choices(let choices), _):
      guard shape.holds(choices) else { return false }
      return list(choices, of: shape)
    case (.pattern(let pattern), .string(.text)):
      guard let translated = PortablePattern(pattern)?.text else { return false }
      forms[0]["pattern"] = .string("^(?:\(translated))$(?!\\n)")
    case (.each, .array), (.each, .set), (.each, .dictionary): break
    default: return false
    }
    return true
  }

  private mutating func add(_ range: ClosedRange<Int>, _ lower: String, _ upper: String) {
    if range.lowerBound > 0 { forms[0][lower] = .integer(Int64(range.lowerBound)) }
    if range.upperBound < .max { forms[0][upper] = .integer(Int64(range.upperBound)) }
  }

  /// Restricts the schema to these entries, in all their forms. If the forms aren't known, adds the
  /// entries as examples and returns false.
  @discardableResult
  private mutating func list(
    _ entries: [Defaults.PropertyListValue], of shape: Defaults.Shape
  ) -> Bool {
    let all = entries.compactMap { shape.forms(of: $0) }
    guard all.count == entries.count else {
      notes["examples"] = .array(entries.map(\.inExport))
      return false
    }
    let type = forms[0]["type"]
    // Other forms of the same shape are in the list; forms of other shapes follow.
    let own = Self(of: shape, []).forms.count
    forms.replaceSubrange(0..<min(own, forms.count), with: [[:]])
    if own == 1 { forms[0]["type"] = type }
    forms[0]["enum"] = .array(all.joined().map(\.inExport))
    return true
  }
}

extension Defaults.PropertyListValue {
  /// The value as an export writes it, with escaped names.
  var inExport: Defaults.PropertyListValue {
    switch self {
    case .array(let elements): .array(elements.map(\.inExport))
    case .dictionary(let elements):
      .dictionary(
        Dictionary(
          uniqueKeysWithValues: elements.map { (Defaults.JSONTag.escape($0), $1.inExport) }))
    default: self
    }
  }
}
