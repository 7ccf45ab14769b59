import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Commits while another process holds the lock", .prompt)
struct LockedCommitTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("While another process holds the lock, an update or transaction throws and changes nothing")
  func refused() throws {
    let suite = try twins.open(isAutomatic: false)
    let count = Defaults.Key("count", default: 0, suite: suite)
    suite[count] = 1
    let lock = try twins.holdLock()
    let attempts: [() throws -> Void] = [
      { try suite.update(count) { $0 += 1 } },
      { try suite.increment(count) },
      { try suite.transaction { draft in draft[count] = 7 } },
      { try suite.setValues((count, 8)) },
      { try suite.migrate(to: 1, steps: [.init(1) { $0[count] = 9 }]) },
      { try suite.importEntries(from: ["count": 10]) },
    ]
    for attempt in attempts {
      let error = #expect(throws: Defaults.SuiteError.self) { try attempt() }
      #expect(error?.code == .locked)
      #expect(error?.path == twins.folder["suite.plist.journal"])
    }
    #expect(suite[count] == 1)
    #expect(twins.issues.count == 0)
    try lock.unlock()
    let patient = try twins.open()
    try patient.update(Defaults.Key("count", default: 0, suite: patient)) { $0 += 1 }
    #expect(try twins.stored() == ["count": 2])
  }

  @Test("While another process holds the lock, an update throws `locked` and keeps the setting")
  func updateOfKey() throws {
    let suite = try twins.open(isAutomatic: false)
    let count = Defaults.Key("count", default: 0, suite: suite)
    suite[count] = 1
    let lock = try twins.holdLock()
    let errors = [
      #expect(throws: Defaults.SuiteError.self) { try Defaults.update(count) { $0 += 1 } },
      #expect(throws: Defaults.SuiteError.self) { try suite.update(count) { $0 += 1 } },
    ]
    #expect(errors.map { $0?.code } == [.locked, .locked])
    #expect(Defaults[count] == 1)
    #expect(twins.issues.count == 0)
    try lock.unlock()
    let same = Defaults.Key("count", default: 0, suite: try twins.open())
    let result = try Defaults.update(same) { count in
      count += 1
      return count
    }
    #expect(result == 2)
  }

  @Test("An update rethrows the error of its body unchanged and reports nothing")
  func throwingBody() throws {
    struct Refusal: Error {}
    let suite = try twins.open()
    let count = Defaults.Key("count", default: 0, suite: suite)
    #expect(throws: Refusal.self) {
      try Defaults.update(count) { count in
        count = 5
        throw Refusal()
      }
    }
    #expect(Defaults[count] == 0)
    #expect(twins.issues.count == 0)
  }

  @Test("While another process holds the lock, a set waits in memory, and is stored afterwards")
  func storedByItself() async throws {
    let suite = try twins.open(timeouts: LockTimeouts(setter: .zero))
    // They would store the set, too, but later.
    try suite.postponeExports()
    let reader = try twins.open()
    reader.set(1, forKey: "a")
    var changes = reader.changes().makeAsyncIterator()
    let lock = try twins.holdLock()
    suite.set(2, forKey: "a")
    suite.set(3, forKey: "b")
    #expect(suite.entries == ["a": 2, "b": 3])
    #expect(reader.entries == ["a": 1])
    #expect(twins.issues.codes == [.locked])
    try lock.unlock()
    let change = try #require(await changes.next())
    #expect(change.entries.mapValues(\.new) == ["a": 2, "b": 3])
    #expect(try twins.stored() == ["a": 2, "b": 3])
  }

  @Test("While another process holds the lock, an initial value is returned, and is stored later")
  func initialValue() throws {
    let suite = try twins.open(isAutomatic: false)
    suite.set(1, forKey: "x")
    let id = Defaults.Key("id", suite: suite, .generatedOnce) { UUID().uuidString }
    let lock = try twins.holdLock()
    let value = Defaults[id]
    #expect(twins.issues.codes == [.locked])
    #expect(suite.entry(named: "id") == nil)
    #expect(Defaults[id] == value)
    try lock.unlock()
    #expect(Defaults[id] == value)
    #expect(try twins.stored() == ["x": 1, "id": .string(value)])
  }

  @Test("A set that waits behind a failed write doesn't report the lock")
  func behindOthers() throws {
    let disk = FaultyFileSystem()
    let process = try OpenSuite(twins.folder["suite.plist"], on: disk)
    process.set(0, "first")
    disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(1, "a")
    #expect(process.issues.codes == [.unwritable])
    let lock = try twins.holdLock()
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    try lock.unlock()
    disk.heal()
    process.set(3, "c")
    #expect(try twins.stored() == ["first": 0, "a": 1, "b": 2, "c": 3])
  }

  @Test("A set that waited doesn't overwrite an update that began later")
  func updateAfterSet() async throws {
    let suite = try twins.open(timeouts: LockTimeouts(setter: .zero, exact: .seconds(600)))
    let other = try twins.open()
    let count = Defaults.Key("count", default: 0, suite: other)
    other.set(10, forKey: "count")
    // The update gets the lock first.
    try suite.withoutBackgroundWork {
      let lock = try twins.holdLock()
      suite.set(5, forKey: "count")
      suite.set(5, forKey: "rest")
      try lock.unlock()
      try other.update(count) { $0 += 100 }
    }
    try await suite.flush()
    let stored = try twins.stored()
    #expect(stored == ["count": 110, "rest": 5])
    try other.refresh()
    #expect(suite.entries == stored)
    #expect(other.entries == stored)
  }

  @Test("A suite that is released while a set waits stores the set when the lock is free")
  func releasedSuite() async throws {
    let reader = try twins.open()
    reader.set(1, forKey: "a")
    var changes = reader.changes().makeAsyncIterator()
    let lock = try twins.holdLock()
    do {
      let suite = try twins.open(timeouts: LockTimeouts(setter: .zero))
      suite.set(2, forKey: "a")
    }
    try lock.unlock()
    #expect(await changes.next()?.entries["a"]?.new == 2)
  }

  @Test("A read isn't blocked by a thread that waits for the lock")
  func readsWhileWaiting() async throws {
    let suite = try twins.open()
    let count = Defaults.Key("count", default: 0, suite: suite)
    suite[count] = 1
    let lock = try twins.holdLock()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try suite.update(count) { $0 += 1 } }
      // Reads and `health` never wait, whether the other thread is already waiting or not.
      for _ in 0..<1_000 { #expect(suite[count] == 1) }
      _ = suite.entries
      try lock.unlock()
      try await group.waitForAll()
    }
    #expect(suite[count] == 2)
  }

  @Test("Without write permission, an update throws, a set waits, and health is readOnly")
  func readOnly() async throws {
    let suite = try twins.open()
    suite.set(1, forKey: "count")
    try await suite.flush(.snapshot)
    await #expect(processExitsWith: .success) { [path = twins.folder.path as String] in
      let file = path + "/suite.plist"
      #expect(chmod(file, 0o444) == 0 && chmod(file + ".journal", 0o444) == 0)
      #expect(chmod(path, 0o555) == 0)
      becomeOrdinaryUser(owning: path, user: 65_532)
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: file), onIssue: { _ in })
      let count = Defaults.Key("count", default: 0, suite: suite)
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.update(count) { $0 += 1 }
      }
      #expect(error?.code == .unwritable)
      #expect(suite[count] == 1)
      suite[count] = 5
      #expect(suite[count] == 5)
      #expect(suite.health == .readOnly)
    }
    #expect(chmod(twins.folder.path, 0o700) == 0)
  }

  @Test("A set that waits at exit is stored once the lock is free")
  func exit() async throws {
    let suite = try twins.open()
    suite.set(1, forKey: "a")
    await #expect(processExitsWith: .exitCode(7)) {
      [path = twins.folder["suite.plist"] as String] in
      // The other thread may get its turn late.
      let (suite, start) = try FileStore.open(
        StoredFile(path: path), timeouts: LockTimeouts(exit: .seconds(600)), onIssue: { _ in })
      start()
      let lock = try LocalFileSystem().open(path + ".journal", .update)
      while try !lock.tryLock() { sched_yield() }
      suite.set(2, forKey: "a")
      // Called before the library's exit handler, which then waits for the thread.
      Thread.detachNewThread {
        ExitSignal.semaphore.wait()
        try? lock.unlock()
      }
      atexit { ExitSignal.semaphore.signal() }
      Foundation.exit(7)
    }
    #expect(try twins.stored()["a"] == 2)
  }
}

private enum ExitSignal {
  static let semaphore = DispatchSemaphore(value: 0)
}
