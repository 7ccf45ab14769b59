import Foundation
import Testing

@testable import Defaults

@Suite("Previous names of keys")
struct PreviousNameTests {
  private func key(
    _ suite: any Defaults.Suite, _ names: [String] = ["old", "oldest"], name: String = "new"
  ) -> Defaults.Key<Int> {
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      Defaults.Key(name, default: 1, previousNames: names, suite: suite)
    }
    return make(suite)
  }

  @Test(
    "Whatever uses a key moves the entry of the latest name that has one, once",
    arguments: SuiteKind.allCases.filter { $0 != .userDefaults })
  func everyDoor(kind: SuiteKind) throws {
    let doors: [(any Defaults.Suite, Defaults.Key<Int>) throws -> Bool] = [
      { _, key in Defaults[key] == 3 }, { suite, key in suite[key] == 3 },
      { suite, key in try suite.value(for: key) == 3 },
      { suite, key in suite.contains(key) }, { _, key in !key.isDefaultValue },
      { _, key in
        Defaults.observe(key) { _ in }.invalidate()
        return true
      },
      { _, key in
        Defaults.observe(keys: key) {}.invalidate()
        return true
      },
      { _, key in
        _ = Defaults.updates(key); return true
      },
      { _, key in
        _ = Defaults.updates(key, key); return true
      },
      { _, key in Defaults.ObservableDefault(key).wrappedValue == 3 },
    ]
    for (number, door) in doors.enumerated() {
      let sample = try Sample(kind)
      let suite = sample.suite
      let key = key(suite)
      #expect(Defaults[key] == 1)
      suite.set(2, forKey: "oldest")
      suite.set(3, forKey: "old")
      let changes = Log<Set<String>>()
      let observation = suite.observe(nil, options: []) { changes.append($0.names) }
      let again = self.key(suite)
      #expect(try door(suite, again), "door \(number)")
      #expect(suite.entry(named: "new") == 3, "door \(number)")
      #expect(suite.entry(named: "old") == nil)
      #expect((Defaults[key], Defaults[again], suite[key]) == (3, 3, 3))
      #expect(changes.all.map { $0.subtracting(["oldest"]) } == [["new", "old"]])
      observation.invalidate()
    }
  }

  @Test(
    "Access by name means the very name",
    arguments: SuiteKind.allCases.filter { $0 != .userDefaults })
  func untyped(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    suite.set(3, forKey: "old")
    #expect(suite.integer(forKey: "new") == 1)
    #expect(Defaults[key] == 3)
    #expect(suite.dictionaryRepresentation()["new"] == 3)
    suite.removeObject(forKey: "new")
    #expect(Defaults[key] == 1)
    suite.set(4, forKey: "new")
    suite.set(5, forKey: "old")
    #expect(Defaults[key] == 4)
    suite.removeEntry(named: "new")
    #expect(suite.entry(named: "old") == 5)
  }

  @Test(
    "Setting and resetting take away what lies under a previous name",
    arguments: SuiteKind.allCases)
  func writing(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = key(suite)
    func names() -> Set<String> { suite.names.intersection(["new", "old", "oldest"]) }
    let settings: [() throws -> Void] = [
      { Defaults[key] = 6 }, { try suite.set(6, for: key) },
      { _ = Defaults.update(key) { $0 += 1 } }, { _ = try suite.increment(key) },
      { try suite.transaction { $0[key] += 1 } }, { _ = try suite.setValues((key, 6)) },
    ]
    for set in settings {
      suite.set(5, forKey: "old")
      suite.set(4, forKey: "oldest")
      try set()
      #expect(names() == ["new"])
      #expect(Defaults[key] == 6)
      suite.removeObject(forKey: "new")
    }
    let resets: [() throws -> Void] = [
      { key.reset() }, { Defaults.reset(key) }, { suite.reset(key) },
      { try suite.transaction { $0.reset(key) } },
    ]
    for reset in resets {
      suite.set(5, forKey: "old")
      suite.set(6, forKey: "new")
      try reset()
      #expect(names() == [])
      #expect(Defaults[key] == 1)
    }
    suite.set(7, forKey: "old")
    #expect(try suite.setValues((key, 8), skippingPresent: true) == [])
    #expect(Defaults[key] == 7)
  }

  @Test("Of two keys that had one name the first that is used gets the entry")
  func shared() {
    let suite = Defaults.MemorySuite(["volume": 9])
    let (music, effects) = (
      key(suite, ["volume"], name: "music"), key(suite, ["volume"], name: "effects")
    )
    #expect((Defaults[music], Defaults[effects]) == (9, 1))
    #expect(suite.entries == ["music": 9])
  }

  @Test("An equal key that doesn't know the previous name finds the entry when it was moved")
  func equalKeys() {
    let suite = Defaults.MemorySuite(["old": 2])
    let plain = key(suite, [])
    let seen = Log<[Int]>()
    let observation = Defaults.observe(plain) { seen.append([$0.oldValue, $0.newValue]) }
    #expect(Defaults[plain] == 1)
    #expect(Defaults[key(suite)] == 2)
    #expect(Defaults[plain] == 2)
    #expect(seen.all == [[1, 1], [1, 2]])
    observation.invalidate()
  }

  @Test(
    "Observers and streams begin with the entry that was moved",
    arguments: SuiteKind.allCases.filter { $0 != .userDefaults })
  func observing(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    suite.set(2, forKey: "old")
    let key = key(suite)
    let all = Log<[Int]>()
    let observation = Defaults.observe(key) { all.append([$0.oldValue, $0.newValue]) }
    suite.set(9, forKey: "old")
    Defaults[key] = 3
    key.reset()
    #expect(all.all == [[2, 2], [2, 3], [3, 1]])
    observation.invalidate()
    suite.set(4, forKey: "oldest")
    var stream = Defaults.updates(key, key).makeAsyncIterator()
    let first = await stream.next()
    #expect(try #require(first) == (4, 4))
  }

  @Test("Keys of the standard suite move entries in the scope that they are used in")
  func scopes() {
    let suite = Defaults.MemorySuite(["scope.was": 5])
    Defaults.withSuite(suite) {
      let key = Defaults.Key("scope.is", default: 1, previousNames: ["scope.was"])
      #expect(Defaults[key] == 5)
      #expect(suite.integer(forKey: "scope.is") == 5)
      Defaults[key] += 1
    }
    #expect(suite.entries == ["scope.is": 6])
  }

  @Test("A key that names itself as a previous one keeps what it writes")
  func itself() {
    let suite = Defaults.MemorySuite()
    let key = key(suite, ["a"], name: "a")
    Defaults[key] = 3
    #expect(Defaults[key] == 3)
    #expect(suite.entries == ["a": 3])
  }

  @Test("A previous name comes before an initial value")
  func initial() {
    let suite = Defaults.MemorySuite(["was": 5])
    let key = Defaults.Key("id", initial: 7, previousNames: ["was"], suite: suite)
    #expect(Defaults[key] == 5)
    #expect(suite.entries == ["id": 5])
  }
}

