import Defaults
import DefaultsText
import Foundation
import FuzzInputs
import RegexBuilder
import TestSupport
import Testing

@Suite("JSON Schema")
struct JSONSchemaTests {
  /// The schema of one key as Foundation reads it.
  private func schema(of key: Defaults.AnyKey) throws -> NSDictionary {
    let data = Data(Defaults.jsonSchema(of: [key]).utf8)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(document["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    let properties = try #require(document["properties"] as? [String: NSDictionary])
    #expect(properties.count == 1)
    return try #require(properties.values.first)
  }

  private let suite = Defaults.MemorySuite()

  @Test("The JSON Schema of a setting has its type, default, description and limits")
  func members() throws {
    #expect(
      try schema(of: Defaults.Key("a", default: 5, suite: suite, .in(0...11), .about("Loud")))
        == ["type": "integer", "minimum": 0, "maximum": 11, "default": 5, "description": "Loud"])
    #expect(
      try schema(of: Defaults.Key<String?>("b", suite: suite, .count(...8), .matching("[a-z]+")))
        == ["type": "string", "maxLength": 8, "pattern": "^(?:[a-z]+)$(?!\\n)"])
    #expect(
      try schema(of: Defaults.Key("c", default: Season.spring, suite: suite))
        == [
          "type": "string", "default": "spring",
          "enum": ["spring", "summer", "autumn", "the cold, \"white\" one"],
        ])
    #expect(
      try schema(of: Defaults.Key<[String: [Int]]>("d", default: ["$a": [1]], suite: suite))
        .value(forKey: "default") as? NSDictionary == ["$$a": [1]])
    let date: NSDictionary = [
      "type": "object", "required": ["$date"],
      "properties": ["$date": ["type": "string"]],
    ]
    #expect(
      try schema(of: Defaults.Key<Date?>("e", coding: .iso8601, suite: suite))
        == ["anyOf": [["type": "string", "format": "date-time"], date]])
    #expect(
      try schema(of: Defaults.Key<Data?>("f", suite: suite)) == [
        "type": "object", "required": ["$data"],
        "properties": ["$data": ["type": "string", "contentEncoding": "base64"]],
      ])
  }

  @Test("The JSON Schema of a text allows the white space around it that is ignored")
  func outerSpace() throws {
    func allows(_ text: String, as key: Defaults.AnyKey) throws -> Bool {
      let forms = try #require(try schema(of: key)["anyOf"] as? [NSDictionary])
      return forms.contains { form in
        let pattern = form["pattern"] as? String
        return pattern.map { text.range(of: $0, options: .regularExpression) != nil } ?? false
      }
    }
    let count = Defaults.Key("a", default: 0, coding: .text, suite: suite)
    let sound = Defaults.Key("b", default: true, coding: .text, suite: suite)
    for space in ["", " ", "\t\u{85}", "\u{a0}\u{200b}\n"] {
      suite.set(space + "5" + space, forKey: "a")
      suite.set(space + "no" + space, forKey: "b")
      #expect((suite[count], suite[sound]) == (5, false))
      #expect(try allows(space + "5" + space, as: count))
      #expect(try allows(space + "No" + space, as: sound))
    }
    #expect(try !allows("5 5", as: count))
    #expect(try !allows("n o", as: sound))
  }

  @Test("A rule that JSON Schema can't express is written as a comment and rejects nothing")
  func comments() throws {
    let even = Defaults.Key("a", default: 2, suite: suite, .check("must be even") { $0 % 2 == 0 })
    #expect(try schema(of: even)["$comment"] as? String == "a value that must be even")
    let digits = Defaults.Key("b", default: "1", suite: suite, .matching(#"\d+"#))
    #expect(
      try schema(of: digits)
        == ["type": "string", "default": "1", "$comment": "a value that matches \\d+"])
    // The stored number differs from the one that the rule checks.
    let doubled = Defaults.Key(
      "c", default: 1, coding: .custom(encode: { $0 * 2 }, decode: { $0 / 2 }), suite: suite,
      .in(0...5))
    let written = try schema(of: doubled)
    #expect(written["maximum"] as? Int != 5)
    #expect(written["$comment"] as? String == "a value, 0 to 5")
  }

  @Test("Rules about the elements of a range don't limit its two bounds in the JSON Schema")
  func ranges() throws {
    let pages = Defaults.Key(
      "a", default: 1..<11, suite: suite, .count(3...), .each(.in(0...10)))
    let written = try schema(of: pages)
    #expect(
      written["$comment"] as? String
        == "a value, with at least 3 elements, each element 0 to 10")
    let free = try schema(of: Defaults.Key("a", default: 1..<11, suite: suite))
    #expect(written["items"] as? NSDictionary == free["items"] as? NSDictionary)
    #expect(Set(written.allKeys as? [String] ?? []) == ["type", "items", "default", "$comment"])
    #expect(
      pages.acceptedValues
        == "comma-separated whole numbers, with at least 3 elements, each element 0 to 10")
    let parts = Defaults.Key("b", default: [0..<2], suite: suite, .each(.count(2...)))
    #expect(parts.acceptedValues == "a JSON array, each with at least 2 elements")
    try pages.set(text: "2, 8")
    #expect((suite[pages], pages.text) == (2..<8, "2,8"))
    #expect(throws: Defaults.SuiteError.self) { try pages.set(text: "2,3") }
    #expect(throws: Defaults.SuiteError.self) { try pages.set(text: "2,12") }
  }

  @Test("Limits that no JSON number represents aren't in the JSON Schema")
  func largeLimits() throws {
    let large = try schema(
      of: Defaults.Key<Int?>("a", suite: suite, .in(10_000_000_000_000_000...)))
    // A real such as 1e17 is also a whole number.
    let forms = try #require(large["anyOf"] as? [NSDictionary])
    #expect(forms[0]["type"] as? String == "integer")
    #expect(forms[0]["minimum"] as? Double == 1e16)
    #expect(forms[1]["required"] as? [String] == ["$integer"])
    let text = Defaults.jsonSchema(of: [
      Defaults.Key<Int?>("b", suite: suite, .in(...(-10_000_000_000_000_000))),
      Defaults.Key<Double?>("c", suite: suite, .in(Double.infinity...)),
      Defaults.Key<Double?>("d", suite: suite, .in(...(-Double.infinity))),
    ])
    #expect(!text.contains("imum\": {"))
    let since = Defaults.Key<Date?>("e", coding: .timeInterval, suite: suite, .in(Self.epoch...))
    #expect(
      try schema(of: since)["$comment"] as? String == "a value, at least 1970-01-01T00:00:00Z")
  }

  private static let epoch = Date(timeIntervalSince1970: 0)

  @Test("Choices in the JSON Schema are those that an export writes")
  func choices() throws {
    let date = Self.epoch
    let day = Defaults.Key("a", default: date, coding: .iso8601, suite: suite, .choices([date]))
    let flag = Defaults.Key("b", default: true, suite: suite, .choices([true]))
    let bit = Defaults.Key("d", default: true, coding: .integer, suite: suite, .choices([true]))
    // A date has several spellings, and many integers are read as true.
    #expect(try schema(of: day)["examples"] as? [String] == ["1970-01-01T00:00:00Z"])
    #expect(try schema(of: day)["$comment"] as? String == "a value, one of 1970-01-01T00:00:00Z")
    #expect(try schema(of: flag)["enum"] as? NSArray == [true, 1])
    #expect(try schema(of: bit)["enum"] == nil)
    #expect(try schema(of: bit)["examples"] as? [Int] == [1])
    let days = Defaults.Key(
      "c", default: [date], coding: .array(of: .iso8601), suite: suite, .each(.choices([date])))
    let items = try #require(try schema(of: days)["items"] as? NSDictionary)
    #expect(items["enum"] == nil)
    let season = Defaults.Key("d", default: Season.spring, suite: suite, .choices([.spring]))
    #expect(try schema(of: season)["enum"] as? [String] == ["spring"])
    #expect(try schema(of: season)["$comment"] == nil)
  }

  @Test("The JSON Schema allows a stored nil")
  func storedNil() throws {
    let name = Defaults.Key<String?>("a", default: "Bo", coding: .storingNil(), suite: suite)
    let value: NSDictionary = ["type": "string"]
    #expect(
      try schema(of: name) == [
        "anyOf": [value, ["type": "array", "maxItems": 1, "items": value]], "default": "Bo",
      ])
  }

  @Test("A pattern is in the JSON Schema only if all dialects agree on it")
  func patterns() throws {
    func pattern(_ pattern: String) throws -> String? {
      let key = Defaults.Key<String?>("a", suite: suite, .matching(pattern))
      let whole = try schema(of: key)["pattern"] as? String
      return whole.map { String($0.dropFirst("^(?:".count).dropLast(")$(?!\\n)".count)) }
    }
    #expect(try pattern("left|right") == "left|right")
    #expect(try pattern("a{,3}b{2,}c{1,4}d{5}") == "a{0,3}b{2,}c{1,4}d{5}")
    #expect(try pattern(#"a&b~c\-d\"[a\-\.\"]"#) == #"a&b~c-d"[a\-\."]"#)
    #expect(try pattern("e\u{301}+") == nil)
    #expect(try pattern("(?i)abc") == nil)
    #expect(try pattern("a*+b") == nil)
  }

  @Test("A default that is computed or generated isn't in the JSON Schema")
  func computedDefaults() throws {
    let key = Defaults.Key("a", suite: suite, .generatedOnce) { UUID() }
    let other = Defaults.Key("b", suite: suite) { 5 }
    #expect(try schema(of: key)["default"] == nil)
    #expect(try schema(of: other)["default"] == nil)
  }

  @Test("A secret is write-only in the JSON Schema and has no default")
  func secret() throws {
    #expect(
      try schema(of: Defaults.Key("JSONSchemaTests.secret", default: "x", suite: suite, .secret))
        == ["type": "string", "writeOnly": true])
  }
}
