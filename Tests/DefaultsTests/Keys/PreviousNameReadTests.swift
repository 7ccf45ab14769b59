import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Reading under a previous name", .prompt)
struct PreviousNameReadTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("A transaction reads the value under a previous name, and a set moves it to the new name")
  func transactions() throws {
    let suite = Defaults.MemorySuite(["old": 5])
    let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    let seen = try suite.transaction { draft in
      [Defaults[key], draft[key], try draft.value(for: key), suite[key]]
    }
    #expect(seen == [5, 5, 5, 5])
    #expect(suite.entries == ["old": 5])
    try suite.transaction { draft in draft[key] += 1 }
    #expect(suite.entries == ["new": 6])
  }

  @Test("A read under a previous name doesn't wait for a transaction of another thread")
  func readDuringTransaction() throws {
    let suite = Defaults.MemorySuite(["old": 5])
    let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    let read = DispatchSemaphore(value: 0)
    let seen = Log<Int>()
    try suite.transaction { _ in
      Thread.detachNewThread {
        seen.append(Defaults[key])
        read.signal()
      }
      #expect(read.wait(timeout: .now() + 600) == .success)
    }
    #expect(seen.all == [5])
    #expect(suite.entries == ["old": 5])
  }

  @Test(
    "In UserDefaults, a read keeps the entry under its previous name, and a set moves it",
    .needsUserDefaults)
  func userDefaults() async throws {
    let domain = try UserDefaultsDomain()
    let suite = Defaults.UserDefaultsSuite(try domain.open())
    suite.set(5, forKey: "old")
    let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    #expect((Defaults[key], try suite.value(for: key)) == (5, 5))
    #expect(suite.contains(key) && !suite.contains("new"))
    var stream = Defaults.updates(key).makeAsyncIterator()
    #expect(await stream.next() == 5)
    Defaults[key] += 1
    #expect(await stream.next() == 6)
    #expect((suite.integer(forKey: "new"), suite.contains("old")) == (6, false))
  }

  @Test("Threads and processes that read while a renamed key is set never find the default")
  func race() throws {
    try twins.replaceFile(with: ["old": 5])
    let suites = try (0..<4).map { _ in try twins.open() }
    let values = Log<Int>()
    DispatchQueue.concurrentPerform(iterations: 16) { index in
      let key = Defaults.Key("new", default: 1, suite: suites[index % 4], .renamed(from: "old"))
      for round in 0..<20 {
        if round == index { Defaults[key] = 5 }
        values.append(Defaults[key])
      }
    }
    #expect(values.all == Array(repeating: 5, count: 320))
    #expect(try twins.stored() == ["new": 5])
    #expect(twins.issues.count == 0)
  }

  @Test(
    "A value under a previous name is read without an issue while another process holds the lock")
  func locked() throws {
    let suite = try twins.open()
    suite.set(5, forKey: "old")
    let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    let lock = try twins.holdLock()
    #expect((Defaults[key], Defaults[key]) == (5, 5))
    try lock.unlock()
    #expect(try twins.stored() == ["old": 5])
    #expect(twins.issues.count == 0)
  }

  @Test("An undecodable entry under a previous name is reported again after a valid one")
  func repeatedProblem() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
    let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
    for round in 1...3 {
      suite.set("bad", forKey: "old")
      #expect((Defaults[key], Defaults[key]) == (1, 1))
      #expect(issues.codes == Array(repeating: .undecodable, count: round))
      suite.set(5, forKey: "old")
      #expect(Defaults[key] == 5)
    }
  }

  @Test("A process without write permission reads and observes the value under its previous name")
  func readOnly() async throws {
    try twins.replaceFile(with: ["old": 5])
    await #expect(processExitsWith: .success) { [path = twins.folder.path as String] in
      becomeOrdinaryUser(owning: path)
      chmod(path, 0o500)
      let issues = IssueLog()
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path + "/suite.plist"), onIssue: { issues.append($0) })
      let before = issues.count
      let key = Defaults.Key("new", default: 1, suite: suite, .renamed(from: "old"))
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
