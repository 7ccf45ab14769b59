import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Defaults of keys, registered defaults and resets")
struct KeyDefaultTests {
  let suite = Defaults.MemorySuite()

  @Test("An optional key without a default keeps the registered default of another key")
  func optionalKeyRegistersNothing() {
    _ = Defaults.Key("x", default: 1, suite: suite)
    let optional = Defaults.Key<Int?>("x", suite: suite)
    #expect(suite.integer(forKey: "x") == 1)
    #expect(Defaults[optional] == nil)
  }

  // MARK: isDefaultValue

  @Test("A key has its default value if unset or if an equal value is stored")
  func isDefaultValue() {
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(key.isDefaultValue)
    Defaults[key] = 2
    #expect(!key.isDefaultValue)
    Defaults[key] = 1
    #expect(key.isDefaultValue)
    #expect(suite.contains(key))
    key.reset()
    #expect(key.isDefaultValue)
    #expect(!suite.contains(key))
  }

  @Test("An entry that stores the default value in another form is equal to the default")
  func isDefaultValueInAnotherForm() {
    let key = Defaults.Key("x", default: 1, suite: suite)
    suite.set(1.0, forKey: "x")
    #expect(suite.entry(named: "x") == .real(1))
    #expect(key.isDefaultValue)
  }

  @Test("A key whose entry doesn't decode has its default value")
  func isDefaultValueOfUndecodable() {
    let suite = Defaults.MemorySuite(["x": "text"]) { _ in }
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(key.isDefaultValue)
    #expect(suite.contains(key))
  }

  @Test("A default that is registered with the suite replaces the key's own")
  func isDefaultValueWithRegisteredDefault() {
    let key = Defaults.Key("x", default: 1, suite: suite)
    suite.register(defaults: ["x": 2])
    #expect(key.isDefaultValue)
    Defaults[key] = 1
    #expect(!key.isDefaultValue)
    Defaults[key] = 2
    #expect(key.isDefaultValue)
    key.reset()
    #expect(key.isDefaultValue)
  }

  @Test("An equal value whose stored form differs is the default value")
  func isDefaultValueOfAnotherOrder() throws {
    struct Names: Codable, Equatable, Sendable { var all: [String: Set<Int>] }
    // Sets of one order of insertion and of the reverse are encoded in different orders.
    let all = (0..<100).map { Names(all: ["a": Set($0..<$0 + 50)]) }
    for value in all {
      let reversed = Names(all: ["a": Set(value.all["a", default: []].sorted().reversed())])
      let key = Defaults.Key("names", default: value, suite: suite)
      Defaults[key] = reversed
      #expect(key.isDefaultValue)
    }
  }

  @Test("Optional and dynamic keys report whether they have their default value")
  func isDefaultValueOfOthers() {
    let optional = Defaults.Key<Int?>("optional", suite: suite)
    #expect(optional.isDefaultValue)
    Defaults[optional] = 0
    #expect(!optional.isDefaultValue)
    Defaults[optional] = nil
    #expect(optional.isDefaultValue)

    let dynamic = Defaults.Key("dynamic", suite: suite) { [1, 2] }
    #expect(dynamic.isDefaultValue)
    Defaults[dynamic] = [1]
    #expect(!dynamic.isDefaultValue)
    Defaults[dynamic].append(2)
    #expect(dynamic.isDefaultValue)
  }

  // MARK: Registered defaults

  @Test("The default of a key is found by its name and isn't an entry")
  func registeredByKey() {
    _ = Defaults.Key("x", default: 1.5, suite: suite)
    _ = Defaults.Key<Int?>("optional", default: 2, suite: suite)
    _ = Defaults.Key<Int?>("nothing", suite: suite)
    _ = Defaults.Key("dynamic", suite: suite) { 3 }
    #expect(suite.double(forKey: "x") == 1.5)
    #expect(suite.object(forKey: "optional") == 2)
    #expect(suite.object(forKey: "nothing") == nil)
    #expect(suite.object(forKey: "dynamic") == nil)
    #expect(suite.names == [])
    #expect(!suite.contains("x"))
    #expect(suite.dictionaryRepresentation() == ["x": 1.5, "optional": 2])
  }

  @Test("Look-ups by name use the default of the most recently created key of that name")
  func registeredByTwoKeys() {
    let first = Defaults.Key("x", default: 1, suite: suite)
    let second = Defaults.Key("x", default: 2, suite: suite)
    #expect(suite.integer(forKey: "x") == 2)
    #expect((Defaults[first], Defaults[second]) == (1, 2))
  }