@Suite("Previous names where nothing can be moved")
struct UnmovedEntryTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("In a transaction a read gives the value, and the next one moves it")
  func transactions() throws {
    let suite = Defaults.MemorySuite(["old": 5])
    let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suite)
    let seen = try suite.transaction { draft in
      [Defaults[key], draft[key], try draft.value(for: key), suite[key]]
    }
    #expect(seen == [5, 5, 5, 5])
    #expect(suite.entries == ["old": 5])
    #expect(Defaults[key] == 5)
    #expect(suite.entries == ["new": 5])
  }

  @Test("A read while a transaction runs elsewhere doesn't wait for it")
  func readBesideTransaction() throws {
    let suite = Defaults.MemorySuite(["old": 5])
    let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suite)
    let read = DispatchSemaphore(value: 0)
    let seen = Log<Int>()
    try suite.transaction { _ in
      Thread.detachNewThread {
        seen.append(Defaults[key])
        read.signal()
      }
      #expect(read.wait(timeout: .now() + 60) == .success)
    }
    #expect(seen.all == [5])
    #expect(suite.entries == ["old": 5])
    #expect(Defaults[key] == 5)
    #expect(suite.entries == ["new": 5])
  }

  @Test(
    "A suite on UserDefaults can't tell whether it is free: reading leaves the entry, setting moves"
  )
  func userDefaults() async throws {
    let domain = try UserDefaultsDomain()
    let suite = Defaults.UserDefaultsSuite(try domain.open())
    suite.set(5, forKey: "old")
    let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suite)
    #expect((Defaults[key], try suite.value(for: key)) == (5, 5))
    #expect(suite.contains(key) && !suite.contains("new"))
    var stream = Defaults.updates(key).makeAsyncIterator()
    #expect(await stream.next() == 5)
    Defaults[key] += 1
    #expect(await stream.next() == 6)
    #expect((suite.integer(forKey: "new"), suite.contains("old")) == (6, false))
  }

  @Test("Of many threads and processes that read at once one moves it, and each finds the value")
  func race() throws {
    try twins.replaceFile(with: ["old": 5])
    let suites = try (0..<4).map { _ in try twins.open() }
    let values = Log<Int>()
    DispatchQueue.concurrentPerform(iterations: 16) { index in
      let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suites[index % 4])
      for _ in 0..<20 { values.append(Defaults[key]) }
    }
    #expect(values.all == Array(repeating: 5, count: 320))
    #expect(try twins.stored() == ["new": 5])
    #expect(twins.issues.count == 0)
  }

  @Test("Beside a process that keeps the lock the value is read where it is, without an issue")
  func locked() throws {
    let suite = try twins.open()
    suite.set(5, forKey: "old")
    let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suite)
    let lock = try twins.holdLock()
    #expect((Defaults[key], Defaults[key]) == (5, 5))
    #expect(suite.entries == ["old": 5])
    try lock.unlock()
    #expect(Defaults[key] == 5)
    #expect(try twins.stored() == ["new": 5])
    #expect(twins.issues.count == 0)
  }

  @Test("A process that may not write reads the value where it is, and observes it")
  func readOnly() async throws {
    try twins.replaceFile(with: ["old": 5])
    await #expect(processExitsWith: .success) { [path = twins.folder.path as String] in
      becomeOrdinaryUser(owning: path)
      chmod(path, 0o500)
      let issues = IssueLog()
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path + "/suite.plist"), onIssue: { issues.append($0) })
      let before = issues.count
      let key = Defaults.Key("new", default: 1, previousNames: ["old"], suite: suite)
      #expect((Defaults[key], Defaults[key], suite[key]) == (5, 5, 5))
      let seen = Log<Int>()
      let observation = Defaults.observe(key) { seen.append($0.newValue) }
      var stream = Defaults.updates(key, key).makeAsyncIterator()
      let first = await stream.next()
      #expect(try #require(first) == (5, 5))
      #expect(seen.all == [5])
      #expect(suite.entries == ["old": 5])
      #expect(issues.count == before)
      observation.invalidate()
      chmod(path, 0o700)
    }
  }
}
