import Defaults
import Foundation
import TestSupport
import Testing

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var title = "x"
}

@Suite("Defaults from bundles")
struct BundleDefaultsTests {
  let folder: TemporaryFolder
  let suite = Defaults.MemorySuite()

  init() throws { folder = try TemporaryFolder() }

  @Test("`Defaults.plist` of a bundle gives defaults to keys and schemas")
  func registered() throws {
    let shipped: [String: Defaults.PropertyListValue] = ["volume": 8]
    try Defaults.PropertyListFormat.xml.encode(shipped).write(to: folder.url("Defaults.plist"))
    let preferences = Preferences(suite: suite)
    #expect(preferences.volume == 5)
    try suite.register(defaultsFrom: try #require(Bundle(path: folder.path)))
    #expect(preferences.volume == 8)
    #expect(preferences.title == "x")
    #expect(Defaults[Defaults.Key("volume", default: 0, suite: suite)] == 8)
    preferences.volume = 9
    #expect(preferences.volume == 9)
    preferences.resetAll()
    #expect(preferences.volume == 8)
  }

  @Test("A bundle's defaults may be in a file of another name, and a missing file throws")
  func named() throws {
    let shipped: [String: Defaults.PropertyListValue] = ["title": "shipped"]
    try Defaults.PropertyListFormat.binary.encode(shipped).write(to: folder.url("Factory.plist"))
    let bundle = try #require(Bundle(path: folder.path))
    try suite.register(defaultsFrom: bundle, resource: "Factory")
    #expect(Preferences(suite: suite).title == "shipped")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.register(defaultsFrom: bundle)
    }
    #expect(error?.code == .unreadable)
    #expect(error?.path == folder.path)
    #expect(error?.reason.contains("Defaults.plist") == true)
  }

  @Test("A bundle's file that isn't a property list is rejected and gives no defaults")
  func malformed() throws {
    try folder.write("no property list", to: "Defaults.plist")
    let bundle = try #require(Bundle(path: folder.path))
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.register(defaultsFrom: bundle)
    }
    #expect(error?.code == .malformed)
    #expect(Preferences(suite: suite).volume == 5)
  }
}
