import Defaults
import DefaultsLayers
import DefaultsTesting
import Foundation
import TestSupport
import Testing

// Samples of the articles about changed keys, origins of changes, and tests.

extension Defaults.Keys {
  fileprivate static let volume = Key("volume", default: 5)
  fileprivate static let level = Key("level", default: 5, .renamed(from: "soundLevel"))
  fileprivate static let installation = Key("installation", .generatedOnce) { UUID() }
  fileprivate static let tag = Key<String?>("tag", default: "new", coding: .storingNil())
}

@Suite("Samples of the articles: changed keys, origins, tests")
struct ReadmeTestingSamples {
  let suite = Defaults.MemorySuite()

  @Test(
    "Keys read an entry under a previous name, keep a generated value, and store nil on request")
  func keys() {
    suite.set(7, forKey: "soundLevel")
    #expect(suite[.level] == 7)
    suite[.level] = 8
    #expect(suite.names == ["level"])
    #expect(suite[.installation] == suite[.installation])
    #expect(suite.contains(.installation))
    #expect(suite[.tag] == "new")
    suite[.tag] = nil
    #expect(suite[.tag] == nil)
    suite.reset(.tag)
    #expect(suite[.tag] == "new")
  }

  @Test("A change made in withOrigin has that origin", .defaults)
  func origin() {
    let origins = Log<String?>()
    let observation = Defaults.observe(.volume, options: []) {
      origins.append($0.origin)
    }
    Defaults.withOrigin("sync") { Defaults[.volume] = 1 }
    Defaults[.volume] = 2
    #expect(origins.all == ["sync", nil])
    observation.invalidate()
  }

  @Test("Sample: a test has a standard suite of its own", .defaults)
  func scope() {
    #expect(Defaults[.volume] == 5)
    Defaults[.volume] = 3
    #expect(Defaults.standard.entries == ["volume": 3])
    Defaults.withSuite(Defaults.MemorySuite(["volume": 11])) {
      #expect(Defaults[.volume] == 11)
    }
  }

  @Test(
    "In a test with the trait .process, a settings struct reads the argument of the trait",
    .process(arguments: ["--volume=9"]))
  func argument() throws {
    struct Preferences: Defaults.Schema {
      @Stored(.in(0...11)) var volume = 5
    }
    let user = Defaults.MemorySuite(["volume": 4])
    let preferences = Preferences(suite: try Defaults.LayeredSuite(.arguments, .writable(user)))
    #expect(preferences.volume == 9)
    preferences.volume = 3
    #expect(preferences.volume == 9 && user.entries == ["volume": 3])
  }

  @Test(
    "Sample: a suite is checked against each requirement", arguments: Defaults.SuiteRequirement.all)
  func requirements(requirement: Defaults.SuiteRequirement) async throws {
    try await requirement.check { Defaults.MemorySuite(onIssue: { _ in }) }
  }
}
