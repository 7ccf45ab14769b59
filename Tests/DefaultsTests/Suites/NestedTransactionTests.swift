import Foundation
import Synchronization
import Testing

@testable import Defaults

@Suite("Transactions inside of those of other suites")
struct NestedTransactionTests {
  @Test("In one order everywhere they wait for each other", .timeLimit(.aHang))
  func oneOrder() async throws {
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
              try two.update(b) { $0 += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect((one[a], two[b]) == (400, 400))
  }

  @Test(
    "In opposite order, one of two threads gets an error that names both suites",
    .timeLimit(.aHang))
  func oppositeOrder() throws {
    let folder = try TemporaryFolder()
    let suites = try ["one.plist", "two.plist"].map {
      try Defaults.PropertyListSuite(url: folder.url($0))
    }
    let errors = Log<Defaults.SuiteError>()
    // Both threads are in their outer transaction before either begins its inner one.
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      let (outer, inner) = (suites[number], suites[1 - number])
      do {
        try outer.transaction { draft in
          try draft.setEntry(1, named: "outer \(number)")
          isInside[number].signal()
          isInside[1 - number].wait()
          try inner.transaction { try $0.setEntry(1, named: "inner \(number)") }
        }
      } catch {
        if let error = error as? Defaults.SuiteError { errors.append(error) }
      }
    }
    let error = try #require(errors.last)
    #expect(errors.count == 1)
    #expect(error.code == .deadlock)
    for suite in suites { #expect(error.description.contains(suite.label)) }
    // The other one is made, and this one isn't.
    let names = suites[0].names.union(suites[1].names)
    #expect(names == ["outer 0", "inner 0"] || names == ["outer 1", "inner 1"])
  }

  @Test(
    "A call that waits for a transaction is part of a circle, too, and one of both gives way",
    .timeLimit(.aHang), arguments: ["flush", "refresh", "observe"])
  func waitingInOppositeOrder(call: String) throws {
    let folder = try TemporaryFolder()
    let one = try Defaults.PropertyListSuite(url: folder.url("one.plist"))
    let two = try Defaults.PropertyListSuite(url: folder.url("two.plist"))
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let errors = Log<Defaults.SuiteError>()
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      do {
        try [one, two][number].transaction { _ in
          isInside[number].signal()
          isInside[1 - number].wait()
          if number == 1 { return try one.transaction { try $0.setEntry(1, named: "a") } }
          switch call {
          case "flush": try two.flush()
          case "refresh": try two.refresh()
          default: two.observe(nil) { _ in }.invalidate()
          }
        }
      } catch {
        if let error = error as? Defaults.SuiteError { errors.append(error) }
      }
    }
    // Which of the two comes second is chance, or that neither has to wait.
    #expect(errors.all.allSatisfy { $0.code == .deadlock } && errors.count <= 1)
  }

  @Test("A task that was started in a transaction, and goes on after it, isn't in it")
  func taskStartedInside() async throws {
    let (one, two) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let seen = Log<Void>()
    let observation = two.observe(["a"]) { _ in seen.append(()) }
    // Often on the very thread of the transaction: the pool has few.
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

  @Test("Handlers run when the outermost transaction has ended, and may write its suite")
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

  @Test("A set in opposite order leaves the setting, and is an issue", .timeLimit(.aHang))
  func setInOppositeOrder() throws {
    let issues = IssueLog()
    let suites = try (0..<2).map { _ in
      try Defaults.StoredSuite(NothingStore(), onIssue: { issues.append($0) })
    }
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      try? suites[number].transaction { draft in
        isInside[number].signal()
        isInside[1 - number].wait()
        suites[1 - number].set(number + 1, forKey: "x")
      }
    }
    #expect(issues.codes == [.deadlock])
    #expect(suites.count { $0.entries.isEmpty } == 1)
  }
}

private struct NothingStore: Defaults.Store {
  func load() -> [String: Defaults.PropertyListValue] { [:] }
  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}
}
