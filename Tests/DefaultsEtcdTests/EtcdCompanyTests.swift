import Defaults
import DefaultsCommand
import DefaultsEtcd
import DefaultsLayers
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite(
  "etcd suites together with other features", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdCompanyTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A layer over etcd gets changes of the cluster and is overridden by the user's layer")
  func layers() async throws {
    let fleet = try await Fleet.suite(prefix)
    let user = Defaults.MemorySuite()
    let suite = try Defaults.LayeredSuite(.writable(user), .layer(fleet, name: "fleet"))
    let key = Defaults.Key("limit", default: 1, suite: suite)
    let log = Log<String>()
    let observation = suite.observe(["limit"]) { log.append($0.layer ?? "") }
    try Fleet.cluster.etcdctl("put", prefix + "limit", "5")
    await suite.awaitValue(5, of: key)
    Defaults[key] = 6
    #expect(Defaults[key] == 6)
    key.reset()
    #expect(Defaults[key] == 5)
    #expect(log.all == ["fleet", "user", "user"])
    observation.invalidate()
  }

  @Test("A writable layer over etcd runs a transaction again after a conflict")
  func writableLayer() async throws {
    let fleet = try await Fleet.suite(prefix)
    let suite = try Defaults.LayeredSuite(.writable(fleet), .values(["count": 5]))
    let key = Defaults.Key("count", default: 0, suite: suite)
    let runs = Log<Int>()
    let prefix = prefix
    try suite.update(key) { count in
      runs.append(count)
      if runs.all.count == 1 { try Fleet.cluster.etcdctl("put", prefix + "count", "10") }
      count += 1
    }
    #expect(runs.all == [5, 10])
    #expect(Defaults[key] == 11)
    #expect(fleet.entries == ["count": 11])
  }

  @Test("A settings struct reads and writes an etcd suite")
  func settings() async throws {
    let fleet = try await Fleet.suite(prefix)
    let limits = Limits(suite: fleet)
    limits.requests = 7
    #expect(try Fleet.cluster.etcdctl("get", prefix + "requests", "--print-value-only") == "7")
  }

  struct Limits: Defaults.Schema {
    @Stored var requests = 5
  }

  @Test("The settings command reads and writes an etcd suite")
  func command() async throws {
    let fleet = try await Fleet.suite(prefix)
    let keys = [Defaults.Key("volume", default: 5, suite: fleet)]
    let command = Defaults.Command(keys, suite: fleet, name: "fleet")
    try command.run(["set", "volume", "7"])
    #expect(try Fleet.cluster.etcdctl("get", prefix + "volume", "--print-value-only") == "7")
    let file = folder.url("settings.json")
    try command.run(["export", "--as", "json", file.path])
    try command.run(["diff", file.path])
    try Fleet.cluster.etcdctl("put", prefix + "volume", "8")
    try await fleet.perform { try $0.refresh() }
    let error = #expect(throws: Defaults.CommandError.self) {
      try command.run(["diff", file.path])
    }
    #expect(error?.status == 1)
    try command.run(["unset", "volume"])
    #expect(fleet.names.isEmpty)
  }

  @Test("A migration of an etcd suite is made once for the whole fleet")
  func migration() async throws {
    let fleet = try await Fleet.suite(prefix)
    try fleet.setEntries(["old": 1])
    let runs = Log<Int>()
    for _ in 0..<2 {
      try fleet.migrate(
        to: 1,
        steps: [
          Defaults.Migration(1) { draft in
            runs.append(1)
            try draft.renameEntry("old", to: "new")
          }
        ])
    }
    #expect(fleet.entry(named: "new") == 1)
    #expect(runs.all.count == 1)
  }
}
