import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("The user of etcd suites", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdUserTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Adds the user "app" with the password "word" and enables authentication.
  private func enableAuthentication(_ cluster: EtcdCluster) throws {
    for words in [
      "user add root:secret", "user add app:word", "role add app",
      "role grant-permission app --prefix=true readwrite \(prefix)", "user grant-role root root",
      "user grant-role app app", "auth enable",
    ] {
      try cluster.etcdctl(words.split(separator: " ").map(String.init))
    }
  }

  @Test("An etcd suite with a user reports an issue until the cluster enables authentication")
  func withoutAuthentication() async throws {
    let cluster = try await Fleet.ownCluster()
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.endpoints, prefix: prefix, keys: [],
      user: Defaults.EtcdSuite.User(name: "app", password: "word"), timing: Fleet.hastyTiming,
      onIssue: { issues.append($0) })
    try await suite.ready(within: Fleet.patience)
    let key = Defaults.Key("a", default: 0, suite: suite)
    try await suite.performPatiently { try $0.set(1, for: key) }
    #expect(try cluster.etcdctl("get", prefix + "a", "--print-value-only") == "1")
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.withoutAuthentication])
    try enableAuthentication(cluster)
    // The watch starts again.
    try await suite.performPatiently { try $0.set(2, for: key) }
    let user = ["--user", "root:secret"]
    #expect(try cluster.etcdctl(user + ["get", prefix + "a", "--print-value-only"]) == "2")
  }

  @Test(
    "A wrong password is reported as an access error, not as an unreachable cluster",
    arguments: [Defaults.EtcdSuite.Options(), .queueing])
  func wrongPassword(options: Defaults.EtcdSuite.Options) async throws {
    let cluster = try await Fleet.ownCluster()
    try enableAuthentication(cluster)
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      // The other member doesn't answer.
      endpoints: cluster.endpoints + [Fleet.deadEndpoint()], prefix: prefix, keys: [],
      cache: folder.url("cache.plist"),
      user: Defaults.EtcdSuite.User(name: "app", password: "wrong"),
      options: options, timing: Fleet.patientTiming, onIssue: { issues.append($0) })
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.denied])
    let set = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(1, for: Defaults.Key("a", default: 0, suite: suite))
    }
    #expect(set?.code == .denied)
    #expect(suite.queuedNames.isEmpty)
    let refresh = #expect(throws: Defaults.SuiteError.self) { try suite.refresh() }
    #expect(refresh?.code == .denied)
    let ready = await #expect(throws: Defaults.SuiteError.self) {
      try await suite.ready(within: .milliseconds(100))
    }
    #expect(ready?.code == .denied)
  }

  @Test(
    "The error for an invalid endpoint doesn't contain the user and the password",
    arguments: [
      "htps://root:hunter2@10.0.0.1:2379", "root:hunter2@10.0.0.1:2379",
      "root:hun://hunter2@10.0.0.1:2379", "ftp://root:a@hunter2@10.0.0.1:2379",
    ])
  func passwordInEndpoint(text: String) throws {
    let endpoint = try #require(URL(string: text))
    let error = #expect(throws: Defaults.SuiteError.self) {
      try Defaults.EtcdSuite(endpoints: [endpoint], prefix: prefix, keys: [])
    }
    let description = try #require(error).description
    #expect(description.contains("10.0.0.1:2379 isn't a client URL"))
    #expect(!description.contains("hun") && !description.contains(":root"))
  }
}
