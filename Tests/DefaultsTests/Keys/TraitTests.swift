import Defaults
import DefaultsText
import Foundation
import RegexBuilder
import Testing

@Suite("Traits of keys")
struct TraitTests {
  let suite: Defaults.MemorySuite
  let issues = IssueLog()

  init() {
    let issues = issues
    suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
  }

  /// Which of the values can be written, and what is said of the first that can't.
  private func written<Value: Defaults.Serializable & Equatable>(
    _ values: [Value], _ traits: Defaults.Trait<Value>...
  ) -> ([Value], String?) {
    // Initial, for it may be one that isn't allowed.
    let suite = Defaults.MemorySuite()
    let key: Defaults.Key<Value> =
      switch traits.count {
      case 1: Defaults.Key("value", suite: suite, traits[0]) { values[0] }
      default: Defaults.Key("value", suite: suite, traits[0], traits[1]) { values[0] }
      }
    var (taken, complaint): ([Value], String?) = ([], nil)
    for value in values {
      do {
        try suite.set(value, for: key)
        #expect(suite[key] == value)
        taken.append(value)
      } catch {
        #expect(error.code == .invalid)
        complaint = complaint ?? String(error.reason.split(separator: ": ", maxSplits: 1)[1])
      }
    }
    return (taken, complaint)
  }

  // MARK: Rules

