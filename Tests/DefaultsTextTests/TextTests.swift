import Defaults
import DefaultsText
import Foundation
import FuzzInputs
import TestSupport
import Testing

@Suite("Settings as text", .tags(.slow))
struct TextTests {
  let suite = Defaults.MemorySuite()

  @Test("Reading the text of a value gives exactly that value", arguments: TextSample.all)
  func roundTrip(sample: TextSample) {
    var generator = SplitMix64(state: 14)
    // A sample: `StressTests` converts 100,000 values of each type, and 7,500 with `--short`.
    for _ in 0..<100 {
      if let failure = sample.tryOne(&generator) {
        Issue.record("\(sample): \(failure)")
        return
      }
    }
  }

  /// The text of a value, and the setting's description of accepted values.
  private func texts<Value: Defaults.Serializable>(
    _ value: Value, _ traits: Defaults.Trait<Value>...
  ) -> [String?] {
    let key =
      traits.isEmpty
      ? Defaults.Key("\(UUID())", default: value, suite: suite)
      : Defaults.Key("\(UUID())", default: value, suite: suite, traits[0])
    return [key.text, key.acceptedValues]
  }

  @Test("Each kind of value has a text and a description of accepted values")
  func words() throws {
    let date = Date(timeIntervalSince1970: 1_795_266_000)
    let url = try #require(URL(string: "https://example.com/a"))
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(texts(5) == ["5", "a whole number"])
    #expect(texts(UInt8(5)) == ["5", "a whole number, 0 to 255"])
    #expect(texts(UInt(5)) == ["5", "a whole number, at least 0"])
    #expect(texts(0.5) == ["0.5", "a number"])
    #expect(texts(true) == ["true", "true or false (yes or no, on or off, 1 or 0)"])
    #expect(texts("a, \"b\"") == ["a, \"b\"", "text"])
    #expect(texts(date) == ["2026-11-21T13:00:00Z", "a date such as 2026-11-21T13:00:00Z"])
    #expect(texts(Duration.seconds(5_400)) == ["1h 30m", "a duration such as 1h 30m"])
    #expect(
      texts(Duration.zero, .in(.zero ..< .seconds(90)))[1]
        == "a duration such as 1h 30m, at least 0s and below 1m 30s")
    #expect(texts([[1]], .each(.each(.in(0...9))))[1] == "a JSON array, each 0 to 9")
    #expect(texts(Duration.milliseconds(-250)) == ["-0.25s", "a duration such as 1h 30m"])
    #expect(texts(url) == ["https://example.com/a", "a URL such as https://example.com/"])
    #expect(texts(id) == ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "a UUID"])
    #expect(texts(Data([1, 2])) == ["AQI=", "data in base 64"])
    #expect(texts(["b", "a, c", ""]) == ["b,\"a, c\",\"\"", "comma-separated words"])
    #expect(texts([3, 1]) == ["3,1", "comma-separated whole numbers"])
    #expect(texts(Set(["b", "a"])) == ["a,b", "comma-separated words"])
    #expect(texts([String]()) == ["", "comma-separated words"])
    #expect(texts(["a": 1]) == [#"{"a":1}"#, #"JSON such as {"a":1}"#])
    #expect(texts([[1], []]) == ["[[1],[]]", "a JSON array"])
    #expect(texts(Color.red) == ["red", "one of red, green"])
    #expect(texts(Size.large) == ["3", "one of 1 (small), 3 (large)"])
    #expect(texts(Shape.round) == ["round", "one of round, square"])
    #expect(texts(Decimal(string: "1.50") ?? 0) == ["1.5", "a decimal number"])
  }

  enum Color: String, CaseIterable, Defaults.Serializable { case red, green }
  enum Size: Int, CaseIterable, Defaults.Serializable { case small = 1, large = 3 }
  enum Shape: CaseIterable, Codable, Defaults.Serializable { case round, square }

  /// A number of dots.
  private struct Dots: Defaults.Serializable, Equatable {
    var count: Int

    struct Bridge: Defaults.PropertyListBridge {
      var shape: Defaults.Shape { .integer(0...9) }

      func encode(_ value: Dots) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
        .integer(Int64(value.count))
      }

      func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Dots {
        Dots(count: try stored.decoded())
      }
    }

    static let bridge = Bridge()
  }

  @Test("A custom bridge that declares its shape has text, a description and a JSON Schema")
  func ownShape() throws {
    let dots = Defaults.Key("dots", default: Dots(count: 3), suite: suite)
    #expect((dots.text, dots.acceptedValues) == ("3", "a whole number, 0 to 9"))
    try dots.set(text: " 4 ")
    #expect(suite[dots] == Dots(count: 4))
    #expect(Defaults.jsonSchema(of: [dots]).contains("\"maximum\": 9"))
  }

  @Test("An optional has the text of its value, and no text for nil")
  func optionals() throws {
    let key = Defaults.Key<Int?>("count", suite: suite)
    let kept = Defaults.Key<String?>("kept", default: "x", coding: .storingNil(), suite: suite)
    #expect((key.text, key.defaultText, kept.defaultText) == (nil, nil, "x"))
    try key.set(text: " 7 ")
    #expect((key.text, suite[key]) == ("7", 7))
    suite[kept] = nil
    #expect(kept.text == nil)
    try kept.set(text: "")
    #expect((kept.text, suite[kept]) == ("", ""))
  }

  @Test(
    "A bool accepts other common spellings as text",
    arguments: [
      ("true", true), ("Yes", true), ("ON", true), ("1", true), (" 1 ", true), ("false", false),
      ("no", false), ("Off", false), ("0", false),
    ])
  func bools(text: String, value: Bool) throws {
    let plain = Defaults.Key("plain", default: !value, suite: suite)
    let number = Defaults.Key("number", default: !value, coding: .integer, suite: suite)
    let word = Defaults.Key(
      "word", default: !value, coding: .text(true: "yes", false: "no"), suite: suite)
    for key in [plain, number] {
      try key.set(text: text)
      #expect(suite[key] == value)
    }
    try word.set(text: text.trimmingCharacters(in: .whitespaces))
    #expect(suite[word] == value)
  }

  @Test(
    "The text of a duration may have units in any order, or plain seconds",
    arguments: [
      ("90", Duration.seconds(90)), ("1.5", .milliseconds(1_500)), ("1h30m", .seconds(5_400)),
      ("1d", .seconds(86_400)), ("250ms", .milliseconds(250)), ("1m 1s", .seconds(61)),
      ("0.5h", .seconds(1_800)), ("-2s", .seconds(-2)), ("5 min", .seconds(300)),
      ("7us", .microseconds(7)), ("7µs", .microseconds(7)), ("3ns", .nanoseconds(3)),
    ])
  func durations(text: String, value: Duration) throws {
    let key = Defaults.Key("pause", default: .zero, suite: suite) as Defaults.Key<Duration>
    try key.set(text: text)
    #expect(suite[key] == value)
  }

  @Test("An enum case is set by its raw value or name, in any letter case")
  func cases() throws {
    let size = Defaults.Key("size", default: Size.small, suite: suite)
    let color = Defaults.Key<Color?>("color", suite: suite)
    for text in ["3", "large", "LARGE"] {
      suite[size] = .small
      try size.set(text: text)
      #expect(suite[size] == .large)
    }
    try color.set(text: "Green")
    #expect((suite[color], color.choices, size.choices) == (.green, ["red", "green"], ["1", "3"]))
  }

  @Test("Only the enum cases that the rules allow are choices")
  func allowedCases() {
    let color = Defaults.Key("color", default: Color.red, suite: suite, .choices([.red]))
    #expect((color.choices, color.acceptedValues) == (["red"], "one of red"))
    #expect(throws: Defaults.SuiteError.self) { try color.set(text: "green") }
  }

  struct Days: OptionSet, CaseIterable, Defaults.Serializable {
    let rawValue: Int
    static let monday = Days(rawValue: 1)
    static let tuesday = Days(rawValue: 2)
    static let allCases = [monday, tuesday]
  }

  enum Step: CaseIterable, RawRepresentable, Defaults.Serializable {
    case number(Int)
    static let allCases = (0..<1_001).map { Step.number($0) }
    var rawValue: Int { if case .number(let number) = self { number } else { 0 } }
    init?(rawValue: Int) { self = .number(rawValue) }
  }

  struct Theme: RawRepresentable, CaseIterable, Defaults.Serializable {
    let rawValue: String
    static let allCases = [Theme(rawValue: "light"), Theme(rawValue: "dark")]
  }

  @Test("A type that isn't an enum has no choices, even if it lists some of its values")
  func openTypes() throws {
    let days = Defaults.Key("days", default: Days.monday, suite: suite)
    let step = Defaults.Key("step", default: Step.number(1), suite: suite)
    let theme = Defaults.Key("theme", default: Theme(rawValue: "light"), suite: suite)
    #expect((days.choices, step.choices, theme.choices) == (nil, nil, nil))
    #expect(!Defaults.jsonSchema(of: [days, step, theme]).contains("enum"))
    try days.set(text: "3")
    try theme.set(text: "Light")
    #expect((suite[days], suite[theme].rawValue) == ([.monday, .tuesday], "Light"))
  }

  // Comparing each element with each other takes twelve minutes on an idle machine.
  @Test("A list of 100,000 elements is read in linear time", .timeLimit(.aHang))
  func longSet() throws {
    let key = Defaults.Key("long", default: Set<Int>(), suite: suite)
    let text = (0..<100_000).map { "\($0)" }.joined(separator: ",")
    #expect(try ThreadTime.seconds { try key.set(text: text) } < 300)
    #expect(suite[key].count == 100_000)
  }

  @Test("Lists accept spaces, quotation marks and JSON")
  func lists() throws {
    let words = Defaults.Key("words", default: [String](), suite: suite)
    let numbers = Defaults.Key("numbers", default: [Int](), suite: suite)
    for (text, value) in [
      ("a, b ,c", ["a", "b", "c"]), (#""a ""b""", c"#, ["a \"b\"", "c"]),
      (#"["a","b"]"#, ["a", "b"]), ("  ", []), (#""" , x"#, ["", "x"]), ("[]", []),
    ] {
      try words.set(text: text)
      #expect(suite[words] == value, "\(text)")
    }
    let set = Defaults.Key("set", default: Set<String>(), suite: suite)
    try set.set(text: "b, a,b")
    #expect(suite[set] == ["a", "b"])
    try numbers.set(text: "1, 2,3")
    #expect(suite[numbers] == [1, 2, 3])
  }

  @Test("The error for invalid text has the expected value, the actual text and the position")
  func errors() throws {
    let volume = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    let words = Defaults.Key("words", default: ["x"], suite: suite)
    let numbers = Defaults.Key("numbers", default: [1], suite: suite, .each(.in(0...9)))
    let color = Defaults.Key("color", default: Color.red, suite: suite)
    let map = Defaults.Key("map", default: ["a": 1], suite: suite)
    func reason(_ key: Defaults.AnyKey, _ text: String) -> String? {
      do throws(Defaults.SuiteError) {
        try suite.set(text: text, for: key)
        return nil
      } catch {
        #expect((error.code, error.key) == (.invalid, key.name))
        return error.reason
      }
    }
    #expect(reason(volume, "loud") == "It must be a whole number, 0 to 11, not \"loud\"")
    #expect(
      reason(volume, "12") == "It must be a whole number, 0 to 11, not \"12\": 12 isn't in 0...11")
    #expect(reason(volume, "5.0") == "It must be a whole number, 0 to 11, not \"5.0\"")
    #expect(
      reason(numbers, "1, x, 2")
        == "It must be comma-separated whole numbers, each 0 to 9, not \"x\" at character 4")
    #expect(
      reason(numbers, "1,10")
        == "It must be comma-separated whole numbers, each 0 to 9, not \"1,10\": "
        + "[1]: 10 isn't in 0...9"
    )
    #expect(
      reason(words, "a,,b")
        == "It must be comma-separated words, not \"\" at character 3: an element is missing; "
        + "write \"\" for an empty text")
    #expect(
      reason(words, "\"a")
        == "It must be comma-separated words, not \"a\" at character 1: "
        + "a quotation mark isn't closed")
    #expect(
      reason(color, "blue") == "It must be one of red, green, not \"blue\"")
    #expect(
      reason(map, "{\"a\":}")
        == "It must be JSON such as {\"a\":1}, not \"{\"a\":}\": "
        + "line 1, column 6: a value was expected"
    )
    #expect(suite.names.isEmpty)
  }

  @Test("Unknown names come with the nearest declared name")
  func unknownNames() {
    let keys: [Defaults.AnyKey] = [
      Defaults.Key("volume", default: 5, suite: suite, .renamed(from: "loudness")),
      Defaults.Key("theme", default: "x", suite: suite),
    ]
    for name in ["volume", "loudness", "volune", "Theme", "something"] {
      suite.set(1, forKey: name)
    }
    #expect(
      suite.unknownNames(declaring: keys).map(\.description) == [
        "Theme (theme?)", "something", "volune (volume?)",
      ])
    #expect(suite.unknownNames(declaring: []).count == 5)
  }

  @Test(
    "Unknown names far longer than any declared name are rejected quickly", .timeLimit(.aHang))
  func longUnknownNames() {
    let keys: [Defaults.AnyKey] = (10..<40).map {
      Defaults.Key("someSetting\($0)", default: 5, suite: suite)
    }
    let long = String(repeating: "someSetting", count: 400)
    for number in 0..<2_000 { suite.set(1, forKey: "\(long)\(number)") }
    let seconds = ThreadTime.seconds {
      #expect(suite.unknownNames(declaring: keys).allSatisfy { $0.nearest == nil })
    }
    #expect(seconds < 300)
  }
}
