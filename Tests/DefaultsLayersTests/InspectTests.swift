import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Origins of values")
struct InspectTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Inspection lists each layer's value, its location, and whether it is used")
  func layers() throws {
    let user = try Defaults.PropertyListSuite(url: folder.url("user.plist"))
    user.set(5, forKey: "volume")
    try folder.write(#"{"volume": 6}"#, to: "site.json")
    let suite = try Defaults.LayeredSuite(
      .arguments(["x", "--volume", "99"]), .environment(prefix: "APP_", ["APP_VOLUME": "7"]),
      .writable(user), .file(folder.url("site.json"), name: "site"), .values([:]),
      onIssue: { _ in })
    let key = Defaults.Key<Int>("volume", default: 3, suite: suite, .in(0...11))
    let entries = suite.inspect(key)
    #expect(
      entries.map(\.layer)
        == ["arguments", "environment", "user", "site", "values", "registered", "default"])
    #expect(
      entries.map(\.place)
        == [
          "argument 2", "APP_VOLUME", folder["user.plist"], folder["site.json"] + ", line 1", nil,
          nil, nil,
        ])
    #expect(entries.map(\.text) == ["99", "7", "5", "6", nil, nil, "3"])
    #expect(entries.map(\.entry) == [nil, 7, 5, 6, nil, nil, 3])
    #expect(entries.map(\.counts) == [false, true, false, false, false, false, false])
    #expect(entries.map(\.isWritable) == [false, false, true, false, false, false, false])
    #expect(entries[0].error?.code == .invalid)
    #expect(entries[0].error?.reason.hasSuffix("; the next layer is used") == true)
    #expect(entries[1].description == "* environment  APP_VOLUME: 7")
    try user.flush(.snapshot)
  }

  @Test("Inspection of a suite without layers lists its entry and the defaults")
  func plain() throws {
    let suite = Defaults.MemorySuite(["volume": 5])
    let key = Defaults.Key<Int>("volume", default: 3, suite: suite)
    #expect(suite.inspect(key).map(\.layer) == ["user", "registered", "default"])
    #expect(suite.inspect(key).map(\.text) == ["5", nil, "3"])
    #expect(suite.inspect(key).first?.counts == true)
    key.reset()
    #expect(suite.inspect(key).last?.counts == true)
    #expect(!key.isManaged && !key.isShadowed)
  }

  @Test("Inspection follows changes of the layers")
  func changes() throws {
    let source = Manual()
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("policy", source, isManaged: true), .writable(Defaults.MemorySuite()))
    let key = Defaults.Key<Bool>("sound", default: true, suite: suite)
    func counting() -> String? { suite.inspect(key).first(where: \.counts)?.layer }
    #expect(counting() == "default")
    suite[key] = true
    #expect(counting() == "user")
    source.set(["sound": false])
    #expect(counting() == "policy" && key.isManaged)
    source.set(["sound": "loud"])
    #expect(counting() == "user" && !key.isManaged)
  }
}
