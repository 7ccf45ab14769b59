import Defaults
import Foundation
import Testing

extension Defaults.SuiteRequirement {
  /// Requirements on writes, updates and transactions.
  static let ofWriting: [Self] = [
    Self(
      5, "Writing an equal value is no change",
      equalValues),
    Self(
      6, "A transaction is one change",
      transactionsAreOneChange),
    Self(
      6, "A transaction whose body throws changes nothing",
      transactionsRollBack),
    Self(
      6, "Updates from many threads are atomic",
      updatesAreAtomic),
    Self(
      13, "A set during a transaction isn't lost, and the transaction uses no older value",
      setsDuringTransactions),
    Self(
      11, "Keys with one name and suite are equal and access the same setting",
      equalKeys),
  ]

  private static func equalValues(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key<Set<String>>("tags", default: [], suite: suite)
    Defaults[key] = ["a", "b", "c"]
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil, options: []) { changes.append($0) }
    Defaults[key] = ["c", "a", "b"]
    _ = try Defaults.update(key) { $0.insert("a") }
    try suite.transaction { $0[key] = ["b", "c", "a"] }
    #expect(changes.count == 0)
    Defaults[key] = ["a"]
    #expect(changes.count == 1)
    observation.invalidate()
  }

  private static func transactionsAreOneChange(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let a = Defaults.Key("a", default: 0, suite: suite)
    let b = Defaults.Key("b", default: "", suite: suite)
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil, options: []) { changes.append($0) }
    try suite.transaction { draft in
      draft[a] += 1
      draft[a] += 1
      draft[b] = "x"
      #expect(draft.names.subtracting(suite.names) == ["a", "b"])
      draft.reset(b)
      draft[b] = "y"
    }
    #expect(changes.all.map(\.names) == [["a", "b"]])
    #expect(changes.last?.entries["a"] == .init(old: nil, new: 2))
    #expect((Defaults[a], Defaults[b]) == (2, "y"))
    observation.invalidate()
  }

  private static func transactionsRollBack(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let a = Defaults.Key("a", default: 0, suite: suite)
    let odd = Defaults.Key("odd", default: Odd(number: 1), suite: suite)
    Defaults[a] = 1
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil, options: []) { changes.append($0) }
    #expect(throws: CancellationError.self) {
      try suite.transaction { draft in
        draft[a] = 2
        draft.removeAll()
        throw CancellationError()
      }
    }
    #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in
        draft[a] = 3
        try draft.set(Odd(number: 2), for: odd)
      }
    }
    #expect(throws: CancellationError.self) {
      try suite.update(a) { value in
        value = 4
        throw CancellationError()
      }
    }
    #expect(Defaults[a] == 1)
    #expect(changes.count == 0)
    observation.invalidate()
  }

  private static func updatesAreAtomic(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("count", default: 0, suite: suite)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<25 { #expect(throws: Never.self) { try Defaults.update(key) { $0 += 1 } } }
    }
    #expect(Defaults[key] == 200)
  }

  private static func setsDuringTransactions(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    // The first one calls `write(_:named:)`. A suite may override both functions.
    let setters: [@Sendable (_ number: Int, _ name: String) -> Void] = [
      { suite.set($0, forKey: $1) },
      { number, name in
        suite.write { try? $0.setEntry(.integer(Int64(number)), named: name) }
      },
    ]
    var number = 0
    // Twice each, since a busy machine may delay a set.
    for name in ["read", "updated", "read", "updated"] {
      for set in setters {
        number += 1
        try updateDuringSet(of: name, to: number, set, suite)
      }
    }
  }

  /// Runs an update that depends on a setting, and sets that setting on another thread after the
  /// update has read it.
  private static func updateDuringSet(
    of name: String, to number: Int,
    _ set: @escaping @Sendable (_ number: Int, _ name: String) -> Void, _ suite: any Defaults.Suite
  ) throws {
    let source = Defaults.Key(name, default: 0, suite: suite)
    let updated = Defaults.Key("updated", default: 0, suite: suite)
    let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Whether the set returned during the first run of the body.
    var isSetFirst: Bool?
    try suite.transaction { draft in
      let value = draft[source]
      if isSetFirst == nil {
        Thread.detachNewThread {
          begun.signal()
          set(number, name)
          done.signal()
        }
        begun.wait()
        // In some suites, the set waits for the end of the transaction.
        isSetFirst = done.wait(timeout: .now() + 0.1) == .success
      }
      draft[updated] = value + 1_000
    }
    if isSetFirst == true {
      #expect(Defaults[updated] == number + 1_000, "the transaction doesn't use the new value")
    } else {
      done.wait()
    }
    let expected = name == "updated" ? [number, number + 1_000] : [number]
    #expect(expected.contains(Defaults[source]), "the set is lost")
  }

  private static func equalKeys(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let first = Defaults.Key("x", default: 1, suite: suite)
    let second = Defaults.Key<Int?>("x", suite: suite)
    let elsewhere = Defaults.Key("x", default: 1, suite: Defaults.MemorySuite())
    #expect(first as Defaults.AnyKey == second)
    #expect(first as Defaults.AnyKey != elsewhere)
    #expect(Set<Defaults.AnyKey>([first, second, elsewhere]).count == 2)
    Defaults[second] = 5
    #expect(Defaults[first] == 5)
    #expect(Defaults[elsewhere] == 1)
  }
}
