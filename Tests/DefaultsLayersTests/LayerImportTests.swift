import Defaults
import DefaultsLayers
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
}
