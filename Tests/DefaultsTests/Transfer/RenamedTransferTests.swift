import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Imports and exports of renamed settings")
struct RenamedTransferTests {
  private let kept = Defaults.ImportReport.Reason.kept.description
  private let before = Defaults.ImportReport.Reason.importedBefore.description
  let suite: Defaults.MemorySuite
  let key: Defaults.Key<Int>

  init() {
    suite = Defaults.MemorySuite(["old": 11, "other": 1])
    key = Defaults.Key("new", default: 0, suite: suite, .renamed(from: "old", "oldest"))
  }

  @Test("An export of a suite has stored names, and an export of keys has their current names")
  func export() throws {
    func exported(
      _ selection: Defaults.Selection
    ) throws -> [String: Defaults.PropertyListValue] {
      try Defaults.JSONFormat.json.decode(suite.exportData(selection, as: .json))
    }
    #expect(try exported(.all) == ["old": 11, "other": 1])
    #expect(try exported(.names("new")) == [:])
    #expect(try exported(.prefix("ol")) == ["old": 11])
    #expect(try exported(.keys(key)) == ["new": 11])
    #expect(suite.entries == ["old": 11, "other": 1])
  }

  @Test(
    "An import of a key accepts all its names, and the latest name is used",
    arguments: [
      [("old", 5)], [("oldest", 5)], [("new", 5)], [("oldest", 3), ("old", 5)],
      [("old", 3), ("new", 5)],
    ])
  func merge(imported: [(String, Int)]) throws {
    let imported = Dictionary(uniqueKeysWithValues: imported.map { ($0.0, value(of: $0.1)) })
    let result = try suite.importEntries(.keys(key), from: imported)
    #expect(result.updated == ["new"])
    #expect(suite.entries == ["new": 5, "other": 1])
    #expect(Defaults[key] == 5)
  }

  @Test("An import without keys keeps previous names, and a renamed key reads them")
  func withoutKeys() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key("new", default: 0, suite: suite, .renamed(from: "old"))
    #expect(try suite.importEntries(from: ["old": 5]).added == ["old"])
    #expect(suite.entries == ["old": 5])
    #expect(Defaults[key] == 5)
    Defaults[key] = 6
    #expect(suite.entries == ["new": 6])
  }

  @Test("An import rule gets the current value of a renamed setting")
  func rules() throws {
    let asked = Log<String>()
    let kept = try suite.importEntries(
      .keys(key), from: ["oldest": 3],
      by: .merge { name, ours, theirs in
        asked.append("\(name) \(ours) \(theirs)")
        return ours
      })
    #expect(asked.all == ["new 11 3"])
    #expect(kept.skipped.mapValues(\.description) == ["new": self.kept])
    #expect(suite.entries == ["old": 11, "other": 1])
  }

  @Test("A replacing import leaves nothing under a key's previous names")
  func replace() throws {
    let result = try suite.importEntries(.keys(key), from: [:], by: .replace)
    #expect(result.removed == ["new"])
    #expect(suite.entries == ["other": 1])
    suite.set(4, forKey: "old")
    #expect(try suite.importEntries(.keys(key), from: ["oldest": 7], by: .replace).removed == [])
    #expect(suite.entries == ["new": 7, "other": 1])
  }

  @Test("An import uses the previous names of a key of another suite")
  func foreignKey() throws {
    let suite = Defaults.MemorySuite(["old": 11])
    try suite.importEntries(.keys(key), from: ["oldest": 5])
    #expect(suite.entries == ["new": 5])
    suite.set(6, forKey: "old")
    suite.removeObject(forKey: "new")
    #expect(try suite.exportString(.keys(key), as: .compactJSON) == #"{"new":6}"#)
  }

  @Test(
    "An import from UserDefaults reads a renamed setting under its previous name, and only once",
    .needsUserDefaults)
  func importUserDefaults() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(3, forKey: "old")
    func take(_ conflicts: Defaults.ConflictRule) throws -> Defaults.ImportReport {
      try suite.importUserDefaults(
        .keys(key), from: userDefaults, domain: domain.name, conflicts: conflicts)
    }
    #expect(try take(.keepOurs).skipped.mapValues(\.description) == ["new": kept])
    #expect(suite.integer(forKey: "old") == 11)
    suite.removeObject(forKey: Defaults.importedName)
    #expect(try take(.takeTheirs).updated == ["new"])
    #expect(suite.entry(named: "old") == nil)
    #expect(Defaults[key] == 3)
    userDefaults.set(4, forKey: "new")
    #expect(try take(.takeTheirs).skipped.mapValues(\.description) == ["new": before])
    #expect(Defaults[key] == 3)
  }

  @Test("A replacing import of an export keeps the secrets that the export leaves out")
  func replaceBesideSecrets() throws {
    let suite = Defaults.MemorySuite(["a": 1, "was": "t"], onIssue: { _ in })
    // No other test has this name, since descriptions redact a secret in every suite.
    let token = Defaults.Key(
      "RenamedTransferTests.token", default: "", suite: suite, .secret, .renamed(from: "was"))
    for selection in [Defaults.Selection.all, .keys(token)] {
      let text = try suite.exportString(selection, as: .json)
      #expect(try suite.importEntries(selection, from: text, as: .json, by: .replace).removed == [])
      #expect(suite[token] == "t")
    }
    let all = Defaults.Selection.all.includingSecrets
    #expect(try suite.importEntries(all, from: ["a": 2], by: .replace).removed == ["was"])
  }

  @Test(
    "A name imported from UserDefaults before it was renamed isn't imported again",
    .needsUserDefaults)
  func renamedSince() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(3, forKey: "was")
    let program = Defaults.MemorySuite()
    let earlier = Defaults.Key("was", default: 0, suite: program)
    try program.importUserDefaults(.keys(earlier), from: userDefaults, domain: domain.name)
    // The next version of the program has no key of that name.
    let suite = Defaults.MemorySuite(program.entries)
    let after = Defaults.Key("is", default: 0, suite: suite, .renamed(from: "was"))
    Defaults[after] = 5
    let report = try suite.importUserDefaults(
      .keys(after), from: userDefaults, domain: domain.name, conflicts: .takeTheirs)
    #expect(report.skipped.mapValues(\.description) == ["is": before])
    #expect(Defaults[after] == 5)
  }

  private func value(of number: Int) -> Defaults.PropertyListValue { .integer(Int64(number)) }
}
