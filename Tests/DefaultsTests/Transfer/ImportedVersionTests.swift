import Defaults
import Foundation
import TestSupport
import Testing

/// Imports of entries of one version into a suite of another version.
@Suite("Versions of imported entries")
struct ImportedVersionTests {
  private func suite(_ version: Int?, _ value: Defaults.PropertyListValue) -> Defaults.MemorySuite {
    let suite = Defaults.MemorySuite(["x": value])
    if let version { suite.set(version, forKey: Defaults.versionName) }
    return suite
  }

  @Test("The version of a suite is exported with any selection")
  func exported() throws {
    let suite = suite(3, 1)
    #expect(try suite.exportString(as: .compactJSON) == #"{"Defaults.version":3,"x":1}"#)
    #expect(
      try suite.exportString(.names("y"), as: .compactJSON) == #"{"Defaults.version":3}"#)
  }

  @Test("An import of entries with the same version keeps the version")
  func same() throws {
    let entries = suite(3, 2).entries
    for mode in [Defaults.ImportMode.merge, .replace] {
      let suite = suite(3, 1)
      let result = try suite.importEntries(from: entries, by: mode)
      #expect(suite.entries == ["x": 2, Defaults.versionName: 3])
      #expect(result.taken == ["x"])
    }
  }

  @Test("An import of newer entries is rejected without migrations")
  func newer() throws {
    for mode in [Defaults.ImportMode.merge, .replace] {
      let suite = suite(2, 1)
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(from: self.suite(3, 2).entries, by: mode)
      }
      #expect(error?.code == .newerEntries)
      #expect(suite.entries == ["x": 1, Defaults.versionName: 2])
    }
  }

  @Test(
    "Without migrations, older entries may replace a suite and can't be merged",
    arguments: [2, nil])
  func older(theirs: Int?) throws {
    let old = suite(theirs, 2).entries
    let suite = suite(3, 1)
    for (selection, mode) in [
      (.all, .merge), (.names("x"), .replace),
    ] as [(Defaults.Selection, Defaults.ImportMode)] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(selection, from: old, by: mode)
      }
      #expect(error?.code == .olderVersion)
      let words = theirs == nil ? "hold no version" : "are of version 2"
      #expect(
        error?.reason == """
          The entries to import \(words), the suite is of version 3, and no migrations are known. \
          Import them with the program itself, after it has called migrate
          """)
      #expect(suite.entries == ["x": 1, Defaults.versionName: 3])
    }
    let result = try suite.importEntries(from: old, by: .replace)
    #expect(try suite.version == theirs ?? 0)
    #expect(suite.entry(named: "x") == 2)
    #expect(result.updated == ["x", Defaults.versionName])
  }

  @Test(
    "A replacing import that keeps a secret or a profile migrates it, or throws",
    arguments: ["token", "Defaults.profiles.work.x"])
  func keptSettings(name: String) throws {
    let (old, new) = (suite(1, 5), suite(3, 5))
    let suite = suite(2, 1)
    _ = Defaults.Key<Int?>("token", suite: suite, .secret)
    suite.set(7, forKey: name)
    for (entries, code) in [(old, Defaults.SuiteError.Code.olderVersion), (new, .newerEntries)] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(from: entries.entries, by: .replace)
      }
      #expect(error?.code == code)
      #expect(suite.entries == ["x": 1, name: 7, Defaults.versionName: 2])
    }
    // The migration throws at first.
    let isReady = Lock(false)
    let steps = [
      Defaults.Migration(3) { draft in
        guard isReady.withLock({ $0 }) else { throw CancellationError() }
        for name in draft.names where draft.entry(named: name) == 7 {
          try draft.setEntry(8, named: name)
        }
      }
    ]
    #expect(throws: Defaults.SuiteError.self) { try suite.migrate(to: 3, steps: steps) }
    isReady.withLock { $0 = true }
    try suite.importEntries(from: new.entries, by: .replace)
    #expect(suite.entries == ["x": 5, name: 8, Defaults.versionName: 3])
  }

  @Test("Errors about an imported version and about a conflict have the path of the imported file")
  func paths() throws {
    struct Refusal: Error {}
    let folder = try TemporaryFolder()
    try folder.write(#"{"Defaults.version": "x", "x": 2}"#, to: "version.json")
    try folder.write(#"{"Defaults.version": 3, "x": 2}"#, to: "conflict.json")
    for (name, code) in [
      ("version.json", .undecodable), ("conflict.json", .unresolved),
    ] as [(String, Defaults.SuiteError.Code)] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite(3, 1).importEntries(
          from: folder.url(name), as: .json, by: .merge { _, _, _ in throw Refusal() })
      }
      #expect(error?.code == code)
      #expect(error?.path == folder[name])
    }
  }

  @Test("An import into an empty suite sets the version")
  func fresh() throws {
    let empty = Defaults.MemorySuite()
    try empty.importEntries(from: suite(3, 2).entries)
    #expect(try empty.version == 3)
    let unversioned = suite(nil, 1)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try unversioned.importEntries(from: suite(3, 2).entries)
    }
    #expect(error?.code == .newerEntries)
    #expect(unversioned.entries == ["x": 1])
  }
}
