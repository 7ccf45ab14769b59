import Defaults
import Foundation
import Testing

@Suite("Import and export of renamed settings")
struct RenamedTransferTests {
  private let kept = Defaults.ImportReport.Reason.kept.description
  private let before = Defaults.ImportReport.Reason.importedBefore.description
  let suite: Defaults.MemorySuite
  let key: Defaults.Key<Int>

  init() {
    suite = Defaults.MemorySuite(["old": 11, "other": 1])
    key = Defaults.Key("new", default: 0, previousNames: ["old", "oldest"], suite: suite)
  }

  @Test("What lies under a previous name goes out under the present one")
  func export() throws {
    let entries = ["new": 11, "other": 1] as [String: Defaults.PropertyListValue]
    func exported(
      _ selection: Defaults.Selection
    ) throws -> [String: Defaults.PropertyListValue] {
      try Defaults.JSONFormat.json.decode(suite.exportData(selection, as: .json))
    }
    #expect(try exported(.all) == entries)
    #expect(try exported(.keys(key)) == ["new": 11])
    #expect(try exported(.names("old")) == ["new": 11])
    #expect(try exported(.names("new")) == ["new": 11])
    #expect(try exported(.prefix("ol")) == ["new": 11])
    #expect(suite.entries == ["old": 11, "other": 1])
  }

  @Test(
    "What comes under any name is of the setting, and the latest counts",
    arguments: [
      [("old", 5)], [("oldest", 5)], [("new", 5)], [("oldest", 3), ("old", 5)],
      [("old", 3), ("new", 5)],
    ])
  func merge(imported: [(String, Int)]) throws {
    let imported = Dictionary(uniqueKeysWithValues: imported.map { ($0.0, value(of: $0.1)) })
    let result = try suite.importEntries(.keys(key), from: imported)
    #expect(Defaults[key] == 5)
    #expect(result.updated == ["new"])
    #expect(suite.entries == ["new": 5, "other": 1])
  }

  @Test("A rule is asked about the value that the setting has")
  func rules() throws {
    let asked = Log<String>()
    let kept = try suite.importEntries(
      from: ["oldest": 3],
      by: .merge { name, ours, theirs in
        asked.append("\(name) \(ours) \(theirs)")
        return ours
      })
    #expect(asked.all == ["new 11 3"])
    #expect(kept.unchanged == ["new"])
    #expect(suite.entries == ["old": 11, "other": 1])
  }

  @Test("Replacing leaves nothing under a previous name")
  func replace() throws {
    let result = try suite.importEntries(.keys(key), from: [:], by: .replace)
    #expect(result.removed == ["new"])
    #expect(suite.entries == ["other": 1])
    suite.set(4, forKey: "old")
    #expect(try suite.importEntries(from: ["oldest": 7], by: .replace).removed == ["other"])
    #expect(suite.entries == ["new": 7])
    try suite.importEntries(from: ["a": 1, "b": 2, "c": 3])
    #expect(
      try suite.importEntries(from: ["a": 1], by: .replace).removed == ["new", "b", "c"])
    #expect(suite.entries == ["a": 1])
  }

  @Test("A key that another suite declared brings its previous names along")
  func foreignKey() throws {
    let suite = Defaults.MemorySuite(["old": 11])
    try suite.importEntries(.keys(key), from: ["oldest": 5])
    #expect(suite.entries == ["new": 5])
    suite.set(6, forKey: "old")
    suite.removeObject(forKey: "new")
    #expect(try suite.exportString(.keys(key), as: .json(.compact)) == #"{"new":6}"#)
  }

  @Test("A previous name that another key has now is that key's alone")
  func takenName() throws {
    let suite = Defaults.MemorySuite(["a": 1, "b": 2])
    let a = Defaults.Key("a", default: 0, previousNames: ["b"], suite: suite)
    let b = Defaults.Key("b", default: 0, suite: suite)
    #expect(try suite.exportString(as: .json(.compact)) == #"{"a":1,"b":2}"#)
    try suite.importEntries(.keys(a), from: ["a": 3], by: .replace)
    try suite.importEntries(from: ["a": 4, "b": 5])
    #expect((Defaults[a], Defaults[b]) == (4, 5))
    #expect(suite.entries == ["a": 4, "b": 5])
  }

  @Test("Values of UserDefaults are found under previous names, once")
  func importValues() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(3, forKey: "old")
    func take(
      _ selection: Defaults.Selection, _ conflicts: Defaults.ConflictRule
    ) throws -> Defaults.ImportReport {
      try suite.importValues(
        selection, from: userDefaults, domain: domain.name, conflicts: conflicts)
    }
    #expect(try take(.keys(key), .keepOurs).skipped.mapValues(\.description) == ["new": kept])
    #expect(suite.integer(forKey: "old") == 11)
    suite.removeObject(forKey: Defaults.importedName)
    #expect(try take(.keys(key), .takeTheirs).taken == ["new"])
    #expect(Defaults[key] == 3)
    userDefaults.set(4, forKey: "new")
    #expect(
      try take(.names("old"), .takeTheirs).skipped.mapValues(\.description) == ["new": before])
    #expect(try take(.all, .takeTheirs).skipped.mapValues(\.description) == ["new": before])
    #expect(Defaults[key] == 3)
  }

  @Test("A name that was imported before the setting was renamed isn't imported again")
  func renamedSince() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(3, forKey: "was")
    let program = Defaults.MemorySuite()
    let earlier = Defaults.Key("was", default: 0, suite: program)
    try program.importValues(.keys(earlier), from: userDefaults, domain: domain.name)
    // The next version of the program has no key of that name.
    let suite = Defaults.MemorySuite(program.entries)
    let after = Defaults.Key("is", default: 0, previousNames: ["was"], suite: suite)
    Defaults[after] = 5
    let report = try suite.importValues(
      .keys(after), from: userDefaults, domain: domain.name, conflicts: .takeTheirs)
    #expect(report.skipped.mapValues(\.description) == ["is": before])
    #expect(Defaults[after] == 5)
  }

  private func value(of number: Int) -> Defaults.PropertyListValue { .integer(Int64(number)) }
}
