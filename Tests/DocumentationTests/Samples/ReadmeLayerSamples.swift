import Defaults
import DefaultsLayers
import DefaultsTesting
import Foundation
import TestSupport
import Testing

// The samples of the articles about layers.

extension Defaults.Keys {
  fileprivate static let volume = Key("volume", default: 5, .in(0...11))
}

@Suite("Samples of the articles: layers")
struct ReadmeLayerSamples {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "Sample: the program's suite is a suite of layers",
    .process(arguments: ["--volume=9", "song"], environment: ["APP_VOLUME": "7"]))
  func standardSuite() async throws {
    // In a scope instead of `Defaults.standard`, which is for the whole process.
    let user = try Defaults.PropertyListSuite(url: folder.url("user.plist"))
    let suite = try Defaults.LayeredSuite(
      .managed(at: folder.url("managed.plist")),
      .arguments,
      .environment(prefix: "APP_"),
      .writable(user),
      .site(),
      .values(["volume": 3]))
    Defaults.withSuite(suite) {
      #expect(Defaults[.volume] == 9)
      #expect(Defaults.Keys.volume.isShadowed)
      #expect(!Defaults.Keys.volume.isManaged)
      let lines = suite.inspect(.volume).map(\.description)
      #expect(lines.contains("* arguments  argument 1: 9"))
      #expect(lines.contains("  environment  APP_VOLUME: 7"))
      #expect(Defaults.Arguments.ofProcess.rest(declaring: [.volume]) == ["song"])
      Defaults[.volume] = 4
    }
    #expect(user.entries == ["volume": 4])
    try await user.flush(.snapshot)
  }

  @Test("Sample: a custom layer is one function")
  func ownLayer() throws {
    struct Registry: Defaults.LayerSource {
      func load() throws -> Defaults.LayerContent { .entries(["volume": 2]) }
    }
    let suite = try Defaults.LayeredSuite(
      .writable(Defaults.MemorySuite()), Defaults.Layer("registry", Registry()))
    #expect(suite[.volume] == 2)
  }

  @Test("Sample: a profile is a file that is switched at run time")
  func profile() throws {
    try folder.write(#"{"volume": 1}"#, to: "day.json")
    try folder.write(#"{"volume": 2}"#, to: "night.json")
    let profile = Defaults.FileSource(folder.url("day.json"))
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("profile", profile), .writable(Defaults.MemorySuite()))
    #expect(suite[.volume] == 1)
    profile.url = folder.url("night.json")
    #expect(suite[.volume] == 2)
  }
}
