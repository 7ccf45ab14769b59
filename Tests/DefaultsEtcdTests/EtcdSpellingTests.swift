import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite(
  "Composed and decomposed names in etcd", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdSpellingTests {
  private let prefix = Fleet.prefix()
  private let issues = IssueLog()
  private static let composed = "caf\u{e9}"
  private static let decomposed = "cafe\u{301}"

  private func suite() async throws -> Defaults.EtcdSuite {
    try await Fleet.suite(prefix, onIssue: { issues.append($0) })
  }

  private func key(_ name: String, _ suite: Defaults.EtcdSuite) -> Defaults.Key<Int> {
    Defaults.Key(name, default: 0, suite: suite)
  }

  /// The bytes of the names in the cluster, without marks, with their values.
  private func stored() throws -> [[UInt8]: String] {
    let lines = try Fleet.cluster.etcdctl("get", prefix, "--prefix").split(separator: "\n")
    var stored: [[UInt8]: String] = [:]
    for index in stride(from: 0, to: lines.count - 1, by: 2) {
      let name = lines[index].utf8.dropFirst(prefix.utf8.count)
      if !name.starts(with: "Defaults.".utf8) { stored[Array(name)] = String(lines[index + 1]) }
    }
    return stored
  }

  @Test("Sets to the composed and to the decomposed form of a name change one key in etcd")
  func oneKey() async throws {
    let suite = try await suite()
    try suite.set(1, for: key(Self.decomposed, suite))
    try suite.set(2, for: key(Self.composed, suite))
    #expect(try stored() == [Array(Self.composed.utf8): "2"])
    try suite.increment(key(Self.decomposed, suite))
    #expect(try stored() == [Array(Self.composed.utf8): "3"])
  }

  @Test(
    "A key with a decomposed name is read, and an update replaces it by a key in composed form",
    arguments: [false, true])
  func decomposedKey(isListed: Bool) async throws {
    if isListed { try Fleet.cluster.etcdctl("put", prefix + Self.decomposed, "5") }
    let suite = try await suite()
    if !isListed { try Fleet.cluster.etcdctl("put", prefix + Self.decomposed, "5") }
    await suite.awaitValue(5, of: key(Self.composed, suite))
    #expect(try suite.increment(key(Self.composed, suite)) == 6)
    #expect(try stored() == [Array(Self.composed.utf8): "6"])
    #expect(suite.names == [Self.composed])
    #expect(issues.all.isEmpty)
  }

  @Test("A key with a decomposed name is removed with its entry")
  func removal() async throws {
    try Fleet.cluster.etcdctl("put", prefix + Self.decomposed, "5")
    let suite = try await suite()
    try suite.transaction { $0.removeEntry(named: Self.composed) }
    #expect(try stored().isEmpty)
    #expect(suite.names.isEmpty)
  }

  @Test(
    "If two keys in etcd differ only in composition, the last changed one is used, with an issue")
  func twoKeys() async throws {
    try Fleet.cluster.etcdctl("put", prefix + Self.composed, "1")
    let suite = try await suite()
    let key = key(Self.composed, suite)
    try Fleet.cluster.etcdctl("put", prefix + Self.decomposed, "2")
    await suite.awaitValue(2, of: key)
    let next = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.troubledEndpoints, prefix: prefix, keys: [], timing: Fleet.timing,
      onIssue: { issues.append($0) })
    try await next.ready(within: Fleet.patience)
    #expect(next.entries == [Self.composed: 2])
    await issues.wait { $0.count >= 2 }
    #expect(issues.codes == [.ambiguousName, .ambiguousName])
    try Fleet.cluster.etcdctl("del", prefix + Self.decomposed)
    await suite.awaitValue(1, of: key)
    try Fleet.cluster.etcdctl("put", prefix + Self.decomposed, "3")
    await suite.awaitValue(3, of: key)
    #expect(try suite.increment(key) == 4)
    #expect(try stored() == [Array(Self.composed.utf8): "4"])
    await next.awaitValue(4, of: self.key(Self.composed, next))
  }
}
