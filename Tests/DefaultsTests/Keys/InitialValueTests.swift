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
    let values = Log<UUID>()
    DispatchQueue.concurrentPerform(iterations: 16) { index in
      let key = Defaults.Key("id", suite: suites[index % 4].suite, .generatedOnce) { UUID() }
      values.append(Defaults[key])
    }
    #expect(Set(values.all).count == 1)
    #expect(values.count == 16)
    for suite in suites { suite.kill() }
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

  @Test("A read of an initial value doesn't wait for a transaction of another thread")
  func readBesideTransaction() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) { UUID() }
    let read = DispatchSemaphore(value: 0)
    let seen = Log<UUID>()
    try suite.transaction { _ in
      Thread.detachNewThread {
        seen.append(Defaults[key])
        read.signal()
      }
      #expect(read.wait(timeout: .now() + 60) == .success)
    }
    #expect(seen.all == [Defaults[key]])
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

@Suite("Stored nil values")
struct StoredNilTests {
  @Test("A stored nil differs from an unset value")
  func explicitNil() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String?>("name", default: "Bo", coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == "Bo")
    Defaults[key] = nil
    #expect(Defaults[key] == nil)
    #expect(suite.entries == ["name": []])
    #expect(suite.contains(key))
    Defaults[key] = "Al"
    #expect(suite.entries == ["name": "Al"])
    Defaults[key] = nil
    key.reset()
    #expect(Defaults[key] == "Bo")
  }

  @Test("An array differs from a stored nil and is read if stored without storingNil")
  func arrays() throws {
    let suite = Defaults.MemorySuite(["numbers": [1, 2]])
    let key = Defaults.Key<[Int]?>("numbers", default: [0], coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == [1, 2])
    for value in [nil, [], [1], [1, 2]] as [[Int]?] {
      Defaults[key] = value
      #expect(Defaults[key] == value)
      #expect(try suite.value(for: key) == value)
    }
    #expect(suite.entries == ["numbers": [[1, 2]]])
  }

  @Test("With a nil default, keys and properties return nil, whether set or not")
  func withoutDefault() {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String?>("name", default: nil, coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == nil)
    #expect(!suite.contains(key))
    Defaults[key] = nil
    #expect(suite.entries == ["name": []])
    let nested = Nested(suite: suite)
    #expect(nested.lists == nil)
    nested.lists = [["x"]]
    #expect(nested.lists == [["x"]])
    #expect(suite.entry(named: "lists") == [[["x"]]])
  }

  private struct Nested: Defaults.Schema {
    @Stored(coding: .storingNil()) var lists: [[String]]? = nil
  }

  @Test("An array that was stored before the key used storingNil is read unchanged")
  func earlierArrays() throws {
    let suite = Defaults.MemorySuite(["lists": [["x"]]])
    let settings = Nested(suite: suite)
    #expect(try suite.value(for: settings.$lists) == [["x"]])
    suite.set([["x"], ["y"]] as Defaults.PropertyListValue, forKey: "lists")
    #expect(settings.lists == [["x"], ["y"]])
  }

  @Test("Any coding can store nil")
  func codings() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<[String: Int]?>(
      "x", default: ["a": 1], coding: .storingNil(.json), suite: suite)
    Defaults[key] = nil
    #expect(Defaults[key] == nil)
    Defaults[key] = ["b": 2]
    #expect(Defaults[key] == ["b": 2])
    #expect(suite.string(forKey: "x") == #"{"b":2}"#)
  }
}

/// Counts calls.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
