import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("The heartbeat of etcd suites", .prompt, .timeLimit(.aHang))
struct EtcdHeartbeatTests {
  private let prefix = Fleet.prefix()

  @Test("A heartbeat requests one key, and requests all entries only if the cluster has changed")
  func requests() async throws {
    let revision = Log<Int>()
    let end = DispatchSemaphore(value: 0)
    defer { end.signal() }
    let asked = Log<String>()
    let server = try CannedServer { path in
      asked.append(path)
      // A watch sends nothing until the end.
      if path.hasSuffix("watch") { end.wait() }
      let number = revision.all.last ?? 5
      return CannedServer.json(
        "{\"header\":{\"cluster_id\":\"7\",\"revision\":\"\(number)\"}}")
    }
    // After a heartbeat that failed, the suite would list the cluster, and learn its revision.
    var timing = Fleet.patientTiming
    timing.heartbeatInterval = .milliseconds(5)
    let suite = try await Defaults.EtcdSuite(
      endpoints: [server.url], prefix: prefix, keys: [], timing: timing, onIssue: { _ in })
    try await suite.ready(within: Fleet.patience)
    func ranges() -> [String] { server.bodies.filter { $0.contains("\"key\"") } }
    await asked.wait { _ in ranges().count >= 20 }
    #expect(!ranges().contains { $0.contains("DESCEND") })
    revision.append(6)
    await asked.wait { _ in ranges().contains { $0.contains("DESCEND") } }
    withExtendedLifetime(suite) {}
  }
}
