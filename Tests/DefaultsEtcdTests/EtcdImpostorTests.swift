import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite(
  "etcd suites whose endpoint isn't etcd", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdImpostorTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "A response that isn't from etcd changes nothing",
    arguments: [
      CannedServer.json("{}"), CannedServer.json("{\"kvs\":[]}"), CannedServer.json("[]"),
      CannedServer.json("{\"header\":{}}"), CannedServer.json("<html>", status: "404 Not Found"),
      CannedServer.json("<html>"), CannedServer.json("", status: "302 Found"), Data("junk".utf8),
      Data(),
    ])
  func impostors(answer: Data) async throws {
    do {
      let suite = try await Fleet.suite(prefix, cache: cache)
      try suite.set(1, for: Defaults.Key("a", default: 0, suite: suite))
      try await suite.flush()
    }
    let server = try CannedServer { _ in answer }
    let issues = IssueLog()
    var timing = Fleet.hastyTiming
    timing.setTimeout = .seconds(1)
    let suite = try await Defaults.EtcdSuite(
      endpoints: [server.url], prefix: prefix, keys: [], cache: cache, timing: timing,
      onIssue: { issues.append($0) })
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.unreachable])
    #expect(suite.entries == ["a": 1])
    let key = Defaults.Key("a", default: 0, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(2, for: key) }
    #expect(error?.code == .unreachable)
  }

  @Test("Members that list entries but reject watches are retried with growing delays")
  func watchesThatEnd() async throws {
    let asked = Log<String>()
    let answer: @Sendable (String) -> Data = { path in
      asked.append(path)
      return path.hasSuffix("range")
        ? CannedServer.json("{\"header\":{\"cluster_id\":\"7\",\"revision\":\"5\"}}")
        : CannedServer.json("{}", status: "404 Not Found")
    }
    let servers = [try CannedServer(answer), try CannedServer(answer)]
    let begin = ContinuousClock.now
    let suite = try await Defaults.EtcdSuite(
      endpoints: servers.map(\.url), prefix: prefix, keys: [], timing: Fleet.hastyTiming,
      onIssue: { _ in })
    await asked.wait { $0.count >= 40 }
    // The pauses grow from 0.1 to 2 seconds.
    #expect(ContinuousClock.now - begin > .milliseconds(500))
    withExtendedLifetime((suite, servers)) {}
  }
}
