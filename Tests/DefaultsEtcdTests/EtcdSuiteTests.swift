import Defaults
import DefaultsEtcd
import DefaultsTesting
import Foundation
import Harness
import Synchronization
import TestSupport
import Testing

@Suite("etcd suites", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdSuiteTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("An etcd suite stores JSON under keys that are the prefix and the unchanged name")
  func values() async throws {
    let suite = try await Fleet.suite(prefix)
    try suite.set("dark", for: Defaults.Key("theme", default: "light", suite: suite))
    try suite.set(0.5, for: Defaults.Key("a/b ü", default: 1.0, suite: suite))
    suite.set(.date(Date(timeIntervalSinceReferenceDate: 0)), forKey: "day")
    let cluster = try Fleet.cluster
    #expect(try cluster.etcdctl("get", prefix + "theme", "--print-value-only") == "\"dark\"")
    #expect(try cluster.etcdctl("get", prefix + "a/b ü", "--print-value-only") == "0.5")
    #expect(
      try cluster.etcdctl("get", prefix + "day", "--print-value-only")
        == "{\"$date\":\"2001-01-01T00:00:00Z\"}")
    #expect(suite.names == ["theme", "a/b ü", "day"])
  }

  @Test("An etcd suite stores binary property lists if requested")
  func propertyLists() async throws {
    let suite = try await Fleet.suite(prefix, encoding: .propertyList)
    let key = Defaults.Key("numbers", default: [Double](), suite: suite)
    try suite.set([1, .infinity], for: key)
    #expect(try Fleet.cluster.etcdctl("get", prefix, "--prefix").contains("bplist00"))
    let other = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.troubledEndpoints, prefix: prefix, keys: [], encoding: .propertyList,
      timing: Fleet.timing)
    try await other.ready(within: Fleet.patience)
    #expect(other[key] == [1, .infinity])
  }

  @Test("Changes of another program in etcd arrive as external changes, in order")
  func news() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key<Int?>("limit", suite: suite)
    let log = Log<String>()
    let observation = Defaults.observe(key, options: []) {
      log.append("\($0.oldValue ?? 0) \($0.newValue ?? 0) \($0.source)")
    }
    let cluster = try Fleet.cluster
    for number in 1...3 { try cluster.etcdctl("put", prefix + "limit", "\(number)") }
    try cluster.etcdctl("del", prefix + "limit")
    try cluster.etcdctl("put", prefix + "limit", "9")
    await suite.awaitValue(9, of: key)
    #expect(
      log.all == ["0 1 external", "1 2 external", "2 3 external", "3 0 external", "0 9 external"])
    observation.invalidate()
  }

  @Test("A transaction is one revision of the cluster and one change for other programs")
  func transactions() async throws {
    let suite = try await Fleet.suite(prefix)
    // Another endpoint of the same cluster makes another suite.
    let other = try await Defaults.EtcdSuite(
      endpoints: Fleet.cluster.troubledEndpoints, prefix: prefix, keys: [], timing: Fleet.timing)
    try await other.ready(within: Fleet.patience)
    let log = Log<Set<String>>()
    let observation = other.observe(nil) { log.append($0.names) }
    try suite.transaction { draft in
      try draft.setEntry(1, named: "a")
      try draft.setEntry(2, named: "b")
    }
    #expect(suite.entries == ["a": 1, "b": 2])
    await other.awaitEntry(named: "b") { $0 == 2 }
    #expect(log.all == [["a", "b"]])
    observation.invalidate()
  }

  @Test("An etcd update runs again if another program changed a value that it read")
  func conflicts() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("count", default: 0, suite: suite)
    let runs = Mutex(0)
    let prefix = prefix
    let result = try suite.update(key) { count in
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      if run == 1 { try Fleet.cluster.etcdctl("put", prefix + "count", "10") }
      count += 1
      return count
    }
    #expect(result == 11)
    #expect(runs.withLock { $0 } == 2)
    #expect(try Fleet.cluster.etcdctl("get", prefix + "count", "--print-value-only") == "11")
  }

  @Test("An etcd update runs again if another program removed a value that it read")
  func removalConflicts() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("count", default: 0, suite: suite)
    try suite.set(5, for: key)
    let runs = Mutex(0)
    let prefix = prefix
    try suite.update(key) { count in
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      if run == 1 { try Fleet.cluster.etcdctl("del", prefix + "count") }
      count += 1
    }
    #expect(suite[key] == 1)
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("A change to an entry that a transaction didn't read is no conflict in etcd")
  func unrelatedChanges() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("count", default: 0, suite: suite)
    let runs = Mutex(0)
    let prefix = prefix
    try suite.update(key) { count in
      runs.withLock { $0 += 1 }
      try Fleet.cluster.etcdctl("put", prefix + "other", "1")
      count += 1
    }
    #expect(runs.withLock { $0 } == 1)
    #expect(suite.entries == ["count": 1, "other": 1])
  }

  @Test("An etcd transaction that read the list of names runs again if a name was added")
  func nameConflicts() async throws {
    let suite = try await Fleet.suite(prefix)
    try suite.set(1, for: Defaults.Key("a", default: 0, suite: suite))
    let prefix = prefix
    let runs = Mutex(0)
    try suite.transaction { draft in
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      let count = draft.names.count
      if run == 1 { try Fleet.cluster.etcdctl("put", prefix + "b", "1") }
      try draft.setEntry(.integer(Int64(count)), named: "count")
    }
    #expect(suite.entry(named: "count") == 2)
    #expect(runs.withLock { $0 } == 2)
  }

  @Test("A set to the value in memory is sent to etcd if the cluster has a different value")
  func equalSets() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("count", default: 0, suite: suite)
    try suite.set(1, for: key)
    let prefix = prefix
    // The suite applies no changes in a transaction, so it still shows the old value.
    try suite.transaction { draft in
      if draft.entry(named: "count") == 1 {
        try Fleet.cluster.etcdctl("put", prefix + "count", "2")
      }
      try draft.set(1, for: key)
    }
    #expect(try Fleet.cluster.etcdctl("get", prefix + "count", "--print-value-only") == "1")
  }

  @Test("A set to an equal value creates no revision of the cluster")
  func equalValues() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("count", default: 0, suite: suite)
    try suite.set(1, for: key)
    let revision = suite.revision
    try suite.set(1, for: key)
    try suite.refresh()
    #expect(suite.revision == revision)
  }

  @Test("A transaction with more operations than the cluster allows throws before it is sent")
  func tooManyOperations() async throws {
    let suite = try await Fleet.suite(prefix)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in
        for number in 0..<200 { try draft.setEntry(1, named: "\(number)") }
      }
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.reason.contains("200 names") == true)
    #expect(suite.names.isEmpty)
    // The maximum number of operations is accepted.
    try suite.transaction { draft in
      for number in 0..<125 { try draft.setEntry(1, named: "\(number)") }
    }
    #expect(suite.names.count == 125)
  }

  @Test("Setting a value that exceeds the size of an etcd request throws, and the old value stays")
  func largeValues() async throws {
    let suite = try await Fleet.suite(prefix)
    let key = Defaults.Key("text", default: "", suite: suite)
    try suite.set("small", for: key)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(String(repeating: "x", count: 3 << 20), for: key)
    }
    #expect(error?.code == .unrepresentable)
    #expect(suite[key] == "small")
  }

  @Test("An invalid value in etcd is reported as an issue, and the last valid value stays")
  func unbelievedValues() async throws {
    let issues = IssueLog()
    let key = Defaults.Key("port", default: 80, .in(1...65_535))
    let suite = try await Fleet.suite(prefix, keys: [key], onIssue: { issues.append($0) })
    try suite.set(8_080, for: key)
    let cluster = try Fleet.cluster
    let values = ["not JSON", "99999", #""text""#]
    for value in values { try cluster.etcdctl("put", prefix + "port", value) }
    try cluster.etcdctl("put", prefix + "sign", "1")
    await suite.awaitEntry(named: "sign") { $0 == 1 }
    #expect(suite[key] == 8_080)
    await issues.wait { $0.count >= 3 }
    #expect(issues.codes == [.malformed, .invalid, .undecodable])
    #expect(issues.all.allSatisfy { $0.key == "port" })
    // The cluster keeps its value until a program sets one, even one equal to the shown value.
    #expect(try cluster.etcdctl("get", prefix + "port", "--print-value-only") == "\"text\"")
    try suite.set(8_080, for: key)
    #expect(try cluster.etcdctl("get", prefix + "port", "--print-value-only") == "8080")
  }

  @Test("Opening the same etcd endpoints and prefix twice gives one suite")
  func sharing() async throws {
    let first = try await Fleet.suite(prefix)
    let second = try await Fleet.suite(prefix)
    #expect(first.storage === second.storage)
    #expect(
      Defaults.Key("a", default: 0, suite: first) == Defaults.Key("a", default: 0, suite: second))
  }

  @Test("The marker keys of writers in etcd aren't entries and can't be set")
  func marks() async throws {
    let suite = try await Fleet.suite(prefix)
    try suite.set(1, for: Defaults.Key("a", default: 0, suite: suite))
    #expect(suite.names == ["a"])
    #expect(try Fleet.cluster.etcdctl("get", prefix, "--prefix").contains("Defaults.mark/"))
    let key = Defaults.Key("Defaults.mark/x", default: 0, suite: suite)
    #expect(throws: Defaults.SuiteError.self) { try suite.set(1, for: key) }
  }

  @Test("Opening an etcd suite at an invalid location throws the reason")
  func places() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let file = try #require(URL(string: "file:///tmp"))
    for (endpoints, prefix, words) in [
      ([], "a/", "no endpoints"), ([url], "", "prefix is empty"),
      ([file], "a/", "isn't a client URL"),
    ] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try Defaults.EtcdSuite(endpoints: endpoints, prefix: prefix, keys: [])
      }
      #expect(error?.code == .noLocation)
      #expect(error?.reason.contains(words) == true)
    }
  }

  @Test("A refresh of an etcd suite reads a change that another program made before the refresh")
  func refreshing() async throws {
    let suite = try await Fleet.suite(prefix)
    for number in 1...20 {
      try Fleet.cluster.etcdctl("put", prefix + "n", "\(number)")
      try suite.refresh()
      #expect(suite.entry(named: "n") == .integer(Int64(number)))
    }
  }

  @Test("An etcd suite neither uses nor changes a settings file or another prefix's cache file")
  func foreignCaches() async throws {
    let url = folder.url("settings.plist")
    let settings = try Defaults.PropertyListSuite(url: url)
    settings.set(1, forKey: "mine")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try Defaults.EtcdSuite(
        endpoints: [Fleet.deadEndpoint()], prefix: prefix, keys: [], cache: url)
    }
    #expect(error?.code == .unusableCache)
    #expect(settings.entries == ["mine": 1])

    let cache = folder.url("cache.plist")
    let suite = try await Fleet.suite(prefix, cache: cache)
    try suite.set(1, for: Defaults.Key("a", default: 0, suite: suite))
    try await suite.flush()
    let other = #expect(throws: Defaults.SuiteError.self) {
      try Defaults.EtcdSuite(
        endpoints: [Fleet.deadEndpoint()], prefix: "other/", keys: [], cache: cache)
    }
    #expect(other?.code == .unusableCache)
  }
}
