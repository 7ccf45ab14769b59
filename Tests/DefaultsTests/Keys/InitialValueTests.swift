import Defaults
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Initial values")
struct InitialValueTests {
  @Test(
    "An initial value is computed and stored at first use, and stays", arguments: SuiteKind.allCases
  )
  func firstUse(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let count = Counter()
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<String> {
      Defaults.Key("id", suite: suite, .generatedOnce) { "id \(count.next())" }
    }
    let key = make(suite)
    #expect(count.value == 0)
    #expect(suite.entry(named: "id") == nil)
    #expect(Defaults[key] == "id 1")
    #expect(suite.entry(named: "id") == "id 1")
    #expect((Defaults[key], suite[key], Defaults[make(suite)]) == ("id 1", "id 1", "id 1"))
    key.reset()
    #expect(try suite.value(for: key) == "id 2")
    Defaults[key] = "mine"
    #expect(Defaults[key] == "mine")
    #expect(Defaults.MemorySuite()[key] == "id 3")
    #expect(Defaults[key] == "mine")
  }

  @Test("An initial value that the file can't store is reported, and is still the key's value")
  func refused() throws {
    let folder = try TemporaryFolder()
    let issues = IssueLog()
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("suite.plist"), format: .xml, onIssue: { issues.append($0) })
    let key = Defaults.Key("\u{1}", default: 5, suite: suite, .generatedOnce)
    #expect(Defaults[key] == 5)
    #expect(suite.names == [])
    #expect(issues.count == 1)
    withExtendedLifetime(folder) {}
  }

  @Test("The first of concurrent initial values is used by all threads and openings")
  func race() throws {
    let folder = try SettingsFolder()
    // With background work: automatic suites don't wait for each other.
    let suites = try (0..<4).map { _ in try folder.open(isAutomatic: true) }
    let reads = Log<(value: UUID, time: Duration)>()
    DispatchQueue.concurrentPerform(iterations: 16) { index in
      let key = Defaults.Key("id", suite: suites[index % 4].suite, .generatedOnce) { UUID() }
      let start = ContinuousClock.now
      let value = Defaults[key]
      reads.append((value, ContinuousClock.now - start))
    }
    #expect(reads.count == 16)
    // A read that waits for a lock for a tenth of a second may return a value that isn't stored.
    var values = Set(reads.all.filter { $0.time < .milliseconds(90) }.map(\.value))
    for process in suites {
      let key = Defaults.Key("id", suite: process.suite, .generatedOnce) { UUID() }
      readUntilStored(key, in: process.suite)
      values.insert(Defaults[key])
    }
    #expect(values.count == 1)
    for suite in suites { suite.kill() }
  }

  /// Reads a key until its value is stored: a read stores nothing while another thread holds a lock
  /// for long.
  func readUntilStored<Value>(_ key: Defaults.Key<Value>, in suite: any Defaults.Suite) {
    for _ in 0..<1_000 where !suite.contains(key) { _ = Defaults[key] }
    #expect(suite.contains(key))
  }

  @Test("A read in a transaction returns the initial value, and the next read stores it")
  func transactions() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { UUID() }
    let other = Defaults.Key("other", default: 5, suite: suite, .generatedOnce)
    let seen = try suite.transaction { draft in
      draft[other] += 1
      return [Defaults[key], draft[key], Defaults[key]]
    }
    #expect(suite.entries == ["other": 6])
    #expect(Set(seen + [Defaults[key]]).count == 1)
    #expect(suite.contains(key))
  }

  @Test("A read in a transaction on UserDefaults returns the initial value", .needsUserDefaults)
  func transactionOnUserDefaults() throws {
    let domain = try UserDefaultsDomain()
    let suite = Defaults.UserDefaultsSuite(try domain.open())
    let key = Defaults.Key("id", default: "once", suite: suite, .generatedOnce)
    #expect(try suite.transaction { _ in Defaults[key] } == "once")
    #expect(!suite.contains(key))
    #expect(Defaults[key] == "once")
    #expect(suite.contains(key))
  }

  @Test("After a set and a reset, a new initial value is computed")
  func newAfterSetting() {
    let suite = Defaults.MemorySuite()
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    #expect(key.defaultValue == 1)
    Defaults[key] = 7
    key.reset()
    #expect(Defaults[key] == 2)
  }

  @Test("After an update and a reset, a new initial value is computed")
  func newAfterUpdate() throws {
    let suite = Defaults.MemorySuite()
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    try suite.update(key) { $0 += 6 }
    #expect(Defaults[key] == 7)
    key.reset()
    #expect(Defaults[key] == 2)
  }

  @Test("A value that was read in a transaction of one suite isn't stored in another suite")
  func separateSuites() throws {
    let (suite, other) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    #expect(try suite.transaction { $0[key] } == 1)
    #expect(other[key] == 2)
    #expect(Defaults[key] == 1)
    #expect((suite.entries, other.entries) == (["id": 1], ["id": 2]))
  }

  @Test("A value that was read in a scope isn't used in another scope")
  func separateScopes() {
    let count = Counter()
    let key = Defaults.withSuite(Defaults.MemorySuite()) {
      Defaults.Key("InitialValueTests.id", .generatedOnce) { count.next() }
    }
    for expected in 1...2 {
      Defaults.withSuite(Defaults.MemorySuite()) { #expect(key.defaultValue == expected) }
    }
  }

  @Test(
    "However a value is set, a new initial value is computed after a reset",
    arguments: SuiteKind.allCases)
  func newAfterEverySet(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    try checkNewValues(in: sample.suite)
    withExtendedLifetime(sample) {}
  }

  private func checkNewValues(in suite: some Defaults.Suite) throws {
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    let sets: [() throws -> Void] = [
      { try suite.set(key.defaultValue, for: key) },
      { try suite.update(key) { $0 += 0 } },
      { try suite.increment(key, by: 100) },
      { try suite.setValues((key, 7)) },
      { try suite.transaction { $0[key] = 7 } },
      { suite.set(7 as Defaults.PropertyListValue, forKey: "id") },
    ]
    for (index, set) in sets.enumerated() {
      #expect(key.defaultValue == index + 1)
      try set()
      key.reset()
    }
    #expect(Defaults[key] == sets.count + 1)
  }

  @Test("A handler of the first value that resets the setting reads a new value")
  func resetInHandler() {
    let suite = Defaults.MemorySuite()
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    let seen = Log<Int>()
    let observation = suite.observe(["id"]) { change in
      guard change.entries["id"]?.new == 1 else { return }
      key.reset()
      seen.append(Defaults[key])
    }
    #expect(Defaults[key] == 2)
    #expect(seen.all == [2])
    observation.invalidate()
  }

  @Test("An initial value that was read stays the same if a transaction that sets it throws")
  func sameAfterFailure() {
    struct Abort: Error {}
    let suite = Defaults.MemorySuite()
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    #expect(key.defaultValue == 1)
    #expect(throws: Abort.self) {
      try suite.transaction { draft in
        draft[key] = 7
        throw Abort()
      }
    }
    #expect(throws: Abort.self) {
      try suite.update(key) { value in
        value = 7
        throw Abort()
      }
    }
    #expect(Defaults[key] == 1)
  }

  @Test("Observers get the stored initial value first, and a new one after a reset")
  func observation() async {
    let suite = Defaults.MemorySuite()
    let count = Counter()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { count.next() }
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key) { seen.append([$0.oldValue, $0.newValue]) }
    #expect(suite.entries == ["id": 1])
    key.reset()
    #expect(Defaults[key] == 2)
    Defaults[key] = 5
    key.reset()
    Defaults[key] = 60
    #expect(seen.all == [[1, 1], [1, 2], [2, 5], [5, 3], [3, 60]])
    observation.invalidate()
    key.reset()
    for await (id, again) in Defaults.updates(key, key) {
      #expect((id, again) == (4, 4))
      break
    }
    #expect(suite.entries == ["id": 4])
    key.reset()
    Defaults.observe(keys: [key]) {}.invalidate()
    #expect(suite.entries == ["id": 5])
  }

  @Test("A value that is only Codable can be an initial value")
  func codable() {
    struct Visit: Codable, Equatable { var number = 1 }
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key("visit", default: Visit(), coding: .json, suite: suite, .generatedOnce)
    #expect(Defaults[key] == Visit())
    #expect(suite.entries == ["visit": #"{"number":1}"#])
  }

  @Test("An initial value that its coding rejects is returned, reported and not stored")
  func unstorable() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
    let key = Defaults.Key(
      "odd", default: 1, coding: .custom(encode: { (_: Int) in String?.none }, decode: { Int($0) }),
      suite: suite, .generatedOnce)
    #expect(Defaults[key] == 1)
    #expect(suite.entries == [:])
    #expect(issues.codes == [.unencodable])
  }

  @Test("An initial value that a rule rejects is returned, reported and not stored")
  func invalid() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
    let key = Defaults.Key("level", suite: suite, .in(0...11), .generatedOnce) { 99 }
    #expect(Defaults[key] == 99)
    #expect(suite.entries == [:])
    #expect(issues.codes == [.invalid])
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(error?.code == .invalid)
    #expect(error?.reason == "The generated default isn't allowed: 99 isn't in 0...11")
  }

  @Test("A registered default precedes the initial value and isn't stored")
  func registered() {
    let suite = Defaults.MemorySuite()
    suite.register(defaults: ["id": 7])
    let key = Defaults.Key("id", default: 1, suite: suite, .generatedOnce)
    #expect(Defaults[key] == 7)
    #expect(suite.entries == [:])
  }
}

/// Counts calls.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
