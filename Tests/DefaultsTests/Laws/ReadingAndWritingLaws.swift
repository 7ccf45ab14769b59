import Defaults
import Foundation
import Synchronization
import Testing

/// Laws 1 to 6, 11 and 12 of the design, for every suite in the package.
@Suite("Laws of reading and writing")
struct ReadingAndWritingLaws {
  @Test(
    "A read gives the committed value, also while a transaction's body runs",
    arguments: SuiteKind.allCases)
  func readsDontWaitForTransactions(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("count", default: 0, suite: sample.suite)
    sample.suite[key] = 1
    sample.suite.transaction { draft in
      draft[key] = 2
      // On this thread, and on another one that would never come back if reading took the lock.
      #expect(Defaults[key] == 1)
      let seen = Mutex<Int?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        seen.withLock { $0 = Defaults[key] }
        done.signal()
      }
      done.wait()
      #expect(seen.withLock { $0 } == 1)
      #expect(draft[key] == 2)
    }
    #expect(Defaults[key] == 2)
  }

  @Test("A write is visible to every reader when the setter returns", arguments: SuiteKind.allCases)
  func writesAreVisible(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("count", default: 0, suite: sample.suite)
    let twin = Defaults.Key("count", default: 0, suite: sample.suite)
    for number in 1...100 {
      Defaults[key] = number
      let seen = await Task.detached {
        (Defaults[twin], sample.suite[key], sample.suite.integer(forKey: "count"))
      }.value
      #expect(seen == (number, number, number))
    }
    _ = sample
  }

  @Test(
    "A value that can't be encoded leaves the old one and says so", arguments: SuiteKind.allCases)
  func unencodableValues(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("odd", default: Odd(number: 1), suite: sample.suite)
    Defaults[key] = Odd(number: 3)
    Defaults[key] = Odd(number: 4)
    #expect(Defaults[key].number == 3)
    #expect(sample.issues.codes == [.unencodable])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.set(Odd(number: 4), for: key)
    }
    #expect(error?.code == .unencodable)
    #expect(error?.key == "odd")
    #expect(Defaults[key].number == 3)
  }

  @Test(
    "A stored entry that doesn't decode stays, gives the default, and is reported once",
    arguments: SuiteKind.allCases)
  func undecodableEntries(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    sample.suite.set("many", forKey: "count")
    let key = Defaults.Key("count", default: 7, suite: sample.suite)
    #expect(Defaults[key] == 7)
    #expect(Defaults[key] == 7)
    #expect(sample.suite[key] == 7)
    #expect(sample.issues.codes == [.undecodable])
    #expect(sample.suite.entry(named: "count") == "many")
    let error = #expect(throws: Defaults.SuiteError.self) { try sample.suite.value(for: key) }
    #expect(error?.code == .undecodable)
    #expect(error?.description.contains("count") == true)
    Defaults[key] = 8
    #expect(try sample.suite.value(for: key) == 8)
  }

  @Test(
    "One bad element neither erases its siblings nor shortens the collection",
    arguments: SuiteKind.allCases)
  func badElements(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    sample.suite.set([1, "two", 3], forKey: "numbers")
    let key = Defaults.Key<[Int]>("numbers", default: [0], suite: sample.suite)
    #expect(Defaults[key] == [0])
    #expect(sample.issues.all.first?.description.contains("[1]") == true)
    #expect(sample.suite.entry(named: "numbers") == [1, "two", 3])
  }

  @Test("Writing an equal value is no change", arguments: SuiteKind.allCases)
  func equalValues(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key<Set<String>>("tags", default: [], suite: sample.suite)
    Defaults[key] = ["a", "b", "c"]
    let changes = Log<Defaults.Change>()
    let observation = sample.suite.observe(nil, options: []) { changes.append($0) }
    Defaults[key] = ["c", "a", "b"]
    Defaults.update(key) { $0.insert("a") }
    sample.suite.transaction { $0[key] = ["b", "c", "a"] }
    #expect(changes.count == 0)
    Defaults[key] = ["a"]
    #expect(changes.count == 1)
    observation.invalidate()
  }

  @Test("A transaction is one change", arguments: SuiteKind.allCases)
  func transactionsAreOneChange(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let a = Defaults.Key("a", default: 0, suite: sample.suite)
    let b = Defaults.Key("b", default: "", suite: sample.suite)
    let changes = Log<Defaults.Change>()
    let observation = sample.suite.observe(nil, options: []) { changes.append($0) }
    sample.suite.transaction { draft in
      draft[a] += 1
      draft[a] += 1
      draft[b] = "x"
      #expect(draft.names == ["a", "b"])
      draft.reset(b)
      draft[b] = "y"
    }
    #expect(changes.all.map(\.names) == [["a", "b"]])
    #expect(changes.last?.entries["a"] == .init(old: nil, new: 2))
    #expect((Defaults[a], Defaults[b]) == (2, "y"))
    observation.invalidate()
  }

  @Test("A transaction whose body throws changes nothing", arguments: SuiteKind.allCases)
  func transactionsRollBack(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let a = Defaults.Key("a", default: 0, suite: sample.suite)
    let odd = Defaults.Key("odd", default: Odd(number: 1), suite: sample.suite)
    Defaults[a] = 1
    let changes = Log<Defaults.Change>()
    let observation = sample.suite.observe(nil, options: []) { changes.append($0) }
    #expect(throws: CancellationError.self) {
      try sample.suite.transaction { draft in
        draft[a] = 2
        draft.removeAll()
        throw CancellationError()
      }
    }
    #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.transaction { draft in
        draft[a] = 3
        try draft.set(Odd(number: 2), for: odd)
      }
    }
    #expect(throws: CancellationError.self) {
      try sample.suite.update(a) { value in
        value = 4
        throw CancellationError()
      }
    }
    #expect(Defaults[a] == 1)
    #expect(changes.count == 0)
    observation.invalidate()
  }

  @Test("Updates from many threads are all counted", arguments: SuiteKind.allCases)
  func updatesAreAtomic(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("count", default: 0, suite: sample.suite)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<25 { Defaults.update(key) { $0 += 1 } }
    }
    #expect(Defaults[key] == 200)
    _ = sample
  }

  @Test("Keys of one name and suite are equal and the same setting", arguments: SuiteKind.allCases)
  func equalKeys(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let first = Defaults.Key("x", default: 1, suite: sample.suite)
    let second = Defaults.Key<Int?>("x", suite: sample.suite)
    let elsewhere = Defaults.Key("x", default: 1, suite: Defaults.MemorySuite())
    #expect(first as Defaults.AnyKey == second)
    #expect(first as Defaults.AnyKey != elsewhere)
    #expect(Set<Defaults.AnyKey>([first, second, elsewhere]).count == 2)
    Defaults[second] = 5
    #expect(Defaults[first] == 5)
    #expect(Defaults[elsewhere] == 1)
  }

  @Test("What is stored is stored exactly, or refused", arguments: SuiteKind.persistent, Exact.all)
  func exactness(kind: SuiteKind, exact: Exact) throws {
    let sample = try Sample(kind)
    do {
      try sample.suite.transaction { draft throws(Defaults.SuiteError) in
        try draft.setEntry(exact.value, named: "value")
      }
    } catch {
      #expect(error.code == .unrepresentable)
      #expect(
        kind == .xmlFile || kind == .userDefaults, "a binary file takes every value: \(error)")
      #expect(sample.suite.entry(named: "value") == nil)
      return
    }
    #expect(sample.suite.entry(named: "value") == exact.value)
    #expect(try sample.storedEntries()["value"] == exact.value)
  }

  @Test(
    "A value that is too deep is refused, the deepest that isn't is kept",
    arguments: SuiteKind.allCases)
  func depth(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    func nested(_ levels: Int) -> Defaults.PropertyListValue {
      (1..<levels).reduce(1) { value, _ in [value] }
    }
    let limit = Defaults.PropertyListValue.maximumDepth
    sample.suite.set(nested(limit), forKey: "deep")
    sample.suite.set(nested(limit + 1), forKey: "deep")
    #expect(sample.issues.codes == [.unrepresentable])
    #expect(sample.suite.entry(named: "deep") == nested(limit))
    if SuiteKind.persistent.contains(kind) {
      #expect(try sample.storedEntries()["deep"] == nested(limit))
    }
  }
}

