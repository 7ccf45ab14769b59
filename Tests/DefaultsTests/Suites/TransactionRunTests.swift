import DefaultsLayers
import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Runs of a transaction's body", .timeLimit(.aHang))
struct TransactionRunTests {
  let twins: TwinSuites
  /// Two processes on one file, which read each other's changes only with their own operations.
  let (suite, other): (Defaults.StoredSuite, Defaults.StoredSuite)
  let (a, b): (Defaults.Key<Int>, Defaults.Key<Int>)

  init() throws {
    twins = try TwinSuites()
    suite = try twins.open(isAutomatic: false)
    other = try twins.open(isAutomatic: false)
    (a, b) = (Defaults.Key("a", default: 0), Defaults.Key("b", default: 0))
  }

  @Test("An update runs again when another process commits the same setting first")
  func conflict() throws {
    var runs = 0
    try suite.update(a) { value in
      runs += 1
      if runs == 1 { other[a] = 10 }
      value += 1
    }
    #expect(runs == 2)
    #expect(suite[a] == 11)
    #expect(try twins.stored() == ["a": 11])
  }

  @Test("A transaction runs once if only settings that it doesn't read change")
  func noConflict() throws {
    other[b] = 1
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      other[b] += 1
      draft[a] += 1
    }
    #expect(runs == 1)
    #expect(try twins.stored() == ["a": 1, "b": 2])
  }

  @Test("A transaction that writes a setting without reading it runs once")
  func writeWithoutRead() throws {
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      other[a] = 7
      draft[a] = 5
    }
    #expect(runs == 1)
    #expect(try twins.stored() == ["a": 5])
  }

  @Test("A write of an equal value is stored if another process changed the value meanwhile")
  func equalWrite() throws {
    suite[a] = 5
    try suite.transaction { draft in
      other[a] = 7
      draft[a] = 5
    }
    #expect(try twins.stored() == ["a": 5])
  }

  @Test("A transaction that read a missing setting runs again when another process sets it")
  func absentName() throws {
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      let isMissing = draft.entry(named: "a") == nil
      if runs == 1 { other[a] = 1 }
      if isMissing { draft[b] = 9 }
    }
    #expect(runs == 2)
    #expect(try twins.stored() == ["a": 1])
  }

  @Test("A transaction that read all names runs again when another process adds or removes a name")
  func allNames() throws {
    suite[a] = 1
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      try draft.setEntry(.integer(Int64(draft.names.count)), named: "count")
      if runs == 1 { other[b] = 1 }
      if runs == 2 { other.removeEntry(named: "a") }
    }
    #expect(runs == 3)
    #expect(try twins.stored() == ["b": 1, "count": 1])
  }

  @Test("Removing all entries includes the entries that another process added")
  func removeAll() throws {
    suite[a] = 1
    other[b] = 2
    suite.removeAll()
    #expect(try twins.stored() == [:])
  }

  @Test("An update of a renamed setting runs again when the entry under its previous name changes")
  func previousName() throws {
    other.set(1, forKey: "old")
    let key = Defaults.Key("new", default: 0, .renamed(from: "old"))
    var runs = 0
    try suite.update(key) { value in
      runs += 1
      if runs == 1 { other.set(10, forKey: "old") }
      value += 1
    }
    // This process reads the entry for the first time when it commits.
    #expect(runs <= 3)
    #expect(try twins.stored() == ["new": 11])
  }

  @Test("A transaction runs once when a setting changes and changes back meanwhile")
  func changedBack() throws {
    suite[a] = 1
    try other.refresh()
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      draft[b] = draft[a]
      other[a] = 2
      other[a] = 1
    }
    #expect(runs == 1)
    #expect(try twins.stored() == ["a": 1, "b": 1])
  }

  @Test("The third run of a transaction's body holds the lock and is the last run")
  func thirdRun() throws {
    var runs = 0
    var isLocked: [Bool] = []
    suite[b] = 1
    try suite.update(a) { value in
      runs += 1
      isLocked.append(try !twins.canLock())
      if runs < 3 { other[a] += 10 }
      value += 1
    }
    #expect(runs == 3)
    #expect(isLocked == [false, false, true])
    #expect(try twins.stored() == ["a": 21, "b": 1])
  }

  @Test("A transaction's body that throws because of an outdated value runs again")
  func staleThrow() throws {
    suite[a] = 1
    _ = other[a]
    try other.refresh()
    suite[a] = 10
    var runs = 0
    try other.update(a) { value in
      runs += 1
      guard value >= 5 else { throw Rejection() }
      value -= 5
    }
    #expect(runs == 2)
    #expect(try twins.stored() == ["a": 5])
  }

  @Test("A transaction of a layered suite runs again when a layer changes meanwhile")
  func layer() throws {
    let above = Defaults.MemorySuite(["a": 1])
    let layered = try Defaults.LayeredSuite(
      .layer(above, name: "above"), .writable(suite))
    var runs = 0
    try layered.transaction { draft in
      runs += 1
      let value = draft[a]
      if runs == 1 { try Thread.running { above.set(2, forKey: "a") } }
      draft[b] = value
    }
    #expect(runs == 2)
    #expect(try twins.stored() == ["b": 2])
  }

  @Test("Concurrent updates of two processes are exact, and no body runs more than three times")
  func exact() async throws {
    let runs = Log<Int>()
    let (suites, count) = ([try twins.open(), try twins.open()], 40)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for suite in suites + suites {
        group.addTask {
          for _ in 0..<count {
            var own = 0
            try suite.update(a) { value in
              own += 1
              value += 1
            }
            runs.append(own)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try twins.stored() == ["a": .integer(Int64(4 * count))])
    #expect(runs.all.allSatisfy { (1...3).contains($0) })
  }
}

extension TransactionRunTests {
  struct Rejection: Error {}
}

extension Thread {
  /// Runs a body on another thread, and waits for it.
  static func running(_ body: @escaping @Sendable () throws -> Void) throws {
    let errors = Log<any Error>()
    let isDone = DispatchSemaphore(value: 0)
    detachNewThread {
      do { try body() } catch { errors.append(error) }
      isDone.signal()
    }
    isDone.wait()
    if let error = errors.last { throw error }
  }
}

extension TwinSuites {
  /// Whether no process holds the lock of the journal.
  fileprivate func canLock() throws -> Bool {
    let journal = try LocalFileSystem().open(folder["suite.plist.journal"], .update)
    return try journal.tryLock()
  }
}
