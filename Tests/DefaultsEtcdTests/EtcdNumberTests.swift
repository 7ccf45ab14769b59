import Defaults
import DefaultsEtcd
import Harness
import TestSupport
import Testing

@Suite("Numbers in etcd", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdNumberTests {
  @Test("A JSON number in etcd is read as the nearest Float")
  func etcd() async throws {
    let prefix = Fleet.prefix()
    let key = Defaults.Key("gain", default: Float(0))
    let timeout = Defaults.Key("timeout", default: Duration.zero)
    let suite = try await Fleet.suite(prefix, keys: [key, timeout])
    let cluster = try Fleet.cluster
    try cluster.etcdctl("put", prefix + "gain", "0.30000000000000004")
    try cluster.etcdctl("put", prefix + "timeout", "\"1m\"")
    await suite.awaitEntry(named: "timeout") { $0 != nil }
    #expect(suite[key] == 0.3)
    #expect(suite[timeout] == .seconds(60))
    try suite.set(0.1, for: key)
    #expect(try cluster.etcdctl("get", prefix + "gain", "--print-value-only") == "0.1")
  }
}
