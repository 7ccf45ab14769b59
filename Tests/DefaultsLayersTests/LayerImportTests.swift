import Defaults
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Imports into suites of layers")
struct LayerImportTests {
  let user = Defaults.MemorySuite()

  @Test("An import stores a value that a weaker layer has, too")
  func weakerLayer() throws {
    let suite = try Defaults.LayeredSuite(.writable(user), .values(["volume": 3]))
    let report = try suite.importEntries(from: ["volume": 3])
    #expect(user.entries == ["volume": 3] && report.added == ["volume"])
    user.removeAll()
    try suite.importEntries(from: ["volume": 7], by: .merge(.keepOurs))
    #expect(user.entries == ["volume": 7])
  }

  @Test("An import replaces the user's value while a stronger layer has the imported value")
  func strongerLayer() throws {
    let suite = try Defaults.LayeredSuite(.values(["volume": 5]), .writable(user))
    user.set(3, forKey: "volume")
    try suite.importEntries(from: ["volume": 5], by: .replace)
    #expect(user.entries == ["volume": 5])
  }

  @Test("An import into a profile stores values that equal the user's own")
  func profile() throws {
    let suite = try Defaults.LayeredSuite(.profile(), .writable(user))
    let volume = Defaults.Key("volume", default: 1, suite: suite)
    user.set(4, forKey: "volume")
    let profiles = Defaults.Profiles(of: suite)
    try profiles.create("work")
    try profiles.choose("work")
    try suite.importEntries(from: ["volume": 4])
    user.set(6, forKey: "volume")
    #expect(suite[volume] == 4)
  }

  @Test("Entries with a version can be imported into a suite whose other layers have entries")
  func version() throws {
    let suite = try Defaults.LayeredSuite(.writable(user), .values(["volume": 3]))
    let entries: [String: Defaults.PropertyListValue] = ["Defaults.version": 2, "volume": 4]
    try suite.importEntries(from: entries)
    #expect(user.entries == entries)
    user.removeAll()
    user.removeObject(forKey: "Defaults.version")
    user.set(1, forKey: "theme")
    #expect(throws: Defaults.SuiteError.self) { try suite.importEntries(from: entries) }
  }

  @Test("A preview lists the changes of the writable layer, a comparison those of values in effect")
  func preview() throws {
    let suite = try Defaults.LayeredSuite(
      .values(["strong": 5]), .writable(user), .values(["weak": 3]))
    user.set(2, forKey: "strong")
    func changes(
      _ entries: [String: Defaults.PropertyListValue], comparesValuesInEffect: Bool
    ) throws -> [String] {
      try suite.previewImport(
        from: entries, by: .merge, comparesValuesInEffect: comparesValuesInEffect
      ).map { "\($0.name): \($0.old.map(\.description) ?? "none") -> \($0.new!)" }
    }
    let own: [String: Defaults.PropertyListValue] = ["strong": 2, "weak": 3]
    #expect(try changes(own, comparesValuesInEffect: false) == ["weak: none -> 3"])
    #expect(try changes(own, comparesValuesInEffect: true) == ["strong: 5 -> 2"])
    let shown: [String: Defaults.PropertyListValue] = ["strong": 5, "weak": 3]
    let stored = ["strong: 2 -> 5", "weak: none -> 3"]
    #expect(try changes(shown, comparesValuesInEffect: false) == stored)
    #expect(try changes(shown, comparesValuesInEffect: true) == [])
  }

  @Test("A replacing import into a profile throws if settings outside of it have another version")
  func replacedProfile() throws {
    user.set(2, forKey: "Defaults.version")
    let suite = try Defaults.LayeredSuite(.profile(), .writable(user))
    let profiles = Defaults.Profiles(of: suite)
    try profiles.create("work")
    try profiles.choose("work")
    let entries: [String: Defaults.PropertyListValue] = ["Defaults.version": 1, "volume": 4]
    try suite.importEntries(from: entries, by: .replace)
    #expect(user.entry(named: "Defaults.version") == 1)
    user.set(3, forKey: "volume")
    user.set(2, forKey: "Defaults.version")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: entries, by: .replace)
    }
    #expect(error?.code == .olderVersion)
    #expect(user.entry(named: "Defaults.version") == 2)
  }

  @Test("A suite that has settings only in a profile rejects entries of a newer version")
  func versionOfProfile() throws {
    user.set(1, forKey: "Defaults.profiles.work.volume")
    let suite = try Defaults.LayeredSuite(.profile(), .writable(user))
    #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: ["Defaults.version": 2, "volume": 4])
    }
  }
}
