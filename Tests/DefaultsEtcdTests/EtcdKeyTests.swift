import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("The keys of etcd suites", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdKeyTests {
  private let prefix = Fleet.prefix()

  struct Limits: Defaults.Schema {
    @Stored(.in(1...65_535)) var port = 80
  }

  @Test("The last valid value stays if the schema rejects the value of the cluster")
  func schema() async throws {
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.endpoints, prefix: prefix, schema: Limits.self,
      timing: Fleet.timing, onIssue: { issues.append($0) })
    try await suite.ready(within: Fleet.patience)
    // The key isn't used before the invalid value arrives.
    try Fleet.cluster.etcdctl("put", prefix + "port", "8080")
    try Fleet.cluster.etcdctl("put", prefix + "port", "99999")
    try await suite.perform { try $0.refresh() }
    #expect(Limits(suite: suite).port == 8_080)
    // Another thread may report the issue after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.invalid])
    #expect(issues.all.map(\.key) == ["port"])
  }

  @Test(
    "The value of a secret key with which an etcd suite is opened is omitted from exports",
    arguments: [[], .stableUntilRestart] as [Defaults.EtcdSuite.Options], [false, true])
  func secret(options: Defaults.EtcdSuite.Options, isOpen: Bool) async throws {
    try Fleet.cluster.etcdctl("put", prefix + "etcdToken", "\"hunter2\"")
    let first = isOpen ? try await Fleet.suite(prefix, options: options, onIssue: { _ in }) : nil
    let token = Defaults.Key("etcdToken", default: "", suite: Defaults.MemorySuite(), .secret)
    let suite = try await Fleet.suite(
      prefix, options: options, keys: [token], onIssue: { _ in })
    #expect(suite.entry(named: "etcdToken") == "hunter2")
    #expect(try !suite.exportString(as: .json).contains("hunter2"))
    withExtendedLifetime(first) {}
  }

  @Test(
    "An issue about an invalid value of a secret in etcd doesn't quote the value",
    arguments: [false, true])
  func secretIssues(hasPlainKey: Bool) async throws {
    let plain = Defaults.Key("etcdPin", default: "", suite: Defaults.MemorySuite(), .count(0...3))
    let secret = Defaults.Key(
      "etcdPin", default: "", suite: Defaults.MemorySuite(), .secret, .count(0...3))
    let issues = IssueLog()
    let suite = try await Fleet.suite(
      prefix, keys: hasPlainKey ? [plain, secret] : [secret], onIssue: { issues.append($0) })
    for text in [#"{"$data": "hunter2"}"#, #""hunter3""#] {
      try Fleet.cluster.etcdctl("put", prefix + "etcdPin", text)
      try suite.refresh()
    }
    await issues.wait { $0.count >= 2 }
    #expect(issues.codes == [.malformed, .invalid])
    for issue in issues.all { #expect(!issue.description.contains("hunter")) }
  }

  @Test("If two calls open the same etcd suite, its values are checked by the keys of both calls")
  func secondOpening() async throws {
    let issues = IssueLog()
    let first = try await Fleet.suite(prefix, onIssue: { issues.append($0) })
    try Fleet.cluster.etcdctl("put", prefix + "port", "8080")
    try await first.perform { try $0.refresh() }
    let second = try await Fleet.suite(prefix, keys: Limits(suite: Defaults.MemorySuite()).keys)
    try Fleet.cluster.etcdctl("put", prefix + "port", "99999")
    try await second.perform { try $0.refresh() }
    #expect(Limits(suite: second).port == 8_080)
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.invalid])
  }
}
