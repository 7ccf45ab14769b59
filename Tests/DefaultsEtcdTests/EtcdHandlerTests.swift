import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite(
  "etcd suites with slow handlers or members", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang)
)
struct EtcdHandlerTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  @Test("Reads of an etcd suite show changes of the cluster while a handler runs")
  func slowHandler() async throws {
    let suite = try await Fleet.suite(prefix)
    let (started, beginning) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let log = Log<Defaults.PropertyListValue?>()
    let observation = suite.observe(["a"]) { change in
      log.append(change.entries["a"]?.new)
      beginning.yield()
      if log.all.count == 1 { gate.wait() }
    }
    try Fleet.cluster.etcdctl("put", prefix + "a", "1")
    for await _ in started { break }
    try Fleet.cluster.etcdctl("put", prefix + "a", "2")
    while suite.entry(named: "a") != 2 { await Task.yield() }
    #expect(log.all == [1])
    gate.signal()
    await log.wait { $0.count >= 2 }
    #expect(log.all == [1, 2])
    observation.invalidate()
  }

  @Test("Changes of the cluster that arrive while an etcd suite is locked are read afterwards")
  func flushesBesideNews() async throws {
    let suite = try await Fleet.suite(prefix)
    let other = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.troubledEndpoints, prefix: prefix, keys: [], timing: Fleet.timing)
    try await other.ready(within: Fleet.patience)
    let key = Defaults.Key("a", default: 0, suite: other)
    let isOver = Log<Bool>()
    let seen = Log<Defaults.PropertyListValue?>()
    let observation = suite.observe(["a"]) { seen.append($0.entries["a"]?.new) }
    async let flushes: Void = suite.perform { suite in
      while isOver.all.isEmpty { try suite.flush() }
    }
    for number in 1...200 {
      try other.set(number, for: key)
      await seen.wait { $0.last == .integer(Int64(number)) }
      #expect(suite.entry(named: "a") == .integer(Int64(number)))
    }
    isOver.append(true)
    try await flushes
    observation.invalidate()
  }

  @Test("A set to a member that doesn't answer fails with an error")
  func silentMember() async throws {
    let cluster = try await Fleet.ownCluster()
    var timing = Fleet.timing
    timing.setTimeout = .seconds(1)
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.troubledEndpoints, prefix: prefix, keys: [], timing: timing,
      onIssue: { _ in })
    try await suite.ready(within: Fleet.patience)
    cluster.proxies[0].mode = .dropping
    let key = Defaults.Key("a", default: 0, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(1, for: key) }
    #expect(error?.code == .unreachable)
    // A member that has never answered.
    let other = try await Defaults.EtcdSuite(
      endpoints: [cluster.troubledEndpoints[0]], prefix: prefix + "other/", keys: [],
      timing: timing,
      onIssue: { _ in })
    let second = #expect(throws: Defaults.SuiteError.self) {
      try other.set(1, for: Defaults.Key("a", default: 0, suite: other))
    }
    #expect(second?.code == .unreachable)
  }

  @Test("An update whose answer and marker key are lost throws `unconfirmed`")
  func removedMark() async throws {
    let cluster = try await Fleet.ownCluster()
    var timing = Fleet.timing
    timing.requestTimeout = .seconds(5)
    // The suite doesn't notice the silent watch by itself.
    timing.heartbeatInterval = .seconds(600)
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.troubledEndpoints, prefix: prefix, keys: [], timing: timing,
      onIssue: { _ in })
    try await suite.ready(within: Fleet.patience)
    let key = Defaults.Key("count", default: 0, suite: suite)
    #expect(try suite.increment(key) == 1)
    cluster.proxies[0].mode = .droppingAnswers
    let result = Task { try await suite.perform { try $0.increment(key) } }
    while try cluster.etcdctl("get", prefix + "count", "--print-value-only") != "2" {
      // The task may need this thread to start.
      await Task.yield()
    }
    try cluster.etcdctl("del", "--prefix", prefix + "Defaults.mark/")
    cluster.proxies[0].mode = .passing
    let error = await #expect(throws: Defaults.SuiteError.self) { try await result.value }
    #expect(error?.code == .unconfirmed)
    #expect(try cluster.etcdctl("get", prefix + "count", "--print-value-only") == "2")
    try await suite.ready(within: Fleet.patience)
    try await suite.perform { try $0.refresh() }
    #expect(try suite.increment(key) == 3)
  }

  @Test("Right after opening, queued sets are sent to the cluster before an update")
  func updateAfterQueue() async throws {
    try await queue(["count": 5], after: ["count": 1])
    let suite = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.endpoints, prefix: prefix, keys: [], cache: cache,
      options: .queueing,
      timing: Fleet.timing)
    let key = Defaults.Key("count", default: 0, suite: suite)
    #expect(try suite.increment(key) == 6)
    #expect(try Fleet.cluster.etcdctl("get", prefix + "count", "--print-value-only") == "6")
    try await suite.perform { try $0.refresh() }
    #expect(suite[key] == 6)
    #expect(suite.queuedNames.isEmpty)
  }

  @Test(
    "A queued set that the cluster rejects is reported as an issue, and other sets continue")
  func refusedIntent() async throws {
    try await queue(
      ["a": 2, "text": .string(String(repeating: "x", count: 3 << 20))], after: ["a": 1])
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.endpoints, prefix: prefix, keys: [], cache: cache,
      options: .queueing,
      timing: Fleet.timing, onIssue: { issues.append($0) })
    try await suite.ready(within: Fleet.patience)
    try suite.set(3, for: Defaults.Key("b", default: 0, suite: suite))
    #expect(suite.entries == ["a": 2, "b": 3])
    #expect(suite.queuedNames.isEmpty)
    // Another thread may report the issue after this thread has made the set.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.unrepresentable])
    #expect(issues.all.map(\.key) == ["text"])
  }

  /// Writes a cache with these entries and with others queued.
  private func queue(
    _ queued: [String: Defaults.PropertyListValue],
    after entries: [String: Defaults.PropertyListValue]
  ) async throws {
    do {
      let suite = try await Fleet.suite(prefix, cache: cache)
      try suite.setEntries(entries)
      try await suite.flush()
    }
    let suite = try await Defaults.EtcdSuite(
      endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache, options: .queueing,
      timing: Fleet.timing, onIssue: { _ in })
    for (name, value) in queued { suite.set(value, forKey: name) }
    #expect(suite.queuedNames == Set(queued.keys))
  }
}
