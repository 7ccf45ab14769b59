import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Previous names of keys")
struct PreviousNameTests {
  private func key(
    _ suite: any Defaults.Suite, _ names: [String] = ["old", "oldest"], name: String = "new"
  ) -> Defaults.Key<Int> {
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      names.isEmpty
        ? Defaults.Key(name, default: 1, suite: suite)
        : Defaults.Key(
          name, default: 1, suite: suite, .renamed(from: names[0]),
          .renamed(from: names[1 % names.count]))
    }
    return make(suite)
  }

  @Test(
    "A previous name that is another key's name is reported, in either order of declaration",
    arguments: [true, false])
  func sharedName(isRenamedFirst: Bool) {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite { issues.append($0) }
    func declareRenamed() { _ = key(suite, ["old"]) }
    if isRenamedFirst { declareRenamed() }
    _ = Defaults.Key("old", default: 1, suite: suite)
    if !isRenamedFirst { declareRenamed() }
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.all.first?.error.reason.hasPrefix("\"old\" is the name of one key") == true)
  }

  @Test(
    "Each API that reads a key finds the entry under its latest previous name, and changes nothing",
    arguments: SuiteKind.allCases)
  func everyAPI(kind: SuiteKind) throws {
    let reads: [(any Defaults.Suite, Defaults.Key<Int>) throws -> Bool] = [
      { _, key in Defaults[key] == 3 }, { suite, key in suite[key] == 3 },
      { suite, key in try suite.value(for: key) == 3 },
      { suite, key in suite.contains(key) }, { _, key in !key.isDefaultValue },
      { _, key in
        Defaults.observe(key) { _ in }.invalidate()
        return true
      },
      { _, key in
        Defaults.observe(keys: key) {}.invalidate()
        return true
      },
      { _, key in
        _ = Defaults.updates(key); return true
      },
      { _, key in
        _ = Defaults.updates(key, key); return true
      },
      { _, key in Defaults.ObservableDefault(key).wrappedValue == 3 },
    ]
    for (number, read) in reads.enumerated() {
      let sample = try Sample(kind)
      let suite = sample.suite
      let key = key(suite)
      #expect(Defaults[key] == 1)
      suite.set(2, forKey: "oldest")
      suite.set(3, forKey: "old")
      let changes = Log<Set<String>>()
      let observation = suite.observe(nil, options: []) { changes.append($0.names) }
      let again = self.key(suite)
      #expect(try read(suite, again), "read \(number)")
      #expect((suite.entry(named: "new"), suite.entry(named: "old")) == (nil, 3))
      #expect((Defaults[key], Defaults[again], suite[key]) == (3, 3, 3))
      #expect(changes.count == 0)
      observation.invalidate()
    }
  }

  @Test("Untyped access by name ignores the previous names of a key", arguments: SuiteKind.allCases)
  func untyped(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    suite.set(3, forKey: "old")
    #expect(suite.integer(forKey: "new") == 1)
    #expect(Defaults[key] == 3)
    #expect(suite.dictionaryRepresentation()["new"] == 1)
    suite.set(4, forKey: "new")
    suite.set(5, forKey: "old")
    #expect(Defaults[key] == 4)
    suite.removeEntry(named: "new")
    #expect(Defaults[key] == 5)
    suite.removeEntry(named: "old")
    #expect(Defaults[key] == 1)
  }

  @Test(
    "Setting and resetting a key remove the entries under its previous names",
    arguments: SuiteKind.allCases)
  func writing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    func names() -> Set<String> { suite.names.intersection(["new", "old", "oldest"]) }
    let settings: [() throws -> Void] = [
      { Defaults[key] = 6 }, { try suite.set(6, for: key) },
      { try Defaults.update(key) { $0 += 1 } }, { _ = try suite.increment(key) },
      { try suite.transaction { $0[key] += 1 } }, { _ = try suite.setValues((key, 6)) },
    ]
    for set in settings {
      suite.set(5, forKey: "old")
      suite.set(4, forKey: "oldest")
      try set()
      #expect(names() == ["new"])
      #expect(Defaults[key] == 6)
      suite.removeObject(forKey: "new")
    }
    let resets: [() throws -> Void] = [
      { key.reset() }, { Defaults.reset(key) }, { suite.reset(key) },
      { try suite.transaction { $0.reset(key) } },
    ]
    for reset in resets {
      suite.set(5, forKey: "old")
      suite.set(6, forKey: "new")
      try reset()
      #expect(names() == [])
      #expect(Defaults[key] == 1)
    }
    suite.set(7, forKey: "old")
    #expect(try suite.setValues((key, 8), skippingPresent: true) == [])
    #expect(Defaults[key] == 7)
  }

  @Test("Two keys with the same previous name both read its entry until one of them is set")
  func shared() {
    let suite = Defaults.MemorySuite(["volume": 9])
    let (music, effects) = (
      key(suite, ["volume"], name: "music"), key(suite, ["volume"], name: "effects")
    )
    #expect((Defaults[music], Defaults[effects]) == (9, 9))
    Defaults[effects] = 3
    #expect((Defaults[music], Defaults[effects]) == (1, 3))
    #expect(suite.entries == ["effects": 3])
  }

  @Test("A key of the new name without previous names reads the value once the renamed key is set")
  func equalKeys() {
    let suite = Defaults.MemorySuite(["old": 2])
    let plain = key(suite, [])
    let seen = Log<[Int]>()
    let observation = Defaults.observe(plain) { seen.append([$0.oldValue, $0.newValue]) }
    #expect(Defaults[plain] == 1)
    let renamed = key(suite)
    #expect((Defaults[renamed], Defaults[plain]) == (2, 1))
    Defaults[renamed] = 2
    #expect(Defaults[plain] == 2)
    #expect(seen.all == [[1, 1], [1, 2]])
    observation.invalidate()
  }

  @Test(
    "Observers and streams receive the changes of the entry that a renamed key reads",
    arguments: SuiteKind.allCases)
  func observing(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    suite.set(2, forKey: "old")
    let key = key(suite)
    let all = Log<[Int]>()
    let observation = Defaults.observe(key) { all.append([$0.oldValue, $0.newValue]) }
    suite.set(9, forKey: "old")
    Defaults[key] = 3
    key.reset()
    #expect(all.all == [[2, 2], [2, 9], [9, 3], [3, 1]])
    observation.invalidate()
    suite.set(4, forKey: "oldest")
    var stream = Defaults.updates(key, key).makeAsyncIterator()
    for value in 4...6 {
      let next = await stream.next()
      #expect(try #require(next) == (value, value))
      if value == 4 { suite.set(5, forKey: "old") } else { Defaults[key] = 6 }
    }
  }

  @Test("A renamed key of the standard suite finds the entry of the suite in scope")
  func scopes() {
    let suite = Defaults.MemorySuite(["scope.was": 5])
    Defaults.withSuite(suite) {
      let key = Defaults.Key("scope.is", default: 1, .renamed(from: "scope.was"))
      #expect(Defaults[key] == 5)
      Defaults[key] += 1
    }
    #expect(suite.entries == ["scope.is": 6])
  }

  @Test("A key whose previous name is its own name keeps the value that was set")
  func itself() {
    let suite = Defaults.MemorySuite()
    let key = key(suite, ["a"], name: "a")
    Defaults[key] = 3
    #expect(Defaults[key] == 3)
    #expect(suite.entries == ["a": 3])
  }

  @Test("An entry under a previous name takes precedence over generating an initial value")
  func initial() {
    let suite = Defaults.MemorySuite(["was": 5])
    let key = Defaults.Key("id", default: 7, suite: suite, .renamed(from: "was"), .generatedOnce)
    #expect(Defaults[key] == 5)
    #expect(suite.entries == ["was": 5])
  }

  @Test("A value under a previous name is decoded once, and again after it changed")
  func decodedOnce() {
    let suite = Defaults.MemorySuite(["old": 2])
    let key = key(suite)
    #expect(Defaults[key] == 2)
    #expect(key.cached == 2)
    suite.set(3, forKey: "old")
    #expect(key.cached == nil)
    #expect(Defaults[key] == 3)
  }

  @Test("An observer of several keys is called when the entry under a previous name changes")
  func groups() {
    let suite = Defaults.MemorySuite(["old": 2])
    let key = key(suite)
    let calls = Log<Int>()
    let observation = Defaults.observe(keys: key, options: []) { calls.append(Defaults[key]) }
    suite.set(3, forKey: "old")
    Defaults[key] = 4
    suite.set(5, forKey: "old")
    #expect(calls.all == [3, 4])
    observation.invalidate()
  }
}
