import Defaults
import Testing

/// What happens when entries of one version come into a suite of another.
@Suite("Versions of imported entries")
struct ImportedVersionTests {
  private func suite(_ version: Int?, _ value: Defaults.PropertyListValue) -> Defaults.MemorySuite {
    let suite = Defaults.MemorySuite(["x": value])
    if let version { suite.set(version, forKey: Defaults.versionName) }
    return suite
  }

  @Test("The version is exported, whatever else is selected")
  func exported() throws {
    let suite = suite(3, 1)
    #expect(try suite.exportString(as: .json(.compact)) == #"{"Defaults.version":3,"x":1}"#)
    #expect(
      try suite.exportString(.names("y"), as: .json(.compact)) == #"{"Defaults.version":3}"#)
  }

  @Test("Entries of the same version, or of none, leave it", arguments: [3, nil])
  func same(theirs: Int?) throws {
    let entries = suite(theirs, 2).entries
    for mode in [Defaults.ImportMode.merge, .replace] {
      let suite = suite(3, 1)
      let result = try suite.importEntries(from: entries, by: mode)
      #expect(suite.entries == ["x": 2, Defaults.versionName: 3])
      #expect(result.taken == ["x"])
    }
  }

  @Test("Newer ones are refused")
  func newer() throws {
    for mode in [Defaults.ImportMode.merge, .replace] {
      let suite = suite(2, 1)
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(from: self.suite(3, 2).entries, by: mode)
      }
      #expect(error?.code == .newerVersion)
      #expect(suite.entries == ["x": 1, Defaults.versionName: 2])
    }
  }

  @Test("Older ones replace the whole with their version, and can't be merged")
  func older() throws {
    let old = suite(2, 2).entries
    let suite = suite(3, 1)
    for (selection, mode) in [
      (.all, .merge), (.names("x"), .replace),
    ] as [(Defaults.Selection, Defaults.ImportMode)] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(selection, from: old, by: mode)
      }
      #expect(error?.code == .olderVersion)
      #expect(suite.entries == ["x": 1, Defaults.versionName: 3])
    }
    let result = try suite.importEntries(from: old, by: .replace)
    #expect(suite.entries == old)
    #expect(result.updated == ["x", Defaults.versionName])
  }

  @Test("A suite without settings takes the version along")
  func fresh() throws {
    let empty = Defaults.MemorySuite()
    try empty.importEntries(from: suite(3, 2).entries)
    #expect(try empty.version == 3)
    let unversioned = suite(nil, 1)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try unversioned.importEntries(from: suite(3, 2).entries)
    }
    #expect(error?.code == .olderVersion)
  }

  @Test("Older entries are migrated on their own, then merged")
  func migratedFirst() throws {
    let steps = [
      Defaults.Migration(1) { draft in try draft.renameEntry("old", to: "x") },
      Defaults.Migration(2) { draft in try draft.renameEntry("x", to: "new") },
    ]
    let present = Defaults.MemorySuite(["new": 1, "y": 1, Defaults.versionName: 2])
    let guest = Defaults.MemorySuite()
    try guest.importEntries(from: #"{"x": 2, "Defaults.version": 1}"#, as: .json)
    try guest.migrate(to: 2, steps: steps)
    try present.importEntries(from: guest.entries)
    #expect(present.entries == ["new": 2, "y": 1, Defaults.versionName: 2])
  }
}
