import Defaults
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@testable import DefaultsEtcd

@Suite("Edge cases of etcd suites", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdEdgeTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  @Test("Twelve thousand entries of an etcd suite are listed in pages")
  func manyEntries() async throws {
    let suite = try await Fleet.suite(prefix)
    for number in 0..<96 {
      try suite.setEntries(
        Dictionary(uniqueKeysWithValues: (0..<125).map { ("\(number)-\($0)", 1) }))
    }
    let other = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.troubledEndpoints, prefix: prefix, keys: [], timing: Fleet.timing)
    try await other.ready(within: Fleet.patience)
    #expect(other.names.count == 12_000)
  }

  @Test("Half a million events of one revision arrive as one change of an etcd suite")
  func manyEvents() async throws {
    let endpoint = try Fleet.deadEndpoint()
    let replica = Replica(
      Gateway([endpoint], user: nil, by: Defaults.EtcdSuite.TLS().transport),
      KeySpace(prefix: prefix),
      Replica.Settings(encoding: .json, timing: Fleet.timing, isQueueing: false), nil, keys: [],
      Defaults.SuiteSupport(label: "etcd"))
    let log = Log<Set<String>>()
    let suite = Defaults.StoredSuite(replica.table, replica)
    let observation = suite.observe(nil) { log.append($0.names) }
    func event(_ name: String, _ value: String?) -> WatchLine.Event {
      WatchLine.Event(
        type: value == nil ? "DELETE" : nil,
        kv: KeyValue(
          key: Data("\(prefix)\(name)".utf8), value: value.map { Data($0.utf8) },
          mod_revision: Int64Text(7), version: nil))
    }
    let removal = event("a setting that was removed", nil)
    let events = [event("a", "1")] + Array(repeating: removal, count: 500_000) + [event("b", "2")]
    let response = WatchLine.Response(canceled: nil, cancel_reason: nil, events: events)
    replica.receive(WatchLine(result: response, error: nil), of: 0)
    await log.wait { !$0.isEmpty }
    #expect(log.all == [["a", "b"]])
    #expect(suite.entries == ["a": 1, "b": 2])
    withExtendedLifetime(observation) {}
  }

  @Test("An etcd suite whose timeouts have the largest number of seconds reads and writes")
  func largestTimeouts() async throws {
    let endpoints = try Fleet.cluster.endpoints.map(\.absoluteString)
    await #expect(processExitsWith: .success) {
      [endpoints = endpoints as [String], prefix = prefix as String] in
      var timing = Defaults.EtcdSuite.Timing()
      let longest = Duration.seconds(Int64.max)
      (timing.requestTimeout, timing.heartbeatInterval) = (longest, longest)
      (timing.setTimeout, timing.transactionTimeout) = (longest, longest)
      (timing.watchTimeout, timing.maximumBackoff) = (longest, longest)
      let suite = try await Defaults.EtcdSuite(
        endpoints: endpoints.compactMap { URL(string: $0) }, prefix: prefix, keys: [],
        timing: timing)
      try await suite.ready(within: Fleet.patience)
      let key = Defaults.Key("a", default: 0, suite: suite)
      try suite.set(1, for: key)
      #expect(try suite.increment(key) == 2)
      try suite.refresh()
    }
  }

  @Test("A cluster that was set up again replaces the cached values, even at the same address")
  func clusterAnew() async throws {
    let cluster = try await Fleet.ownCluster()
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.endpoints, prefix: prefix, keys: [], cache: cache,
      timing: Fleet.hastyTiming,
      onIssue: { issues.append($0) })
    try await suite.ready(within: Fleet.patience)
    let key = Defaults.Key("a", default: 0, suite: suite)
    try await suite.performPatiently { suite in
      for number in 1...5 { try suite.set(number, for: key) }
    }
    try await suite.flush()
    cluster.members[0].kill()
    try cluster.members[0].forgetAll()
    try cluster.members[0].start()
    try cluster.members[0].awaitReady()
    try cluster.etcdctl("put", prefix + "b", "1")
    await suite.awaitEntry(named: "b") { $0 == 1 }
    #expect(suite.entries == ["b": 1])
    #expect(issues.codes.contains(.otherCluster))
    try await suite.performPatiently { try $0.set(7, for: key) }
    #expect(try await suite.performPatiently { try $0.increment(key) } == 8)
    try await suite.flush()
    let next = try await Defaults.EtcdSuite(
      endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache,
      timing: Fleet.timing,
      onIssue: { _ in })
    #expect(next.entries == ["a": 8, "b": 1])
  }

  @Test("With .stableUntilRestart, an update starts from the cluster's current value")
  func stableUpdates() async throws {
    let suite = try await Fleet.suite(prefix, options: .stableUntilRestart)
    let key = Defaults.Key("count", default: 0, suite: suite)
    #expect(try suite.increment(key) == 1)
    #expect(try suite.increment(key) == 2)
    try Fleet.cluster.etcdctl("put", prefix + "count", "10")
    #expect(try suite.increment(key) == 11)
    #expect(try Fleet.cluster.etcdctl("get", prefix + "count", "--print-value-only") == "11")
    #expect(suite[key] == 0)
  }

  @Test("The marker keys of an etcd suite with a nested prefix aren't entries of the outer suite")
  func nestedPrefixes() async throws {
    let issues = IssueLog()
    let inner = try await Fleet.suite(prefix + "inner/")
    let outer = try await Fleet.suite(prefix, onIssue: { issues.append($0) })
    try inner.set(1, for: Defaults.Key("a", default: 0, suite: inner))
    try outer.refresh()
    #expect(outer.entries == ["inner/a": 1])
    #expect(issues.all.isEmpty)
    let next = try await Fleet.suite(
      prefix, keys: [Defaults.Key("x", default: 0)], onIssue: { issues.append($0) })
    #expect(next.entries == ["inner/a": 1])
    #expect(issues.all.isEmpty)
  }

  @Test("After the cluster's value was rejected, a set to the last valid value repairs the entry")
  func unbelievedThenSet() async throws {
    let issues = IssueLog()
    let suite = try await Fleet.suite(prefix, onIssue: { issues.append($0) })
    let key = Defaults.Key("n", default: 0, suite: suite)
    try suite.set(1, for: key)
    try Fleet.cluster.etcdctl("put", prefix + "n", "not JSON")
    try suite.refresh()
    // Another thread may report an issue after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.malformed])
    try suite.set(1, for: key)
    let runs = Log<Int>()
    try suite.update(key) { count in
      runs.append(count)
      count += 1
    }
    #expect(runs.all == [1])
    try Fleet.cluster.etcdctl("put", prefix + "n", "not JSON")
    try suite.refresh()
    // The same problem after it was resolved is reported again.
    await issues.wait { $0.count >= 2 }
    #expect(issues.codes == [.malformed, .malformed])
  }

  @Test("Waiting for the current entries ends at its deadline while another thread is committing")
  func readyDuringCommit() async throws {
    let place = Place(
      endpoints: try Fleet.cluster.endpoints, prefix: prefix, cache: nil, user: nil,
      tls: Defaults.EtcdSuite.TLS(), options: [], encoding: .json)
    let opened = try OpenClusters.open(place, Fleet.timing, keys: [], onIssue: nil)
    let suite = Defaults.EtcdSuite(opened)
    try await suite.ready(within: Fleet.patience)
    let (started, beginning) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let writer = opened.replica.table.writer
    Thread.detachNewThread {
      // A commit holds the lock until the cluster has answered.
      writer.withLock { _ in
        beginning.yield()
        gate.wait()
      }
    }
    for await _ in started { break }
    let error = await #expect(throws: Defaults.SuiteError.self) {
      try await suite.ready(within: .milliseconds(200))
    }
    gate.signal()
    #expect(error?.code == .unreachable)
    #expect(error?.reason.contains("Another thread is changing settings") == true)
    try await suite.ready(within: Fleet.patience)
  }
}
