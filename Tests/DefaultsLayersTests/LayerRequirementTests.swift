import Defaults
import DefaultsLayers
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@Suite("Requirements of layered suites")
struct LayerRequirementTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "A suite of one, three or eight layers meets each requirement",
    arguments: Defaults.SuiteRequirement.all,
    [1, 3, 8])
  func memory(requirement: Defaults.SuiteRequirement, count: Int) async throws {
    try await requirement.check { onIssue in
      try Defaults.LayeredSuite(
        layers(count, .writable(Defaults.MemorySuite(onIssue: onIssue))), onIssue: onIssue)
    }
  }

  @Test(
    "A suite of layers on a file meets each requirement", arguments: Defaults.SuiteRequirement.all,
    [1, 3, 8])
  func file(requirement: Defaults.SuiteRequirement, count: Int) async throws {
    let issues = IssueLog()
    let base = try Defaults.PropertyListSuite(
      url: folder.url("user.plist"), onIssue: { issues.append($0) })
    let suite = try Defaults.LayeredSuite(
      layers(count, .writable(base)), onIssue: { issues.append($0) })
    try await requirement.check(
      Defaults.SuiteUnderTest(
        suite, issues: { issues.all },
        storedEntries: { [folder] in
          try folder.entries(ofSuite: "user.plist", withJournal: false)
        },
        durableEntries: { [folder] in
          try folder.entries(ofSuite: "user.plist", withJournal: true)
        }))
    try await suite.flush(.snapshot)
  }

  @Test(
    "A suite of layers on another suite of layers meets each requirement",
    arguments: Defaults.SuiteRequirement.all)
  func nested(requirement: Defaults.SuiteRequirement) async throws {
    try await requirement.check { onIssue in
      let inner = try Defaults.LayeredSuite(
        layers(3, .writable(Defaults.MemorySuite(onIssue: onIssue))), onIssue: onIssue)
      return try Defaults.LayeredSuite(layers(3, .writable(inner)), onIssue: onIssue)
    }
  }

  @Test(
    "A suite of layers with a chosen profile meets each requirement",
    arguments: Defaults.SuiteRequirement.all)
  func profile(requirement: Defaults.SuiteRequirement) async throws {
    try await requirement.check { onIssue in
      let base = Defaults.MemorySuite(["Defaults.profiles.work.other": 1], onIssue: onIssue)
      try Defaults.Profiles(of: base).choose("work")
      try Defaults.Profiles(of: base).create("home", copying: "work")
      return try Defaults.LayeredSuite(
        .values(["unused": 1]), .profile(), .writable(base), onIssue: onIssue)
    }
  }

  @Test(
    "The writable suite meets each requirement while a suite of layers uses it",
    arguments: Defaults.SuiteRequirement.all)
  func base(requirement: Defaults.SuiteRequirement) async throws {
    let issues = IssueLog()
    let base = Defaults.MemorySuite(onIssue: { issues.append($0) })
    let suite = try Defaults.LayeredSuite(layers(3, .writable(base)))
    let observation = suite.observe(nil) { _ in }
    try await requirement.check(Defaults.SuiteUnderTest(base, issues: { issues.all }))
    withExtendedLifetime(observation) {}
  }

  /// This many layers, which have no entries for the settings of a requirement.
  private func layers(_ count: Int, _ writable: Defaults.Layer) throws -> [Defaults.Layer] {
    let noise: [String: Defaults.PropertyListValue] = ["other": 1, "noise": "x"]
    switch count {
    case 1: return [writable]
    case 3:
      return [.values(["unused": 1]), writable, .values(["unused": 2])]
    default:
      try Defaults.PropertyListFormat.xml.encode(noise).write(to: folder.url("managed.plist"))
      return [
        .managed(at: folder.url("managed.plist")), .arguments(["--verbose", "file"]),
        .environment(prefix: "APP_", ["APP_OTHER": "1"]), .file(folder.url("missing.plist")),
        writable, .layer(Defaults.MemorySuite(noise)), .file(folder.url("managed.plist")),
        .values(noise),
      ]
    }
  }
}
