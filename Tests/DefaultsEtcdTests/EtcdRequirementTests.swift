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

  /// A part of the JSON output of `etcdctl get`.
  private struct Output: Decodable {
    struct Pair: Decodable {
      let key: Data
      let value: Data
    }

    /// nil if there are no keys.
    let kvs: [Pair]?
  }

  /// The entries of the cluster as another program reads them.
  private static func entries(
    under prefix: String
  ) throws -> [String: Defaults.PropertyListValue] {
    // JSON, since a name may have line breaks.
    let text = try Fleet.cluster.etcdctl("get", prefix, "--prefix", "-w", "json")
    var entries: [String: Defaults.PropertyListValue] = [:]
    for pair in try JSONDecoder().decode(Output.self, from: Data(text.utf8)).kvs ?? [] {
      let name = String(decoding: pair.key.dropFirst(prefix.utf8.count), as: UTF8.self)
      if name.hasPrefix("Defaults.mark/") { continue }
      var reader = Defaults.JSONReader(pair.value)
      entries[name] = try reader.wholeValue()
    }
    return entries
  }
}