  @Test("Ranges of every kind hold at their bounds")
  func ranges() {
    let values = [-1, 0, 1, 10, 11, 12]
    #expect(written(values, .in(0...11)) == ([0, 1, 10, 11], "-1 isn't in 0...11"))
    #expect(written(values, .in(0..<11)) == ([0, 1, 10], "-1 isn't in 0..<11"))
    #expect(written(values, .in(1...)) == ([1, 10, 11, 12], "-1 isn't in 1..."))
    #expect(written(values, .in(...0)) == ([-1, 0], "1 isn't in ...0"))
    #expect(written(values, .in(..<0)) == ([-1], "0 isn't in ..<0"))
    #expect(written([0.5, 1.5, .nan], .in(0...1)) == ([0.5], "1.5 isn't in 0.0...1.0"))
    #expect(written(["a", "c"], .in("a"..."b")) == (["a"], "\"c\" isn't in \"a\"...\"b\""))
    #expect(
      written([Duration.seconds(1), .seconds(9)], .in(.zero ... .seconds(5))).0 == [.seconds(1)])
  }

  @Test("Every rule of several is asked")
  func several() {
    let even = Defaults.Trait<Int>.check("must be even") { $0.isMultiple(of: 2) }
    #expect(written([2, 3, 13, 14], .in(0...13), even) == ([2], "3 must be even"))
  }

  @Test("Of an optional a rule is about its value, and nil is allowed")
  func optionals() {
    let port = Defaults.Key<Int?>("port", suite: suite, .in(1...65535))
    let user = Defaults.Key<String?>("user", suite: suite, .matching("[a-z]+"), .count(1...3))
    let even = Defaults.Key<Int?>(
      "even", default: 2, suite: suite, .check("must be even") { $0.isMultiple(of: 2) })
    let few = Defaults.Key<[Int]?>("few", suite: suite, .count(...2), .each(.in(0...9)))
    let side = Defaults.Key<String?>("side", suite: suite, .choices(["left", "right"]))
    for key in [port, even] {
      suite[key] = nil
      suite[key] = 4
    }
    #expect((suite[port], suite[even]) == (4, 4))
    suite[port] = 0
    suite[even] = 3
    suite[user] = "abcd"
    suite[few] = [1, 2, 3]
    suite[few] = [10]
    suite[side] = "up"
    #expect((suite[port], suite[even], suite[user], suite[few]) == (4, 4, nil, nil))
    #expect(
      issues.all.map { $0.error.reason.split(separator: ": ", maxSplits: 1)[1] } == [
        "0 isn't in 1...65535", "3 must be even", "\"abcd\" must have 1 to 3 characters",
        "[1, 2, 3] must have at most 2 elements", "[0]: 10 isn't in 0...9",
        "\"up\" isn't one of \"left\", \"right\"",
      ])
  }

  @Test("A pattern is of the whole text, by Unicode scalars")
  func patterns() {
    #expect(written(["abc", "ab1", "", "abc\n"], .matching("[a-z]+")).0 == ["abc"])
    #expect(written(["ab1"], .matching("[a-z]+")).1 == "\"ab1\" doesn't match [a-z]+")
    #expect(written(["e", "e\u{301}"], .matching(".")).0 == ["e"])
    let percentage = #"(?<digits>\d+)%"#
    #expect(
      written(["5%", "5"], .matching(percentage)) == (
        ["5%"], "\"5\" doesn't match \(percentage)"
      ))
  }

  @Test("Counts are of scalars in text, and of elements elsewhere")
  func counts() {
    #expect(written(["", "ab", "abc", "e\u{301}e"], .count(1...2)).0 == ["ab"])
    #expect(written([[1], [], [1, 2]], .count(1..<2)).0 == [[1]])
    #expect(written([["a": 1], [:]], .count(1...)).0 == [["a": 1]])
    #expect(written([Set([1, 2]), [1]], .count(2...2)).1 == "[1] must have exactly 2 elements")
  }

  @Test("Each element is asked, and the first wrong one is named")
  func elements() {
    #expect(
      written([[1, 9], [1, 10, 11]], .each(.in(0...9))) == ([[1, 9]], "[1]: 10 isn't in 0...9"))
    #expect(written([["a": 1], ["b": 99]], .each(.in(0...9))).1 == "[b]: 99 isn't in 0...9")
    #expect(
      written([[["ab"]], [["a", "abc"]]], .each(.each(.count(2...)))).1
        == "[0]: [0]: \"a\" must have at least 2 characters")
  }

  @Test("Elements of an optional dictionary are asked")
  func optionalDictionary() {
    let key = Defaults.Key<[String: Int]?>("map", suite: suite, .each(.in(0...9)), .count(...2))
    #expect(throws: Never.self) { try suite.set(["a": 9], for: key) }
    #expect(throws: Defaults.SuiteError.self) { try suite.set(["a": 10], for: key) }
  }

  @Test("Choices are the only values")
  func choices() {
    #expect(written([1, 2, 3, 4], .choices([1, 2, 4])) == ([1, 2, 4], "3 isn't one of 1, 2, 4"))
  }

  // MARK: Writing and reading

  @Test("A value that isn't allowed is written by no setter, in no transaction, and by no import")
  func writing() throws {
    let volume = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    suite[volume] = 7
    func expectInvalid(_ body: () throws -> Void) {
      #expect { try body() } throws: { ($0 as? Defaults.SuiteError)?.code == .invalid }
      #expect(suite.entry(named: "volume") == 7)
    }
    expectInvalid { try suite.set(12, for: volume) }
    expectInvalid { try suite.update(volume) { $0 = 12 } }
    expectInvalid { try suite.increment(volume, by: 9) }
    expectInvalid { try suite.transaction { draft in try draft.set(12, for: volume) } }
    expectInvalid { try suite.setValues((volume, 12)) }
    expectInvalid { try suite.set(text: "12", for: volume) }
    expectInvalid { try suite.importEntries(from: ["volume": 12, "other": 1]) }
    expectInvalid { try suite.importEntries(.keys(volume), from: ["volume": 12]) }
    expectInvalid {
      // Declared elsewhere, and named.
      let elsewhere = Defaults.Key("volume", default: 5, suite: Defaults.MemorySuite(), .in(0...11))
      try Defaults.MemorySuite().importEntries(.keys(elsewhere), from: ["volume": 12])
    }
    #expect(suite.names == ["volume"])
    #expect(issues.all.isEmpty)
    suite[volume] = 12
    try suite.transaction { $0[volume] = 13 }
    Defaults[volume] = 14
    #expect((suite[volume], issues.codes) == (7, [.invalid, .invalid, .invalid]))
    #expect(
      issues.all[0].error.reason
        == "The value isn't allowed; the previous value was kept: 12 isn't in 0...11"
    )
  }

  @Test("An import of values skips what isn't allowed, and says why")
  func importedValues() throws {
    let domain = try UserDefaultsDomain()
    let foundation = try domain.open()
    foundation.set(99, forKey: "volume")
    foundation.set(3, forKey: "balance")
    let volume = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    let balance = Defaults.Key("balance", default: 0, suite: suite, .in(0...11))
    let report = try suite.importUserDefaults(
      .keys(volume, balance), from: foundation, domain: domain.name)
    #expect((report.added, suite.entry(named: "volume")) == (["balance"], nil))
    #expect(report.description.contains("99 isn't in 0...11"))
  }

  @Test(
    "A stored value that isn't allowed stays, and reads as the default",
    arguments: SuiteKind.allCases)
  func stored(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let volume = Defaults.Key("volume", default: 5, suite: sample.suite, .in(0...11))
    let log = Log<String>()
    let observation = Defaults.observe(volume) { change in
      log.append("\(change.newValue) \(change.error?.code.rawValue ?? "-")")
    }
    sample.suite.set(8, forKey: "volume")
    sample.suite.set(99, forKey: "volume")
    #expect((sample.suite[volume], sample.suite[volume]) == (5, 5))
    #expect(throws: Defaults.SuiteError.self) { try sample.suite.value(for: volume) }
    #expect(sample.suite.entry(named: "volume") == 99)
    #expect(volume.isDefaultValue)
    #expect(sample.issues.codes == [.invalid])
    #expect(
      sample.issues.all[0].error.reason
        == "The stored value isn't allowed, so the default is used: 99 isn't in 0...11")
    sample.suite[volume] = 9
    #expect(sample.suite[volume] == 9)
    #expect(log.all == ["5 -", "8 -", "5 invalid", "9 -"])
    observation.invalidate()
  }

  @Test("A registered default that isn't allowed gives way to the key's own")
  func registered() {
    let volume = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    suite.register(defaults: ["volume": 50])
    #expect((suite[volume], issues.codes) == (5, [.invalid]))
  }

  // MARK: Declaring

  @Test("A default that breaks its own rule traps with a sentence")
  func ownDefault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key("volume", default: 12, suite: Defaults.MemorySuite(), .in(0...11))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the default of \"volume\" violates a rule of its key: 12 isn't in"))
  }

  @Test("Two declarations of a name that disagree in type or rule are an issue")
  func disagreement() {
    _ = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    _ = Defaults.Key("volume", default: 6, suite: suite, .in(0...11), .about("Loudness"))
    _ = Defaults.Key<Int?>("volume", suite: suite, .in(0...11))
    _ = Defaults.Key<Defaults.PropertyListValue?>("volume", suite: suite)
    _ = Defaults.Key("volume", default: 5, suite: Defaults.MemorySuite())
    #expect(issues.all.isEmpty)
    _ = Defaults.Key("n", default: 5, suite: suite)
    _ = Defaults.Key("n", default: "5", suite: suite)
    _ = Defaults.Key("m", default: 5, suite: suite, .in(0...11))
    _ = Defaults.Key("m", default: 5, suite: suite, .in(0...12))
    _ = Defaults.Key("o", default: 5, suite: suite, .check("must be odd") { $0 % 2 == 1 })
    _ = Defaults.Key("o", default: 5, suite: suite)
    #expect(
      issues.codes == [
        .conflictingDeclarations, .conflictingDeclarations, .conflictingDeclarations,
      ])
    let reasons = issues.all.map(\.error.reason)
    #expect(reasons[0].hasPrefix("Two keys have this name, of type Int and of type String"))
    #expect(reasons[1].hasPrefix("Two keys have this name, with different rules"))
  }

  @Test("The order of rules is no difference, and a key of anything takes no rules away")
  func sameRules() throws {
    let even = Defaults.Trait<Int>.check("must be even") { $0.isMultiple(of: 2) }
    _ = Defaults.Key("volume", default: 4, suite: suite, .in(0...11), even)
    _ = Defaults.Key("volume", default: 4, suite: suite, even, .in(0...11))
    _ = Defaults.Key<Defaults.PropertyListValue?>("volume", suite: suite)
    #expect(issues.all.isEmpty)
    #expect(throws: Defaults.SuiteError.self) { try suite.importEntries(from: ["volume": 12]) }
    _ = Defaults.Key<String?>("volume", suite: suite)
    #expect(issues.codes == [.conflictingDeclarations])
  }

  @Test("An import checks what lies under a previous name by the rules of its key")
  func previousNames() {
    let volume = Defaults.Key(
      "volume", default: 5, suite: suite, .in(0...11), .renamed(from: "loudness"))
    #expect(throws: Defaults.SuiteError.self) { try suite.importEntries(from: ["loudness": 12]) }
    #expect(throws: Never.self) { try suite.importEntries(from: ["loudness": 11]) }
    #expect((suite[volume], suite.names) == (11, ["loudness"]))
  }

  @Test("Choices are told in the form that the key stores, also of types without one of their own")
  func storedChoices() throws {
    let date = Date(timeIntervalSince1970: 0)
    let day = Defaults.Key(
      "day", default: date, coding: .iso8601, suite: suite, .choices([date]))
    let flag = Defaults.Key("flag", default: true, coding: .integer, suite: suite, .choices([true]))
    let pair = Defaults.Key(
      "pair", default: Preferences.Pair(one: 1), coding: .json, suite: suite,
      .choices([Preferences.Pair(one: 1)]))
    #expect(day.choices == ["1970-01-01T00:00:00Z"])
    #expect(flag.choices == ["true"])
    #expect(pair.choices == [#"{"one":1}"#])
    for key in [day, flag, pair] as [Defaults.AnyKey] {
      try key.set(text: try #require(key.choices?.first))
    }
    #expect {
      try suite.set(Preferences.Pair(one: 2), for: pair)
    } throws: {
      "\($0)".hasSuffix(": Pair(one: 2) must be one of Pair(one: 1)")
    }
  }

  @Test("Choices of text are compared by Unicode scalars, as a schema does")
  func choicesByScalars() {
    #expect(written(["\u{e9}", "e\u{301}"], .choices(["\u{e9}"])).0 == ["\u{e9}"])
  }

  struct Preferences: Defaults.Schema {
    @Stored(.in(0...11), .about("Loudness, 0 to 11")) var volume = 5
    @Stored(name: "colour", .choices(["red", "blue"])) var color = "red"
    @Stored(name: "TraitTests.token", .secret) var token: String?
    @Stored(coding: .json, .about("Where the window is")) var frame = [0, 0]
    @Stored(.computed, .in(1...)) var step = 1
    @Stored(.in(7...7), .generatedOnce) var seed = 7
    @Stored(.about("A codable one")) var pair = Pair(one: 1)
    let editor = Editor()

    struct Pair: Codable, Equatable { var one: Int }
    struct Editor: Defaults.Schema {
      @Stored(.in(1...8), .about("Columns of a tab")) var tabWidth = 4
    }
  }

  @Test("A schema lists its settings with all that is declared of them, groups included")
  func schema() throws {
    let preferences = Preferences(suite: suite)
    let rows = preferences.storedProperties.map { property in
      [
        property.name, property.about, property.key.choices?.joined(separator: "|"),
        property.key.range?.description, property.key.text, property.isSecret ? "secret" : nil,
      ].map { $0 ?? "-" }.joined(separator: "; ")
    }
    #expect(
      rows == [
        "volume; Loudness, 0 to 11; -; 0...11; 5; -", "colour; -; red|blue; -; red; -",
        "TraitTests.token; -; -; -; -; secret", "frame; Where the window is; -; -; [0,0]; -",
        "step; -; -; 1...; 1; -", "seed; -; -; 7...7; 7; -",
        "pair; A codable one; -; -; {\"one\":1}; -",
        "editor.tabWidth; Columns of a tab; -; 1...8; 4; -",
      ])
    try preferences.storedProperties[7].key.set(text: "8")
    #expect(preferences.editor.tabWidth == 8)
    preferences.volume = 12
    #expect((preferences.volume, issues.codes) == (5, [.invalid]))
  }
}
