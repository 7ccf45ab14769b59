import Defaults
import Testing

// The rules of each trait.

extension TraitTests {
  /// The values that can be written, and the reason for which the first other one is rejected.
  private func written<Value: Defaults.Serializable & Equatable>(
    _ values: [Value], _ traits: Defaults.Trait<Value>...
  ) -> ([Value], String?) {
    // A computed default isn't checked, so it may violate the rule.
    let suite = Defaults.MemorySuite()
    let key: Defaults.Key<Value> =
      switch traits.count {
      case 1: Defaults.Key("value", suite: suite, traits[0]) { values[0] }
      default: Defaults.Key("value", suite: suite, traits[0], traits[1]) { values[0] }
      }
    var (written, reason): ([Value], String?) = ([], nil)
    for value in values {
      do {
        try suite.set(value, for: key)
        #expect(suite[key] == value)
        written.append(value)
      } catch {
        #expect(error.code == .invalid)
        reason = reason ?? String(error.reason.split(separator: ": ", maxSplits: 1)[1])
      }
    }
    return (written, reason)
  }

  @Test("A value is compared with the bounds of each kind of range")
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

  @Test("A value must satisfy every rule of its key")
  func several() {
    let even = Defaults.Trait<Int>.check("must be even") { $0.isMultiple(of: 2) }
    #expect(written([2, 3, 13, 14], .in(0...13), even) == ([2], "3 must be even"))
  }

  @Test("A rule of an optional applies to its value, and nil is allowed")
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

  @Test("A pattern must match the whole text, by Unicode scalars")
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

  @Test("The rule .count counts Unicode scalars of texts, and elements of collections")
  func counts() {
    #expect(written(["", "ab", "abc", "e\u{301}e"], .count(1...2)).0 == ["ab"])
    #expect(written([[1], [], [1, 2]], .count(1..<2)).0 == [[1]])
    #expect(written([["a": 1], [:]], .count(1...)).0 == [["a": 1]])
    #expect(written([Set([1, 2]), [1]], .count(2...2)).1 == "[1] must have exactly 2 elements")
  }

  @Test("A rule for each element reports the index of the first invalid element")
  func elements() {
    #expect(
      written([[1, 9], [1, 10, 11]], .each(.in(0...9))) == ([[1, 9]], "[1]: 10 isn't in 0...9"))
    #expect(written([["a": 1], ["b": 99]], .each(.in(0...9))).1 == "[b]: 99 isn't in 0...9")
    #expect(
      written([[["ab"]], [["a", "abc"]]], .each(.each(.count(2...)))).1
        == "[0]: [0]: \"a\" must have at least 2 characters")
  }

  @Test("A key with a closure as its rule has the type of its default, which isn't optional")
  func inferredTypes() {
    let even = Defaults.Key(
      "even", default: 2, suite: suite, .check("must be even") { $0.isMultiple(of: 2) })
    #expect(type(of: even) == Defaults.Key<Int>.self)
    let ratio = Defaults.Key(
      "ratio", default: 2.5, suite: suite, .in(0...9), .check("must be finite") { $0.isFinite })
    #expect(type(of: ratio) == Defaults.Key<Double>.self)
    let name = Defaults.Key("name", suite: suite, .check("must not be x") { $0 != "x" }) { "a" }
    #expect(type(of: name) == Defaults.Key<String>.self)
    let digits = Defaults.Key(
      "digits", default: [1, 2], suite: suite, .each(.check("must be a digit") { $0 < 10 }))
    #expect(type(of: digits) == Defaults.Key<[Int]>.self)
    struct Preferences: Defaults.Schema {
      @Stored(.check("must be 5") { $0 == 5 }) var five = 5
    }
    #expect(type(of: Preferences(suite: suite).five) == Int.self)
  }

  @Test("A rule of an optional that compares with a constant allows nil")
  func optionalsWithConstants() throws {
    let five = Defaults.Key<Int?>("five", suite: suite, .check("must be 5") { $0 == 5 })
    let other = Defaults.Key<String?>("other", suite: suite, .check("must not be a") { $0 != "a" })
    try suite.set(5, for: five)
    try suite.set(nil, for: five)
    try suite.set(nil, for: other)
    #expect(throws: Defaults.SuiteError.self) { try suite.set(6, for: five) }
    #expect(throws: Defaults.SuiteError.self) { try suite.set("a", for: other) }
  }

  @Test("A rule for each element applies to the elements of an optional dictionary")
  func optionalDictionary() {
    let key = Defaults.Key<[String: Int]?>("map", suite: suite, .each(.in(0...9)), .count(...2))
    #expect(throws: Never.self) { try suite.set(["a": 9], for: key) }
    #expect(throws: Defaults.SuiteError.self) { try suite.set(["a": 10], for: key) }
  }

  @Test("A value that isn't among the choices is rejected")
  func choices() {
    #expect(written([1, 2, 3, 4], .choices([1, 2, 4])) == ([1, 2, 4], "3 isn't one of 1, 2, 4"))
  }

  @Test("Choices of text are compared by Unicode scalars, as in a JSON Schema")
  func choicesByScalars() {
    #expect(written(["\u{e9}", "e\u{301}"], .choices(["\u{e9}"])).0 == ["\u{e9}"])
  }
}
