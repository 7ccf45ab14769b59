import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite(
  "etcd suites without a reachable cluster", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdOfflineTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes a cache with these entries and opens it without the cluster.
  private func offlineSuite(
    _ entries: [String: Defaults.PropertyListValue], options: Defaults.EtcdSuite.Options = [],
    onIssue: @escaping @Sendable (Defaults.Issue) -> Void = { _ in }
  ) async throws -> Defaults.EtcdSuite {
    try await fillCache(entries)
    return try await Defaults.EtcdSuite(
      endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache, options: options,
      timing: Fleet.timing, onIssue: onIssue)
  }

  private func fillCache(_ entries: [String: Defaults.PropertyListValue]) async throws {
    let suite = try await Fleet.suite(prefix, cache: cache)
    try suite.setEntries(entries)
    try await suite.flush()
  }

  @Test("An etcd suite without a cluster starts with the cached values and reports their age")
  func lastKnownValues() async throws {
    let begin = Date()
    let issues = IssueLog()
    let suite = try await offlineSuite(["a": 1, "b": "two"], onIssue: { issues.append($0) })
    #expect(suite.entries == ["a": 1, "b": "two"])
    await #expect(throws: Defaults.SuiteError.self) {
      try await suite.ready(within: .milliseconds(300))
    }
    await issues.wait { !$0.isEmpty }
    guard case .offline(let since, let error) = suite.connectionState else {
      Issue.record("The state is \(suite.connectionState)")
      return
    }
    #expect(since >= begin && since <= Date())
    #expect(error.code == .unreachable)
    #expect(issues.codes == [.unreachable])
  }

  @Test("A set without a cluster throws, a subscript reports an issue, and the value stays")
  func sets() async throws {
    let issues = IssueLog()
    let suite = try await offlineSuite(["a": 1], onIssue: { issues.append($0) })
    let key = Defaults.Key("a", default: 0, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(2, for: key) }
    #expect(error?.code == .unreachable)
    Defaults[key] = 3
    #expect(issues.codes.contains(.unreachable))
    let update = #expect(throws: Defaults.SuiteError.self) { try suite.increment(key) }
    #expect(update?.code == .unreachable)
    key.reset()
    #expect(Defaults[key] == 1)
  }

  @Test("With .queueing, a set is sent to the cluster when the cluster answers again")
  func queueing() async throws {
    let cluster = try await Fleet.ownCluster()
    let proxy = cluster.proxies[0]
    var timing = Fleet.hastyTiming
    timing.setTimeout = .seconds(3)
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.troubledEndpoints, prefix: prefix, keys: [], cache: cache,
      options: .queueing,
      timing: timing, onIssue: { _ in })
    try await suite.ready(within: Fleet.patience)
    let key = Defaults.Key("a", default: 0, suite: suite)
    try suite.set(1, for: key)
    // On a busy machine, the answer may be late.
    while !suite.queuedNames.isEmpty { await Task.yield() }
    proxy.mode = .cutting
    try suite.set(2, for: key)
    #expect(Defaults[key] == 2)
    #expect(suite.queuedNames == ["a"])
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.increment(key) }
    #expect(error?.code == .unreachable)
    #expect(try cluster.etcdctl("get", prefix + "a", "--print-value-only") == "1")
    proxy.mode = .passing
    // The next commit makes the queued sets first.
    try await suite.ready(within: Fleet.patience)
    #expect(try await suite.performPatiently { try $0.increment(key) } == 3)
    #expect(suite.queuedNames.isEmpty)
  }

  @Test("Queued sets survive a restart, and don't overwrite changes of other programs")
  func queueInCache() async throws {
    try await fillCache(["kept": 1, "changed": 1, "removed": 1])
    do {
      let suite = try await Defaults.EtcdSuite(
        endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache,
        options: .queueing,
        timing: Fleet.timing, onIssue: { _ in })
      for name in ["kept", "changed", "removed", "new"] {
        try suite.set(2, for: Defaults.Key(name, default: 0, suite: suite))
      }
      #expect(suite.entries == ["kept": 2, "changed": 2, "removed": 2, "new": 2])
    }
    try Fleet.cluster.etcdctl("put", prefix + "changed", "7")
    try Fleet.cluster.etcdctl("del", prefix + "removed")
    let issues = IssueLog()
    let suite = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.endpoints, prefix: prefix, keys: [], cache: cache,
      options: .queueing,
      timing: Fleet.timing, onIssue: { issues.append($0) })
    try await suite.ready(within: Fleet.patience)
    // A commit waits for the queued sets.
    try suite.set(1, for: Defaults.Key("sign", default: 0, suite: suite))
    #expect(suite.entries == ["kept": 2, "changed": 7, "new": 2, "sign": 1])
    // Another thread may report the issues after this thread has made the set.
    await issues.wait { $0.count >= 2 }
    #expect(issues.codes == [.tooManyConflicts, .tooManyConflicts])
    #expect(Set(issues.all.map(\.key)) == ["changed", "removed"])
    #expect(try Fleet.cluster.etcdctl("get", prefix + "kept", "--print-value-only") == "2")
    #expect(try Fleet.cluster.etcdctl("get", prefix + "changed", "--print-value-only") == "7")
  }

  @Test("With .stableUntilRestart, values stay until restart; observers of `upcoming` are notified")
  func stableValues() async throws {
    try await fillCache(["a": 1])
    let suite = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.endpoints, prefix: prefix, keys: [], cache: cache,
      options: .stableUntilRestart, timing: Fleet.timing)
    try await suite.ready(within: Fleet.patience)
    let told = Log<Defaults.PropertyListValue?>()
    let observation = suite.upcoming.observe(["a"]) { told.append($0.entries["a"]?.new) }
    try Fleet.cluster.etcdctl("put", prefix + "a", "2")
    await suite.upcoming.awaitEntry(named: "a") { $0 == 2 }
    #expect(suite.entry(named: "a") == 1)
    #expect(told.all == [2])
    observation.invalidate()
    try await suite.flush()
    // The next start of another process reads these values.
    let next = try await Defaults.EtcdSuite(
      endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache,
      options: .stableUntilRestart, timing: Fleet.timing, onIssue: { _ in })
    #expect(next.entry(named: "a") == 2)
  }

  @Test("With .stableUntilRestart and no cache, the first values from the cluster stay in effect")
  func stableWithoutCache() async throws {
    try Fleet.cluster.etcdctl("put", prefix + "a", "1")
    let suite = try await Fleet.suite(prefix, options: .stableUntilRestart)
    await suite.awaitEntry(named: "a") { $0 == 1 }
    try Fleet.cluster.etcdctl("put", prefix + "a", "2")
    await suite.upcoming.awaitEntry(named: "a") { $0 == 2 }
    #expect(suite.entry(named: "a") == 1)
  }

  @Test("With .stableUntilRestart, sets queued before the first connection don't fix the values")
  func stableAfterQueueing() async throws {
    let live = try Fleet.cluster.endpoints
    for endpoints in try [[Fleet.deadEndpoint()], live] {
      let suite = try await Defaults.EtcdSuite(
        endpoints: endpoints, prefix: prefix, keys: [], cache: cache,
        options: [.queueing, .stableUntilRestart], timing: Fleet.timing, onIssue: { _ in })
      if endpoints == live {
        await suite.upcoming.awaitEntry(named: "b") { $0 == 2 }
        #expect(suite.entry(named: "a") == 1 && suite.entry(named: "b") == 2)
      } else {
        try suite.upcoming.set(1, for: Defaults.Key("a", default: 0, suite: suite.upcoming))
        try Fleet.cluster.etcdctl("put", prefix + "b", "2")
      }
    }
  }

  @Test("A NaN that no cache can hold exactly isn't read from the cluster, and the rest is cached")
  func inexactNaN() async throws {
    let issues = IssueLog()
    do {
      let suite = try await Fleet.suite(prefix, cache: cache, onIssue: { issues.append($0) })
      try Fleet.cluster.etcdctl("put", prefix + "a", "1")
      try Fleet.cluster.etcdctl("put", prefix + "b", #"{"$real":"0xfff8000000000000"}"#)
      try Fleet.cluster.etcdctl("put", prefix + "c", #"[{"x":{"$real":"nan"}}]"#)
      try suite.refresh()
      #expect(suite.names == ["a", "c"])
      await issues.wait { !$0.isEmpty }
      #expect(issues.codes == [.unrepresentable] && issues.all.map(\.key) == ["b"])
      try await suite.flush()
    }
    let next = try await Defaults.EtcdSuite(
      endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: cache,
      timing: Fleet.timing, onIssue: { _ in })
    #expect(next.names == ["a", "c"])
  }

  @Test(
    "A set of a NaN that no cache can hold exactly throws in each encoding",
    arguments: [Defaults.EtcdSuite.ValueEncoding.json, .propertyList])
  func setOfInexactNaN(encoding: Defaults.EtcdSuite.ValueEncoding) async throws {
    let suite = try await Fleet.suite(prefix, encoding: encoding)
    let key = Defaults.Key("ratio", default: 0.5, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(Double(bitPattern: 0xfff8_0000_0000_0000), for: key)
    }
    #expect(error?.code == .unrepresentable && error?.key == "ratio")
    #expect(suite.names.isEmpty)
    try suite.set(.nan, for: key)
    #expect(suite[key].isNaN)
  }
}