/// A number that has to be odd, with a bridge that refuses others.
private struct Odd: Defaults.Serializable, Equatable {
  let number: Int

  static let bridge = Bridge()

  struct Bridge: Defaults.Bridge {
    func serialize(_ value: Odd?) -> Int? {
      value.flatMap { $0.number.isMultiple(of: 2) ? nil : $0.number }
    }
    func deserialize(_ object: Int?) -> Odd? {
      object.flatMap { $0.isMultiple(of: 2) ? nil : Odd(number: $0) }
    }
  }
}

/// A value that some stores don't bring back as it was.
struct Exact: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let value: Defaults.PropertyListValue

  init(_ description: String, _ value: Defaults.PropertyListValue) {
    testDescription = description
    self.value = value
  }

  static let all: [Exact] = [
    Exact("true", true), Exact("false", false),
    Exact("0", 0), Exact("1", 1), Exact("-1", -1),
    Exact("Int64.min", .integer(.min)), Exact("Int64.max", .integer(.max)),
    Exact("UInt64.max", .unsignedInteger(.max)),
    Exact("1.0", 1.0), Exact("0.1", 0.1), Exact("-0.0", -0.0),
    Exact("least subnormal", .real(.leastNonzeroMagnitude)),
    Exact("greatest real", .real(.greatestFiniteMagnitude)),
    Exact("NaN", .real(.nan)), Exact("infinity", .real(.infinity)),
    Exact("-infinity", .real(-.infinity)),
    Exact("date with a fraction", .date(Date(timeIntervalSinceReferenceDate: 1.123456789))),
    Exact("whole date", .date(Date(timeIntervalSinceReferenceDate: 700_000_000))),
    Exact("distant past", .date(.distantPast)), Exact("distant future", .date(.distantFuture)),
    Exact("empty string", ""), Exact("spaces", " \t x \n "), Exact("CR LF", "a\r\nb\rc"),
    Exact("NUL", "a\u{0}b"), Exact("control characters", "\u{1}\u{1f}\u{7f}\u{85}"),
    Exact("markup", "<&>\"'"), Exact("emoji", "👩‍👩‍👧‍👦🦄"), Exact("NFC", "\u{e9}"),
    Exact("NFD", "e\u{301}"), Exact("noncharacter", "\u{fffe}\u{ffff}"),
    Exact("huge string", .string(String(repeating: "0123456789", count: 100_000))),
    Exact("empty data", .data(Data())), Exact("data", .data(Data(0...255))),
    Exact("empty array", []), Exact("empty dictionary", [:]),
    Exact("empty name", ["": 1]), Exact("dots", ["a.b": ["c.d": [1, "2", 3.0, true]]]),
  ]
}
