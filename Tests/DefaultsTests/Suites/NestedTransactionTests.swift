import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Defaults

@Suite("Transactions inside those of other suites")
struct NestedTransactionTests {
  @Test(
    "Nested transactions are exact; the inner one is repeated when the outer one runs again",
    .timeLimit(.aHang))
  func oneOrder() async throws {
    let runs = Log<Void>()
    let (one, two) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let (a, b) = (
      Defaults.Key("a", default: 0, suite: one), Defaults.Key("b", default: 0, suite: two)
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            try one.transaction { outer in
              outer[a] += 1
              runs.append(())
              try two.update(b) { $0 += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect((one[a], two[b]) == (400, runs.count))
  }

  @Test(
    "Two threads that nest transactions of two suites in opposite orders both end",
    .timeLimit(.aHang))
  func oppositeOrder() throws {
    let folder = try TemporaryFolder()
    let suites = try ["one.plist", "two.plist"].map {
      try Defaults.PropertyListSuite(url: folder.url($0))
    }
    // Both threads are in their outer transaction before either begins its inner one.
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let errors = Log<any Error>()
    onTwoThreads { number in
      let (outer, inner) = (suites[number], suites[1 - number])
      do {
        try outer.transaction { draft in
          try draft.setEntry(1, named: "outer \(number)")
          isInside[number].signal()
          isInside[1 - number].wait()
          try inner.transaction { try $0.setEntry(1, named: "inner \(number)") }
        }
      } catch {
        errors.append(error)
      }
    }
    #expect(errors.count == 0)
    #expect(suites[0].entries == ["outer 0": 1, "inner 1": 1])
    #expect(suites[1].entries == ["outer 1": 1, "inner 0": 1])
  }

  @Test(
    "A call to another suite in a transaction doesn't wait for that suite's transaction body",
    .timeLimit(.aHang), arguments: ["flush", "refresh", "observe", "set"])
  func waitingInOppositeOrder(call: String) throws {
    let folder = try TemporaryFolder()
    let one = try Defaults.PropertyListSuite(url: folder.url("one.plist"))
    let two = try Defaults.PropertyListSuite(url: folder.url("two.plist"))
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let errors = Log<any Error>()
    onTwoThreads { number in
      do {
        try [one, two][number].transaction { draft in
          try draft.setEntry(1, named: "b")
          isInside[number].signal()
          isInside[1 - number].wait()
          if number == 1 { return try one.transaction { try $0.setEntry(1, named: "a") } }
          switch call {
          case "flush": try two.flush()
          case "refresh": try two.refresh()
          case "set": two.set(1, forKey: "a")
          default: two.observe(nil) { _ in }.invalidate()
          }
        }
      } catch {
        errors.append(error)
      }
    }
    #expect(errors.count == 0)
    #expect(one.entries == ["a": 1, "b": 1])
    #expect(two.entries == (call == "set" ? ["a": 1, "b": 1] : ["b": 1]))
  }

  @Test(
    "At least one of two threads that wait for each other's suite lock throws `locked`",
    .timeLimit(.aHang))
  func bothWithLock() throws {
    let twins = try TwinSuites()
    let names = ["one.plist", "two.plist"]
    let suites = try names.map { try twins.open($0, isAutomatic: false) }
    let others = try names.map { try twins.open($0, isAutomatic: false) }
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let errors = Log<Defaults.SuiteError>()
    onTwoThreads { number in
      let count = Defaults.Key("count", default: 0)
      var runs = 0
      do {
        try suites[number].update(count) { value in
          runs += 1
          value += 1
          if runs < 3 { return others[number][count] += 10 }
          isInside[number].signal()
          isInside[1 - number].wait()
          try suites[1 - number].increment(count, by: 100)
        }
      } catch {
        if let error = error as? Defaults.SuiteError { errors.append(error) }
      }
    }
    // Usually one of them; both if their deadlines happen to be equal.
    #expect((1...2).contains(errors.count))
    #expect(errors.all.allSatisfy { $0.code == .locked })
    for error in errors.all { #expect(error.description.contains(error.suite ?? "no suite")) }
  }

  @Test("A task that was started in a transaction and outlives it isn't part of the transaction")
  func taskStartedInside() async throws {
    let (one, two) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let seen = Log<Void>()
    let observation = two.observe(["a"]) { _ in seen.append(()) }
    // Often on the thread of the transaction: the pool has few threads.
    for number in 1...500 {
      let task = try one.transaction { _ in
        Task {
          one.set(number, forKey: "a")
          two.set(number, forKey: "a")
        }
      }
      await task.value
      #expect(seen.count == number)
    }
    #expect(one.integer(forKey: "a") == 500)
    observation.invalidate()
  }

  @Test("Handlers run after the outermost transaction and may write its suite")
  func handlers() throws {
    let (one, two, three) = (
      Defaults.MemorySuite(), Defaults.MemorySuite(), Defaults.MemorySuite()
    )
    let seen = Log<Int>()
    let observation = three.observe(["a"]) { change in
      guard case .integer(let value)? = change.entries["a"]?.new else { return }
      seen.append(Int(value))
      one.set(value, forKey: "copy")
      two.set(value, forKey: "copy")
    }
    try one.transaction { draft in
      try draft.setEntry(1, named: "b")
      try two.transaction { _ in
        three.set(5, forKey: "a")
        #expect(seen.all == [])
      }
      #expect(seen.all == [])
      three.set(6, forKey: "a")
      try draft.setEntry(2, named: "b")
    }
    #expect(seen.all == [5, 6])
    #expect(one.entries == ["b": 2, "copy": 6])
    #expect(two.entries == ["copy": 6])
    observation.invalidate()
  }
}

/// Runs a body for 0 and for 1 at the same time. On a machine with one processor,
/// `concurrentPerform` would run one after the other.
private func onTwoThreads(_ body: @escaping @Sendable (Int) -> Void) {
  let end = DispatchSemaphore(value: 0)
  for number in 0..<2 {
    Thread.detachNewThread {
      body(number)
      end.signal()
    }
  }
  for _ in 0..<2 { end.wait() }
}
