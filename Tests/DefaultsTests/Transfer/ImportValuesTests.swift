import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Imports from UserDefaults", .needsUserDefaults)
struct ImportValuesTests {
  let domain: UserDefaultsDomain
  let old: UserDefaults
  let suite = Defaults.MemorySuite()

  init() throws {
    domain = try UserDefaultsDomain()
    old = try domain.open()
  }

  @Test("An import from UserDefaults sets every value with its type, and a second run sets none")
  func all() throws {
    // Without a fraction: another test's `synchronize()` writes all domains of the process, and
    // what it writes loses fractions.
    let date = Date(timeIntervalSinceReferenceDate: 1)
    old.set(true, forKey: "bool")
    old.set(1, forKey: "one")
    old.set(1.0, forKey: "real")
    old.set(["a": [1, "x"]], forKey: "nested")
    old.set(date, forKey: "date")
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil) { changes.append($0) }
    let report = try suite.importUserDefaults(from: old, domain: domain.name)
    #expect(report.taken == ["bool", "one", "real", "nested", "date"])
    #expect(report.skipped.isEmpty)
    #expect(
      suite.entries == [
        "bool": true, "one": 1, "real": 1.0, "nested": ["a": [1, "x"]], "date": .date(date),
        Defaults.importedName: [domain.name: ["bool", "date", "nested", "one", "real"]],
      ])
    #expect(changes.count == 1)
    let again = try suite.importUserDefaults(from: old, domain: domain.name)
    #expect(again.taken == [])
    #expect(Set(again.skipped.keys) == report.taken)
    #expect(changes.count == 1)
    observation.invalidate()
  }

  @Test(
    "A second import from UserDefaults sets nothing, whatever changed on either side",
    arguments: SuiteKind.allCases)
  func idempotence(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    for (name, number) in ["taken": 1, "kept": 1, "same": 1, "removed": 1] {
      old.set(number, forKey: name)
    }
    suite.set(2, forKey: "kept")
    suite.set(1, forKey: "same")
    let names = Defaults.Selection.names("taken", "kept", "same", "removed", "late")
    let first = try suite.importUserDefaults(names, from: old, domain: domain.name)
    #expect(first.taken == ["taken", "removed"])
    #expect(
      first.description == """
        kept: skipped: the current value was kept
        late: skipped: the other suite has no value
        removed: taken
        same: skipped: the value is the same
        taken: taken
        """)
    suite.set(10, forKey: "taken")
    suite.removeEntry(named: "removed")
    old.set(3, forKey: "same")
    let second = try suite.importUserDefaults(
      names, from: old, domain: domain.name, conflicts: .takeTheirs)
    #expect(second.taken == [])
    #expect(suite.integer(forKey: "taken") == 10)
    #expect(suite.integer(forKey: "same") == 1)
    #expect(!suite.contains("removed"))
    // New entries are imported, and selected ones again if requested.
    old.set(5, forKey: "late")
    #expect(try suite.importUserDefaults(names, from: old, domain: domain.name).taken == ["late"])
    suite.removeEntry(named: Defaults.importedName)
    let anew = try suite.importUserDefaults(
      names, from: old, domain: domain.name, conflicts: .takeTheirs)
    #expect(anew.taken == ["taken", "kept", "same", "removed"])
  }

  @Test("An import from UserDefaults ignores white space around a number or bool")
  func whiteSpace() throws {
    let count = Defaults.Key("count", default: 0, suite: suite)
    let level = Defaults.Key("level", default: 0.0, suite: suite)
    let flag = Defaults.Key("flag", default: false, suite: suite)
    let text = Defaults.Key("text", default: "", suite: suite)
    old.set(" 5\n", forKey: "count")
    old.set("\t0.5 ", forKey: "level")
    old.set(" yes ", forKey: "flag")
    old.set(" x ", forKey: "text")
    try suite.importUserDefaults(.keys(count, level, flag, text), from: old, domain: domain.name)
    #expect((suite[count], suite[level], suite[flag], suite[text]) == (5, 0.5, true, " x "))
  }

  @Test("An import from UserDefaults converts values to the types of keys")
  func typed() throws {
    let flag = Defaults.Key("flag", default: false, suite: suite)
    let count = Defaults.Key("count", default: 0, suite: suite)
    let level = Defaults.Key<Double?>("level", suite: suite)
    let text = Defaults.Key("text", default: "", suite: suite)
    let words = Defaults.Key("words", default: false, suite: suite)
    let none = Defaults.Key("none", default: 7, suite: suite)
    let broken = Defaults.Key("broken", default: 7, suite: suite)
    let missing = Defaults.Key("missing", default: 7, suite: suite)
    let absent = Defaults.Key("absent", default: 7, suite: suite)
    old.set(1, forKey: "flag")
    old.set(true, forKey: "count")
    old.set(false, forKey: "none")
    old.set("0.5", forKey: "level")
    old.set("1", forKey: "text")
    old.set("YES", forKey: "words")
    old.set("many", forKey: "broken")
    old.set(1, forKey: "other")
    let report = try suite.importUserDefaults(
      .keys(flag, count, none, level, text, words, broken, missing, absent), from: old,
      domain: domain.name)
    #expect(report.taken == ["flag", "count", "none", "level", "text", "words"])
    #expect(suite.entry(named: "flag") == true)
    #expect(suite.entry(named: "count") == 1)
    #expect(suite.entry(named: "none") == 0)
    #expect(suite.entry(named: "level") == 0.5)
    #expect(suite.entry(named: "text") == "1")
    #expect(suite.entry(named: "words") == true)
    #expect(!suite.contains("other"))
    guard case .unusable(let error) = report.skipped["broken"] else {
      Issue.record("\(report)")
      return
    }
    #expect((error.code, error.key) == (.undecodable, "broken"))
    #expect(report.skipped["missing"]?.description == "the other suite has no value")
    #expect(report.skipped["absent"]?.description == "the other suite has no value")
    // Once it can be read, it is imported.
    old.set(8, forKey: "broken")
    let later = try suite.importUserDefaults(.keys(broken, flag), from: old, domain: domain.name)
    #expect(later.taken == ["broken"])
  }

  @Test("A rule resolves conflicts of an import from UserDefaults")
  func conflicts() throws {
    struct Refusal: Error {}
    old.set(1, forKey: "a")
    old.set(2, forKey: "b")
    for (rule, expected) in [
      (.keepOurs, 10), (.takeTheirs, 1),
      (.resolve { _, ours, theirs in [ours, theirs] }, [10, 1]),
    ] as [(Defaults.ConflictRule, Defaults.PropertyListValue)] {
      let suite = Defaults.MemorySuite(["a": 10])
      try suite.importUserDefaults(from: old, domain: domain.name, conflicts: rule)
      #expect(suite.entry(named: "a") == expected)
      #expect(suite.entry(named: "b") == 2)
    }
    let suite = Defaults.MemorySuite(["a": 10])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importUserDefaults(
        from: old, domain: domain.name, conflicts: .resolve { _, _, _ in throw Refusal() })
    }
    #expect(error?.code == .unresolved)
    #expect(error?.underlying is Refusal)
    #expect(suite.entries == ["a": 10])
  }

  @Test("An import from UserDefaults skips values that the suite can't store")
  func refused() throws {
    let suite = try Defaults.StoredSuite(StoreOfIntegers())
    old.set("text", forKey: "text")
    old.set(1, forKey: "a")
    old.set(2, forKey: "b")
    suite.set(3, forKey: "b")
    let report = try suite.importUserDefaults(
      from: old, domain: domain.name, conflicts: .resolve { _, _, _ in .real(-0.0) })
    #expect(report.taken == ["a"])
    for name in ["text", "b"] {
      #expect(report.skipped[name]?.description == "integers only, please")
    }
    #expect(suite.integer(forKey: "b") == 3)
  }

  private struct StoreOfIntegers: Defaults.Store {
    func load() -> [String: Defaults.PropertyListValue] { [:] }
    func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}
    func validate(
      _ value: Defaults.PropertyListValue, named name: String
    ) throws(Defaults.SuiteError) {
      if case .integer = value { return }
      // The list of imported names is a dictionary.
      if name == Defaults.importedName { return }
      throw Defaults.SuiteError(.unrepresentable, "integers only, please")
    }
  }

  @Test("An import from UserDefaults without a domain skips only values that aren't stored")
  func withoutDomain() throws {
    old.set(1, forKey: "a")
    let report = try suite.importUserDefaults(.names("a", "b"), from: old)
    #expect(report.taken == ["a"])
    #expect(report.skipped["b"]?.description == "the other suite has no value")
    let prefixed = try Defaults.MemorySuite().importUserDefaults(.prefix("a"), from: old)
    #expect(prefixed.taken == ["a"])
    // Each domain is recorded separately.
    #expect(try suite.importUserDefaults(.names("a"), from: old, domain: domain.name).taken == [])
    #expect(suite.entry(named: Defaults.importedName) == ["": ["a"], domain.name: ["a"]])
  }

  @Test("An import from UserDefaults skips an empty name and the version of another suite")
  func namesThatArent() throws {
    old.set(1, forKey: "")
    old.set(3, forKey: Defaults.versionName)
    let report = try suite.importUserDefaults(from: old, domain: domain.name)
    #expect(report.taken == [])
    let reason = try #require(report.skipped[""]?.description)
    #expect(reason == "The name of a setting must not be empty. Give it a name")
    #expect(
      report.skipped[Defaults.versionName]?.description
        == "the entry describes the other suite, such as its version")
    #expect(suite.entries == [:])
    // A suite is imported together with its version.
    try suite.importEntries(.prefix("D"), from: Defaults.UserDefaultsSuite(old).entries)
    #expect(try suite.version == 3)
  }

  @Test("An import from an empty domain of UserDefaults stores nothing")
  func empty() throws {
    let report = try suite.importUserDefaults(
      from: old, domain: "DefaultsTests-\(UUID().uuidString)")
    #expect(report.taken.isEmpty)
    #expect(report.skipped.isEmpty)
    #expect(suite.entries == [:])
  }

  @Test("The record of imported names isn't exported")
  func export() throws {
    old.set(1, forKey: "a")
    try suite.importUserDefaults(from: old, domain: domain.name)
    #expect(try suite.exportString(as: .compactJSON) == #"{"a":1}"#)
    try suite.importEntries(from: ["b": 1, Defaults.importedName: 5], by: .replace)
    #expect(suite.names == ["b", Defaults.importedName])
    #expect(try suite.importUserDefaults(from: old, domain: domain.name).taken == [])
  }
}
