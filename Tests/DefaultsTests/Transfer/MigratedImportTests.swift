import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Imports of an older version")
struct MigratedImportTests {
  private typealias Entries = [String: Defaults.PropertyListValue]

  /// Renames tint to color, then makes the volume a percentage, which fails for text.
  static let steps = [
    Defaults.Migration(1) { draft in try draft.renameEntry("tint", to: "color") },
    Defaults.Migration(2) { draft in
      switch draft.entry(named: "volume") {
      case .real(let volume): try draft.setEntry(.integer(Int64(volume * 100)), named: "volume")
      case .integer(let volume): try draft.setEntry(.integer(volume * 100), named: "volume")
      case .string: throw NoNumber()
      default: break
      }
      draft.removeEntry(named: "cache")
    },
  ]

  struct NoNumber: Error {}

  /// A suite that was migrated to version 2.
  private func migrated(_ entries: Entries) throws -> Defaults.MemorySuite {
    let suite = Defaults.MemorySuite()
    try suite.migrate(to: 2, steps: Self.steps)
    try suite.setEntries(entries)
    return suite
  }

  @Test(
    "Imported entries of any older version are migrated and merged in one change",
    arguments: SuiteKind.allCases)
  func merged(kind: SuiteKind) throws {
    for (version, theirs) in [
      (nil, ["tint": "red", "volume": 1, "cache": 7]),
      (0, ["tint": "red", "volume": 1, "cache": 7]),
      (1, ["color": "red", "volume": 1, "cache": 7]), (2, ["color": "red", "volume": 100]),
    ] as [(Int?, Entries)] {
      let sample = try Sample(kind)
      let suite = sample.suite
      try suite.migrate(to: 2, steps: Self.steps)
      try suite.setEntries(["color": "blue", "other": true])
      var entries = theirs
      if let version { entries[Defaults.versionName] = .integer(Int64(version)) }
      let changes = Log<Defaults.Change>()
      let observation = suite.observe(nil, options: []) { changes.append($0) }
      let result = try suite.importEntries(
        from: Defaults.JSONFormat().encode(entries), as: .json)
      #expect(
        suite.entries == [
          "color": "red", "volume": 100, "other": true, Defaults.versionName: 2,
        ])
      #expect(result.added == ["volume"] && result.updated == ["color"])
      #expect(changes.all.map(\.names) == [["color", "volume"]])
      observation.invalidate()
    }
  }

  @Test("An export made before a suite's first migration can be imported later in each mode")
  func roundTrip() throws {
    let old = Defaults.MemorySuite(["tint": "red", "volume": 0.5, "cache": 1])
    let export = try old.exportData(as: .plist)
    for mode in [Defaults.ImportMode.merge, .replace, .merge(.takeTheirs)] {
      let suite = try migrated(["volume": 7])
      try suite.importEntries(from: export, as: .plist, by: mode)
      #expect(suite.entries == ["color": "red", "volume": 50, Defaults.versionName: 2])
    }
    let kept = try migrated(["volume": 7])
    try kept.importEntries(from: export, as: .plist, by: .merge(.keepOurs))
    #expect(kept.entries == ["color": "red", "volume": 7, Defaults.versionName: 2])
    let replaced = try migrated(["other": 7])
    try replaced.importEntries(from: export, as: .plist, by: .replace)
    #expect(replaced.entries == ["color": "red", "volume": 50, Defaults.versionName: 2])
  }

  @Test("An import of the suite's own export changes nothing at any version")
  func own() throws {
    let suite = try migrated(["color": "red", "volume": 50])
    let before = suite.entries
    let result = try suite.importEntries(from: suite.exportString(as: .json), as: .json)
    #expect(suite.entries == before && result.taken.isEmpty)
  }

  @Test("An import selects by current names, and its migrations see all entries")
  func selected() throws {
    let export: Entries = ["tint": "red", "volume": 0.5]
    for selection in [Defaults.Selection.names("color"), .prefix("col"), .keys(Self.color)] {
      let suite = try migrated(["volume": 7])
      let result = try suite.importEntries(selection, from: export)
      #expect(result.added == ["color"])
      #expect(suite.entries == ["color": "red", "volume": 7, Defaults.versionName: 2])
    }
    let replaced = try migrated(["volume": 7, "color": "blue"])
    try replaced.importEntries(.names("color", "volume"), from: ["tint": "red"], by: .replace)
    #expect(replaced.entries == ["color": "red", Defaults.versionName: 2])
  }

  private static let color = Defaults.Key(
    "color", default: "green", suite: Defaults.MemorySuite(), .renamed(from: "farbe"))

  @Test("An export of some names is migrated without the others")
  func partial() throws {
    let old = Defaults.MemorySuite(["tint": "red", "volume": 0.5])
    let suite = try migrated(["color": "blue", "volume": 7])
    try suite.importEntries(
      from: old.exportData(.names("volume"), as: .json), as: .json)
    #expect(suite.entries == ["color": "blue", "volume": 50, Defaults.versionName: 2])
  }

  @Test("An import closure gets the migrated value, and previous names of keys are recognized")
  func decided() throws {
    let suite = try migrated(["volume": 7])
    try suite.importEntries(
      .keys(Self.color, Defaults.Key("volume", default: 0, suite: suite)),
      from: ["farbe": "red", "volume": 0.5],
      by: .merge { name, old, new in
        #expect(name == "volume" && old == 7 && new == 50)
        return new
      })
    #expect(suite.entries == ["color": "red", "volume": 50, Defaults.versionName: 2])
  }

  @Test("An export newer than the program's version is rejected with an error")
  func newer() throws {
    for entries in [["color": "blue"], [:]] as [Entries] {
      for mode in [Defaults.ImportMode.merge, .replace] {
        let suite = try migrated(entries)
        let before = suite.entries
        let error = #expect(throws: Defaults.SuiteError.self) {
          try suite.importEntries(from: ["color": "red", Defaults.versionName: 3], by: mode)
        }
        #expect(error?.code == .newerEntries)
        #expect(
          error?.reason == """
            The entries to import have version 3, but this program knows only versions up to 2. \
            Use a newer version of the program
            """)
        #expect(suite.entries == before)
      }
    }
  }

  @Test("An import whose migration fails changes nothing", arguments: SuiteKind.allCases)
  func failing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    try sample.suite.migrate(to: 2, steps: Self.steps)
    try sample.suite.setEntries(["color": "blue"])
    let before = sample.suite.entries
    for mode in [Defaults.ImportMode.merge, .replace] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try sample.suite.importEntries(from: ["tint": "red", "volume": "loud"], by: mode)
      }
      #expect(error?.code == .migrationFailed && error?.underlying is NoNumber)
      #expect(error?.reason.hasPrefix("The step to version 2 failed") == true)
    }
    #expect(sample.suite.entries == before)
  }

  @Test("An import with an invalid version throws and changes nothing")
  func badVersion() throws {
    let suite = try migrated(["color": "blue"])
    let before = suite.entries
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: ["color": "red", Defaults.versionName: "1"])
    }
    #expect(error?.code == .undecodable && error?.key == Defaults.versionName)
    #expect(suite.entries == before)
  }

  @Test("An import also migrates a suite whose own migration failed before, in the same change")
  func olderSuite() throws {
    let suite = Defaults.MemorySuite(["tint": "blue", "volume": "loud"])
    #expect(throws: Defaults.SuiteError.self) { try suite.migrate(to: 2, steps: Self.steps) }
    let old: Entries = ["volume": 0.5]
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.importEntries(from: old) }
    #expect(error?.code == .migrationFailed)
    #expect(suite.entries == ["tint": "blue", "volume": "loud"])
    suite.set(0.25, forKey: "volume")
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil, options: []) { changes.append($0) }
    try suite.importEntries(from: ["volume": 60, Defaults.versionName: 2])
    #expect(suite.entries == ["color": "blue", "volume": 60, Defaults.versionName: 2])
    #expect(changes.count == 1)
    observation.invalidate()
  }

  @Test("An import that replaces a whole suite doesn't migrate the suite first")
  func replacedSuite() throws {
    let suite = Defaults.MemorySuite(["volume": "loud"])
    #expect(throws: Defaults.SuiteError.self) { try suite.migrate(to: 2, steps: Self.steps) }
    try suite.importEntries(from: ["volume": 0.5], by: .replace)
    #expect(suite.entries == ["volume": 50, Defaults.versionName: 2])
  }

  @Test("A suite that a newer program migrated rejects an import of an older program")
  func newerSuite() throws {
    let suite = Defaults.MemorySuite(["color": "red", Defaults.versionName: 3])
    #expect(throws: Defaults.SuiteError.self) { try suite.migrate(to: 2, steps: Self.steps) }
    for mode in [Defaults.ImportMode.merge, .replace] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(from: ["color": "blue", Defaults.versionName: 2], by: mode)
      }
      #expect(error?.code == .newerEntries)
    }
    #expect(suite.entries == ["color": "red", Defaults.versionName: 3])
  }

  @Test("All views of a file use the migrations that were given to one view")
  func views() throws {
    let folder = try TemporaryFolder()
    let one = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    let other = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    try one.migrate(to: 2, steps: Self.steps)
    try other.importEntries(from: ["tint": "red"])
    #expect(one.entries == ["color": "red", Defaults.versionName: 2])
  }

  @Test("In a suite of layers, an import migrates only the writable layer")
  func layers() throws {
    let user = Defaults.MemorySuite(["tint": "blue", "volume": 0.5])
    let policy = Defaults.Layer("policy", Policy(entries: ["volume": 11]), isManaged: true)
    let suite = try Defaults.LayeredSuite(
      policy, .values(["cache": 9], name: "site"), .writable(user))
    try suite.migrate(to: 2, steps: Self.steps)
    #expect(user.entries == ["color": "blue", "volume": 50, Defaults.versionName: 2])
    let report = try suite.importEntries(from: ["tint": "red"], by: .replace)
    #expect(user.entries == ["color": "red", Defaults.versionName: 2])
    #expect(report.updated == ["color"] && report.removed == ["volume"])
    user.set("green", forKey: "color")
    try user.importEntries(from: ["tint": "red"])
    #expect(user.string(forKey: "color") == "red")
  }

  @Test("Values of UserDefaults are imported as current and not migrated", .needsUserDefaults)
  func userDefaults() throws {
    let domain = try UserDefaultsDomain()
    let userDefaults = try domain.open()
    userDefaults.set(7, forKey: "volume")
    let suite = try migrated([:])
    try suite.importUserDefaults(.names("volume"), from: userDefaults)
    #expect(suite.integer(forKey: "volume") == 7)
    let moved = try migrated([:])
    let entries = Defaults.UserDefaultsSuite(userDefaults).entries
    try moved.importEntries(.names("volume"), from: entries)
    #expect(moved.integer(forKey: "volume") == 700)
  }
}
