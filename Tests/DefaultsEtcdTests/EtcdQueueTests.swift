import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("Queued etcd sets after lost answers", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdQueueTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private let issues = IssueLog()
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  /// Why a set isn't answered.
  enum Loss: CaseIterable {
    /// The cluster makes the set, and the answer is lost.
    case answer
    /// The request is lost.
    case request
    /// The request waits in the cluster, which may make the set later.
    case late
  }

  /// Makes the cluster lose answers, and returns a closure that ends this.
  private func lose(_ loss: Loss, of cluster: EtcdCluster, at member: Int = 0) -> () -> Void {
    let proxy = cluster.proxies[member]
    switch loss {
    case .answer: proxy.mode = .droppingAnswers
    case .request: proxy.mode = .dropping
    case .late: cluster.members[member].pause()
    }
    return {
      cluster.members[member].resume()
      proxy.mode = .cutting
      proxy.mode = .passing
    }
  }

  /// Timing with which a set is queued soon, whether it has reached the cluster or not.
  private static let timing = timing(
    Fleet.hastyTiming, request: .milliseconds(500), commit: .seconds(1))
  /// Timing with which a change reaches the cluster in time, even on a busy machine.
  private static let sendingTiming = timing(
    Fleet.timing, request: .seconds(10), commit: .seconds(10))

  private static func timing(
    _ base: Defaults.EtcdSuite.Timing, request: Duration, commit: Duration
  ) -> Defaults.EtcdSuite.Timing {
    var timing = base
    timing.requestTimeout = request
    timing.setTimeout = commit
    timing.transactionTimeout = commit
    return timing
  }

  private func suite(
    _ cluster: EtcdCluster, at endpoints: [URL]? = nil,
    timing: Defaults.EtcdSuite.Timing = Self.timing
  ) async throws -> Defaults.EtcdSuite {
    try await Defaults.EtcdSuite(
      endpoints: endpoints ?? cluster.troubledEndpoints, prefix: prefix, keys: [], cache: cache,
      options: .queueing,
      timing: timing, onIssue: { issues.append($0) })
  }

  private func key(_ suite: Defaults.EtcdSuite) -> Defaults.Key<Int> {
    Defaults.Key("a", default: 0, suite: suite)
  }

  /// A cluster, and a suite that has set 1 in it.
  private func start(
    _ timing: Defaults.EtcdSuite.Timing = Self.timing
  ) async throws -> (EtcdCluster, Defaults.EtcdSuite) {
    let cluster = try await Fleet.ownCluster()
    let suite = try await suite(cluster, timing: timing)
    try await suite.ready(within: Fleet.patience)
    try await set(1, suite)
    while !suite.queuedNames.isEmpty { await Task.yield() }
    return (cluster, suite)
  }

  private func set(_ value: Int, _ suite: Defaults.EtcdSuite) async throws {
    try await suite.perform { try $0.set(value, for: key($0)) }
  }

  /// Waits until nothing is queued, and returns the value in the cluster.
  private func outcome(_ suite: Defaults.EtcdSuite, _ cluster: EtcdCluster) async throws -> String {
    while !suite.queuedNames.isEmpty { await Task.yield() }
    return try value(cluster)
  }

  private func value(_ cluster: EtcdCluster) throws -> String {
    try Self.value(of: prefix + "a", at: cluster.members[0].url)
  }

  private static func value(of name: String, at url: URL) throws -> String {
    try EtcdCluster.etcdctl(["get", name, "--print-value-only"], at: url)
  }

  /// Waits until the cluster has made a change, whose answer may be lost.
  private func awaitValue(
    _ value: String, in cluster: EtcdCluster, _ suite: Defaults.EtcdSuite
  ) async throws {
    // Not on this thread, which the task that makes the change may need.
    try await suite.perform { [prefix, url = cluster.members[0].url] _ in
      while try Self.value(of: prefix + "a", at: url) != value {}
    }
  }

  @Test(
    "A queued set is made although the answer to the previous set was lost",
    arguments: Loss.allCases)
  func laterSet(loss: Loss) async throws {
    let (cluster, suite) = try await start()
    let end = lose(loss, of: cluster)
    try await set(2, suite)
    try await set(3, suite)
    end()
    #expect(try await outcome(suite, cluster) == "3")
    #expect(suite[key(suite)] == 3)
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test(
    "A queued set is made after a restart although the previous answer was lost",
    arguments: Loss.allCases, [false, true])
  func restart(loss: Loss, isSetBefore: Bool) async throws {
    let cluster: EtcdCluster
    let end: () -> Void
    do {
      let suite: Defaults.EtcdSuite
      (cluster, suite) = try await start()
      end = lose(loss, of: cluster)
      try await set(2, suite)
      if isSetBefore { try await set(3, suite) }
    }
    let suite = try await suite(cluster)
    if !isSetBefore { try await set(3, suite) }
    #expect(suite[key(suite)] == 3)
    end()
    #expect(try await outcome(suite, cluster) == "3")
    #expect(suite[key(suite)] == 3)
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test("If the answer to an update is lost, a queued set of the same program is still made")
  func unconfirmedUpdate() async throws {
    let (cluster, suite) = try await start(Self.sendingTiming)
    let end = lose(.answer, of: cluster)
    let update = Task { try await suite.perform { try $0.increment(key($0)) } }
    try await awaitValue("2", in: cluster, suite)
    let error = await #expect(throws: Defaults.SuiteError.self) { try await update.value }
    #expect(error?.code == .unconfirmed)
    #expect(try value(cluster) == "2")
    try await set(5, suite)
    end()
    #expect(try await outcome(suite, cluster) == "5")
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test("A queued set is made after a lost answer although the writer's marker key has expired")
  func expiredMark() async throws {
    let (cluster, suite) = try await start()
    let end = lose(.answer, of: cluster)
    try await set(2, suite)
    try await set(3, suite)
    for lease in try cluster.etcdctl("lease", "list").split(separator: "\n").dropFirst() {
      try cluster.etcdctl("lease", "revoke", String(lease))
    }
    #expect(try cluster.etcdctl("get", "--prefix", prefix + "Defaults.mark/").isEmpty)
    end()
    #expect(try await outcome(suite, cluster) == "3")
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test("A queued set doesn't overwrite another program's change, even after a lost answer")
  func anotherWriter() async throws {
    let (cluster, suite) = try await start(Self.sendingTiming)
    let end = lose(.answer, of: cluster)
    let first = Task { try await set(2, suite) }
    try await awaitValue("2", in: cluster, suite)
    try cluster.etcdctl("put", prefix + "a", "7")
    try await first.value
    try await set(3, suite)
    end()
    #expect(try await outcome(suite, cluster) == "7")
    await issues.wait { $0.contains { $0.code == .tooManyConflicts } }
    #expect(suite[key(suite)] == 7)
  }

  @Test("Each queued set that another program's change prevents is reported as an issue")
  func conflictsInSeries() async throws {
    let (cluster, suite) = try await start()
    for number in 1...2 {
      let end = lose(.request, of: cluster)
      try await set(10 + number, suite)
      try cluster.etcdctl("put", prefix + "a", "\(20 + number)")
      end()
      #expect(try await outcome(suite, cluster) == "\(20 + number)")
      await issues.wait { $0.count { $0.code == .tooManyConflicts } >= number }
    }
  }

  @Test("A queued set is made after a restart although another process made its earlier set")
  func sharedCache() async throws {
    let (cluster, suite) = try await start()
    try await suite.perform { try $0.flush() }
    let end = lose(.request, of: cluster)
    try await set(2, suite)
    do {
      let other = try await self.suite(cluster, at: [Fleet.deadEndpoint()])
      try await set(3, other)
    }
    end()
    #expect(try await outcome(suite, cluster) == "2")
    try await suite.performPatiently { try $0.refresh() }
    let next = try await self.suite(cluster, at: cluster.endpoints)
    #expect(try await outcome(next, cluster) == "3")
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test("A queued set is made although another process with the same cache made its earlier set")
  func sharedCacheInUse() async throws {
    let cluster = try await Fleet.ownCluster(members: 3)
    var suites: [Defaults.EtcdSuite] = []
    for endpoint in cluster.troubledEndpoints[..<2] {
      suites.append(try await suite(cluster, at: [endpoint]))
      try await suites[suites.count - 1].ready(within: Fleet.patience)
    }
    try cluster.etcdctl("put", prefix + "a", "1")
    for suite in suites { await suite.awaitValue(1, of: key(suite)) }
    let ends = suites.indices.map { lose(.request, of: cluster, at: $0) }
    for (index, suite) in suites.enumerated() { try await set(2 + index, suite) }
    ends[0]()
    #expect(try await outcome(suites[0], cluster) == "2")
    // The other process reads the cache after the first one has written it.
    try await suites[0].performPatiently { try $0.refresh() }
    try await set(4, suites[1])
    ends[1]()
    #expect(try await outcome(suites[1], cluster) == "4")
    #expect(!issues.codes.contains(.tooManyConflicts))
  }

  @Test("A queued set replaces an invalid value that the cluster had before")
  func invalidValue() async throws {
    let cluster = try await Fleet.ownCluster()
    try cluster.etcdctl("put", prefix + "a", "not JSON")
    let suite = try await suite(cluster)
    try await suite.ready(within: Fleet.patience)
    await issues.wait { $0.contains { $0.code == .malformed } }
    let end = lose(.request, of: cluster)
    try await set(2, suite)
    end()
    #expect(try await outcome(suite, cluster) == "2")
    #expect(!issues.codes.contains(.tooManyConflicts))
  }
}
