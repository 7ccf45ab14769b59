import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import Synchronization
import TestSupport
import Testing

@Suite(
  "etcd suites of a failing cluster", .prompt, .needsEtcd, .tags(.etcd, .slow), .timeLimit(.aHang))
struct EtcdTroubleTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What happens to the leader.
  enum Trouble: CaseIterable {
    case killed, paused, partitioned
  }

  /// A suite for each call, with all members.
  private func suite(
    _ cluster: EtcdCluster, first: Int = 0, timing: Defaults.EtcdSuite.Timing = Fleet.hastyTiming
  ) async throws -> Defaults.EtcdSuite {
    let endpoints = cluster.troubledEndpoints
    let suite = try await Defaults.EtcdSuite(
      endpoints: Array(endpoints[first...] + endpoints[..<first]), prefix: prefix, keys: [],
      timing: timing, onIssue: { _ in })
    try await suite.ready(within: Fleet.patience)
    return suite
  }

  @Test(
    "While the leader of etcd fails, each increment of two programs is made exactly once",
    arguments: Trouble.allCases)
  func leaders(trouble: Trouble) async throws {
    let cluster = try await Fleet.ownCluster(members: 3)
    let suites = [try await suite(cluster), try await suite(cluster, first: 1)]
    var found: Int?
    while found == nil { found = try cluster.leader() }
    let leader = try #require(found)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for suite in suites {
        group.addTask {
          try await suite.perform { suite in
            let key = Defaults.Key("count", default: 0, suite: suite)
            var count = 0
            while count < 60 {
              do {
                try suite.increment(key)
                count += 1
              } catch let error as Defaults.SuiteError where error.code == .unreachable {
                // The change wasn't made.
              }
            }
            return count
          }
        }
      }
      await suites[0].awaitEntry(named: "count") { entry in
        if case .integer(let count) = entry { count > 20 } else { false }
      }
      switch trouble {
      case .killed: cluster.members[leader].kill()
      case .paused: cluster.members[leader].pause()
      case .partitioned:
        cluster.proxies[leader].mode = .dropping
        cluster.peerProxies[leader].mode = .dropping
      }
      return try await group.reduce(0, +)
    }
    for suite in suites {
      try await suite.performPatiently { try $0.refresh() }
      #expect(suite.entry(named: "count") == .integer(Int64(counts)))
    }
    cluster.members[leader].resume()
  }

  @Test("An etcd update whose answer was lost is made once")
  func lostAnswers() async throws {
    let cluster = try await Fleet.ownCluster()
    // A member is abandoned only when its connections end.
    let suite = try await suite(cluster, timing: Fleet.patientTiming)
    let key = Defaults.Key("count", default: 0, suite: suite)
    #expect(try suite.increment(key) == 1)
    cluster.proxies[0].mode = .droppingAnswers
    async let result = suite.perform { try $0.increment(key) }
    // The cluster has the change, and the suite has no answer.
    while try cluster.etcdctl("get", prefix + "count", "--print-value-only") != "2" {
      // The task may need this thread to start.
      await Task.yield()
    }
    cluster.proxies[0].mode = .cutting
    cluster.proxies[0].mode = .passing
    #expect(try await result == 2)
    #expect(try cluster.etcdctl("get", prefix + "count", "--print-value-only") == "2")
    #expect(Defaults[key] == 2)
  }

  @Test("A set whose answer was lost isn't repeated after another program changed the setting")
  func lostAnswerOfSet() async throws {
    let cluster = try await Fleet.ownCluster()
    let suite = try await suite(cluster, timing: Fleet.patientTiming)
    let key = Defaults.Key("a", default: 0, suite: suite)
    try suite.set(1, for: key)
    cluster.proxies[0].mode = .droppingAnswers
    let set = Task { try await suite.perform { try $0.set(2, for: key) } }
    while try cluster.etcdctl("get", prefix + "a", "--print-value-only") != "2" {
      await Task.yield()
    }
    try cluster.etcdctl("put", prefix + "a", "3")
    cluster.proxies[0].mode = .cutting
    cluster.proxies[0].mode = .passing
    try await set.value
    #expect(try cluster.etcdctl("get", prefix + "a", "--print-value-only") == "3")
    try await suite.perform { try $0.refresh() }
    #expect(Defaults[key] == 3)
  }

  @Test("A set whose answer was lost isn't repeated if its lease and its marker key are lost")
  func lostAnswerAndLease() async throws {
    let cluster = try await Fleet.ownCluster()
    let suite = try await suite(cluster, timing: Fleet.patientTiming)
    let key = Defaults.Key("a", default: 0, suite: suite)
    func leases() throws -> [Substring] {
      Array(try cluster.etcdctl("lease", "list").split(separator: "\n").dropFirst())
    }
    // A transaction that isn't made gets the lease, and sets no marker key. It isn't sent if the
    // change arrives before. No number is one of those below.
    var number = 100
    while try leases().isEmpty {
      number += 1
      var isFirst = true
      #expect(throws: CancellationError.self) {
        try suite.update(key) { value in
          guard isFirst else { throw CancellationError() }
          isFirst = false
          try cluster.etcdctl("put", prefix + "a", "\(number)")
          value = -1
        }
      }
    }
    #expect(try cluster.etcdctl("get", "--prefix", prefix + "Defaults.mark/").isEmpty)
    cluster.proxies[0].mode = .droppingAnswers
    let set = Task { try await suite.perform { try $0.set(5, for: key) } }
    while try cluster.etcdctl("get", prefix + "a", "--print-value-only") != "5" {
      await Task.yield()
    }
    for lease in try leases() { try cluster.etcdctl("lease", "revoke", String(lease)) }
    try cluster.etcdctl("put", prefix + "a", "7")
    cluster.proxies[0].mode = .cutting
    cluster.proxies[0].mode = .passing
    let error = await #expect(throws: Defaults.SuiteError.self) { try await set.value }
    #expect(error?.code == .unconfirmed)
    #expect(try cluster.etcdctl("get", prefix + "a", "--print-value-only") == "7")
  }

  @Test("If the cluster compacted the history of missed changes, they arrive as one change")
  func compaction() async throws {
    let cluster = try await Fleet.ownCluster()
    // A member is abandoned only when its connections end.
    let suite = try await suite(cluster, timing: Fleet.patientTiming)
    try suite.setEntries(["same": 1, "changed": 1, "removed": 1, "changedBack": 1])
    let log = Log<Defaults.Change>()
    let observation = suite.observe(nil) { log.append($0) }
    cluster.proxies[0].mode = .cutting
    for (name, value) in [("changed", "2"), ("new", "1"), ("changedBack", "2")] {
      try cluster.etcdctl("put", prefix + name, value)
    }
    try cluster.etcdctl("put", prefix + "changedBack", "1")
    try cluster.etcdctl("del", prefix + "removed")
    let status = try cluster.etcdctl("get", prefix, "-w", "fields")
    let revision = try #require(
      status.split(separator: "\n").first { $0.contains("\"Revision\"") }?
        .split(separator: " ").last)
    try cluster.etcdctl("compact", String(revision))
    cluster.proxies[0].mode = .passing
    await suite.awaitEntry(named: "new") { $0 == 1 }
    #expect(log.all.map(\.names) == [["changed", "new", "removed"]])
    #expect(log.all.map(\.source) == [.external])
    observation.invalidate()
  }

  @Test("An etcd watch that stops delivering changes is detected and started again")
  func silentWatch() async throws {
    let cluster = try await Fleet.ownCluster()
    let suite = try await suite(cluster)
    // Existing connections carry nothing anymore; new ones work.
    cluster.proxies[0].mode = .dropping
    try cluster.etcdctl("put", prefix + "a", "1")
    cluster.proxies[0].mode = .passing
    await suite.awaitEntry(named: "a") { $0 == 1 }
  }

  @Test("If a member of the cluster stops, an etcd suite continues with another member")
  func stoppedMember() async throws {
    let cluster = try await Fleet.ownCluster(members: 3)
    let suite = try await suite(cluster)
    let key = Defaults.Key("a", default: 0, suite: suite)
    for (number, member) in cluster.members.enumerated() {
      member.pause()
      try await suite.performPatiently { try $0.set(number + 1, for: key) }
      #expect(suite[key] == number + 1)
      member.resume()
    }
  }

  @Test("The settings of another cluster replace the cached ones, with an issue")
  func otherCluster() async throws {
    let cache = folder.url("cache.plist")
    let issues = IssueLog()
    for number in 1...2 {
      let cluster = try await Fleet.ownCluster()
      try cluster.etcdctl("put", prefix + "a", "\(number)")
      if number == 2 { #expect(issues.all.isEmpty) }
      let suite = try await Defaults.EtcdSuite(
        endpoints: cluster.endpoints, prefix: prefix, keys: [], cache: cache, timing: Fleet.timing,
        onIssue: { issues.append($0) })
      try await suite.ready(within: Fleet.patience)
      #expect(suite.entry(named: "a") == .integer(Int64(number)))
      try await suite.flush()
    }
    #expect(issues.codes.contains(.otherCluster))
  }

  @Test("An etcd suite authenticates with a user and a password of the cluster")
  func users() async throws {
    let cluster = try await Fleet.ownCluster()
    for words in [
      "user add root:secret", "user add app:word", "role add app",
      "role grant-permission app --prefix=true readwrite \(prefix)", "user grant-role root root",
      "user grant-role app app", "auth enable",
    ] {
      try cluster.etcdctl(words.split(separator: " ").map(String.init))
    }
    let user = Defaults.EtcdSuite.User(name: "app", password: "word")
    let suite = try await Defaults.EtcdSuite(
      endpoints: cluster.endpoints, prefix: prefix, keys: [], user: user, timing: Fleet.timing)
    try await suite.ready(within: Fleet.patience)
    let key = Defaults.Key("a", default: 0, suite: suite)
    try suite.set(1, for: key)
    #expect(try suite.increment(key) == 2)

    for (user, prefix) in [
      (Defaults.EtcdSuite.User(name: "app", password: "wrong"), prefix), (user, "elsewhere/"),
      (nil, prefix),
    ] {
      let issues = IssueLog()
      let suite = try await Defaults.EtcdSuite(
        endpoints: cluster.endpoints, prefix: prefix, keys: [], user: user, timing: Fleet.timing,
        onIssue: { issues.append($0) })
      await issues.wait { !$0.isEmpty }
      #expect(issues.codes == [.denied])
      withExtendedLifetime(suite) {}
    }
  }
}