  @Test("A registered default overrides the defaults of keys and is overridden by an entry")
  func registeredDefaults() {
    let constant = Defaults.Key("x", default: 1, suite: suite)
    let dynamic = Defaults.Key("x", suite: suite) { 5 }
    let optional = Defaults.Key<Int?>("x", suite: suite)
    #expect((Defaults[constant], Defaults[dynamic], Defaults[optional]) == (1, 5, nil))
    suite.register(defaults: ["x": 2])
    #expect((Defaults[constant], Defaults[dynamic], Defaults[optional]) == (2, 2, 2))
    #expect(suite.integer(forKey: "x") == 2)
    let later = Defaults.Key("x", default: 3, suite: suite)
    #expect(Defaults[later] == 2)
    #expect(suite.integer(forKey: "x") == 2)
    #expect((constant.defaultValue, later.defaultValue) == (1, 3))
    Defaults[constant] = 4
    #expect((Defaults[constant], Defaults[dynamic], Defaults[optional]) == (4, 4, 4))
    Defaults.removeAll(suite: suite)
    #expect(Defaults[constant] == 2)
    suite.register(defaults: ["x": 6, "y": 7])
    #expect(Defaults[constant] == 6)
    #expect(suite.integer(forKey: "y") == 7)
  }

  @Test("A registered default of another type than the key's is reported as an issue")
  func undecodableRegisteredDefault() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite { issues.append($0) }
    let key = Defaults.Key("x", default: 1, suite: suite)
    suite.register(defaults: ["x": "text"])
    #expect(Defaults[key] == 1)
    #expect(issues.codes == [.undecodable])
    #expect(key.isDefaultValue)
  }

  @Test("A key whose entry doesn't decode has the registered default, and reports the entry")
  func registeredDefaultOfUndecodable() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite { issues.append($0) }
    let key = Defaults.Key("x", default: 5, suite: suite)
    let optional = Defaults.Key<Int?>("x", suite: suite)
    suite.register(defaults: ["x": 7])
    suite.set("text", forKey: "x")
    #expect(Defaults[key] == 7)
    #expect(issues.codes == [.undecodable])
    #expect(Defaults[optional] == 7)
    #expect(key.isDefaultValue)
    suite.register(defaults: ["x": "text"])
    #expect(Defaults[key] == 5)
    #expect(key.isDefaultValue)
  }

  @Test("Registering a default doesn't notify observers")
  func registeringIsSilent() {
    let key = Defaults.Key("x", default: 1, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    suite.register(defaults: ["x": 2])
    #expect(seen.all == [])
    observation.invalidate()
  }

  // MARK: Resetting

  @Test("Keys of different types and suites are reset in one call, with one change per suite")
  func resetMixed() {
    let other = Defaults.MemorySuite()
    let a = Defaults.Key("a", default: 1, suite: suite)
    let b = Defaults.Key<String?>("b", suite: suite)
    let c = Defaults.Key("c", default: [1.5], suite: other)
    let kept = Defaults.Key("kept", default: 0, suite: other)
    func setAll() {
      Defaults[a] = 2
      Defaults[b] = "x"
      Defaults[c] = []
      Defaults[kept] = 1
    }
    setAll()
    let changes = Log<Set<String>>()
    let tokens = [suite, other].map { $0.observe(nil) { changes.append($0.names) } }
    Defaults.reset(a, b, c)
    #expect(changes.all == [["a", "b"], ["c"]])
    #expect((Defaults[a], Defaults[b], Defaults[c]) == (1, nil, [1.5]))
    #expect(Defaults[kept] == 1)

    setAll()
    let keys: [Defaults.AnyKey] = [c, a, a]
    Defaults.reset(keys)
    #expect((Defaults[a], Defaults[b], Defaults[c]) == (1, "x", [1.5]))
    for token in tokens { token.invalidate() }
  }

  @Test("A reset by names removes the entries of the given suite")
  func resetNames() throws {
    try suite.transaction { draft in
      for name in ["a", "b", "c", "d"] { draft[Defaults.Key(name, default: 0, suite: suite)] = 1 }
    }
    Defaults.reset("a", "missing", suite: suite)
    #expect(suite.names == ["b", "c", "d"])
    Defaults.reset("b", suite: suite)
    #expect(suite.names == ["c", "d"])
    Defaults.reset("c", suite: suite)
    suite.removeEntry(named: "d")
    suite.removeEntry(named: "missing")
    #expect(suite.names == [])
  }

  @Test("A suite resets keys by their names, one by one or in an array")
  func resetInSuite() {
    let a = Defaults.Key("a", default: 0, suite: suite)
    let b = Defaults.Key<String?>("b", suite: suite)
    Defaults[a] = 1
    Defaults[b] = "x"
    suite.reset(a, b)
    #expect(suite.names == [])
    Defaults[a] = 1
    Defaults[b] = "x"
    suite.reset([a, b])
    #expect(suite.names == [])
    Defaults[a] = 1
    a.reset()
    (b as Defaults.AnyKey).reset()
    #expect(suite.names == [])
  }

  @Test("Resetting an unset key doesn't notify observers")
  func resetUnset() {
    let key = Defaults.Key("a", default: 0, suite: suite)
    let changes = Log<Set<String>>()
    let observation = suite.observe(nil) { changes.append($0.names) }
    Defaults.reset(key)
    Defaults.reset([])
    Defaults.removeAll(suite: suite)
    key.reset()
    #expect(changes.all == [])
    observation.invalidate()
  }

  @Test("Resetting an entry that doesn't decode removes it")
  func resetUndecodable() {
    let suite = Defaults.MemorySuite(["x": "text"]) { _ in }
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(Defaults[key] == 1)
    Defaults.reset(key)
    #expect(suite.names == [])
  }
}
