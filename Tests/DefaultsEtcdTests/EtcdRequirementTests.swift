import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("Requirements of etcd suites", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdRequirementTests {
  @Test("An etcd suite meets each requirement", arguments: Defaults.SuiteRequirement.all)
  func requirements(requirement: Defaults.SuiteRequirement) async throws {
    let issues = IssueLog()
    let prefix = Fleet.prefix()
    let suite = try await Fleet.suite(prefix, onIssue: { issues.append($0) })
    let stored: @Sendable () throws -> [String: Defaults.PropertyListValue] = {
      try Self.entries(under: prefix)
    }
    try await requirement.check(
      Defaults.SuiteUnderTest(suite, issues: { issues.all }, storedEntries: stored))
  }

  /// The entries of the cluster as another program reads them.
  private static func entries(
    under prefix: String
  ) throws -> [String: Defaults.PropertyListValue] {
    let lines = try Fleet.cluster.etcdctl("get", prefix, "--prefix")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var entries: [String: Defaults.PropertyListValue] = [:]
    for index in stride(from: 0, to: lines.count - 1, by: 2) {
      let name = String(lines[index].dropFirst(prefix.count))
      if name.hasPrefix("Defaults.mark/") { continue }
      var reader = Defaults.JSONReader(Data(lines[index + 1].utf8))
      entries[name] = try reader.wholeValue()
    }
    return entries
  }
}
