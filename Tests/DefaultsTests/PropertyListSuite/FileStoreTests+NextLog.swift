import Foundation
import TestSupport
import Testing

@testable import Defaults

// Creating the next log after one was deleted, and waiting for it.

extension FileStoreTests {
  @Test("A process waits without the lock for the log that another process is expected to create")
  func awaitedSuccessor() throws {
    let (waiting, creator) = (try open(), try open())
    waiting.set(1, "a")
    try waiting.store.state.withLock { state in
      state.log = nil
      try settings.remove(SettingsFolder.journal)
      state.awaitedLog = FileState.AwaitedLog()
      let isLocked = try state.lockLog(for: .exact)
      #expect(!isLocked)
    }
    #expect(try !settings.folder.names().contains(SettingsFolder.journal))
    creator.set(2, "b")
    let file = try #require(try creator.store.state.withLock { $0.log?.file })
    #expect(try file.takeLock())
    try waiting.store.state.withLock { state in
      let isLocked = try state.lockLog(for: .exact)
      #expect(!isLocked)
      // Now the process waits only for the lock.
      #expect(state.awaitedLog == nil)
    }
    file.descriptor.letGo()
    try waiting.store.state.withLock { state in
      let isLocked = try state.lockLog(for: .exact)
      #expect(isLocked)
      state.log?.file.descriptor.letGo()
    }
    #expect(waiting.entries == ["a": 1, "b": 2])
  }

  @Test("A process that waits for a log, and is the first to leave it, creates the next at once")
  func lostSuccessor() throws {
    let (waiting, creator) = (try open(), try open())
    waiting.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    creator.set(2, "b")
    try waiting.store.state.withLock { state in
      try state.leave(try #require(state.log?.file))
      state.awaitedLog = FileState.AwaitedLog()
      state.candidate = try LogFile.open(state.places.journal, failingAs: .unwritable)
    }
    try settings.remove(SettingsFolder.journal)
    waiting.set(3, "c")
    #expect(waiting.issues.codes.isEmpty)
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("The first process that leaves a log records that, although it had left an earlier one")
  func lostTwice() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.remove(SettingsFolder.journal)
    try process.store.state.withLock { state in
      try state.leave(try #require(state.log?.file))
      // The next log lacks the record of the property list, so this process's record applies.
      try settings.remove(SettingsFolder.journal)
      var fold = state.fold
      fold.bases = []
      let lost = try #require(try NewLog(fold, state.places).addName())
      try settings.remove(SettingsFolder.journal)
      try state.leave(lost)
      #expect(LoadedLog(try lost.content(), path: "").fold.isAbandoned)
    }
    process.set(2, "b")
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test("While a process creates the next log, no process that had the deleted one creates another")
  func createdOnce() throws {
    let (creator, other) = (try open(), try open())
    let counts = [creator, other].map { Defaults.Key("count", default: 0, suite: $0.suite) }
    for (process, count) in zip([creator, other], counts) { try process.suite.increment(count) }
    try settings.remove(SettingsFolder.journal)
    let errors = Log<Defaults.SuiteError?>()
    creator.disk.delay { [suite = other.suite, count = counts[1]] call in
      guard call.operation == .addName else { return }
      errors.append(#expect(throws: Defaults.SuiteError.self) { try suite.increment(count) })
    }
    try creator.suite.increment(counts[0])
    #expect(errors.all.map(\.?.code) == [.locked])
    try other.suite.increment(counts[1])
    #expect(try open().entries == ["count": 4])
  }

  @Test("If a process can't create the next log, another process that had the deleted one does")
  func failedCreation() throws {
    let (process, other) = (try open(), try open())
    other.set(1, "a")
    process.set(2, "b")
    let old = try #require(try process.store.state.withLock { $0.log?.file })
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EACCES) { $0.operation == .create }
    process.set(3, "c")
    #expect(process.issues.codes == [.unwritable])
    #expect(!LoadedLog(try old.content(), path: "").fold.isAbandoned)
    try other.store.state.withLock { state in
      let isLocked = try state.lockLog(for: .exact)
      #expect(isLocked)
      state.log?.file.descriptor.letGo()
    }
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test(
    "A process that waits for a log counts at most 10 ms for each time it looks",
    arguments: [1, 10, 3_600_000])
  func countedTime(milliseconds: UInt64) {
    let length = milliseconds * 1_000_000
    var awaited = FileState.AwaitedLog(at: length)
    let looks = 3_000 / min(milliseconds, 10)
    let waits = (1...looks).map { awaited.mustWait(at: ($0 + 1) * length) }
    #expect(waits == Array(repeating: true, count: waits.count - 1) + [false])
  }

  @Test("A log that was replaced when it was long tells its other processes that there was a next")
  func abandonedByCompaction() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    try other.suite.refresh()
    let old = try #require(try other.store.state.withLock { $0.log?.file })
    process.set(.string(String(repeating: "x", count: 100_000)), "b")
    process.set(2, "b")
    try process.suite.flush(.snapshot)
    #expect(try old.sizeInPlace() == nil)
    #expect(LoadedLog(try old.content(), path: "").fold.isAbandoned)
    try process.store.state.withLock { state in
      #expect(!state.fold.isAbandoned)
      #expect(!state.exports.hasDuty)
    }
  }

  @Test("A log that a failed sync replaced tells its other processes that there was a next")
  func abandonedAfterDoubt() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    try other.suite.refresh()
    let old = try #require(try other.store.state.withLock { $0.log?.file })
    try process.store.state.withLock { $0.durability.doubt() }
    try process.suite.flush()
    #expect(LoadedLog(try old.content(), path: "").fold.isAbandoned)
    // The process continues with the state that other processes read in the new log.
    let (fold, log) = try process.store.state.withLock { ($0.fold, $0.log) }
    #expect(!fold.isAbandoned)
    #expect(try fold.horizon == LoadedLog(#require(log).file.content(), path: "").fold.horizon)
    #expect(try open().entries == ["a": 1])
  }

  @Test("If the next log can't be created, a refresh keeps what only this process knows")
  func refreshAfterFailedCreation() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EACCES) { $0.operation == .create }
    process.set(3, "b")
    try process.suite.refresh()
    #expect(process.entries == ["a": 2, "b": 3])
    process.disk.heal()
    process.set(4, "c")
    #expect(try open().entries == ["a": 2, "b": 3, "c": 4])
  }

  @Test("A process that couldn't create the next log tries again when it ends")
  func failedCreationAtExit() throws {
    let process = try open()
    do {
      let writer = try open()
      writer.set(1, "a")
      try process.suite.refresh()
    }
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EACCES) { $0.operation == .create }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.refresh() }
    process.disk.heal()
    try process.store.close()
    #expect(try open().entries == ["a": 1])
  }

  @Test(
    "If the next log can't be created, only a short deleted log stays open",
    arguments: [1, 1 << 20])
  func keptLog(size: Int) throws {
    let process = try open()
    process.set(.data(Data(count: size)), "a")
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .ENOSPC) { $0.operation == .create }
    process.set(1, "b")
    try process.store.state.withLock { #expect(($0.candidate != nil) == (size == 1)) }
  }

  @Test("A new log whose name couldn't be synced counts, although it was deleted")
  func deletedAfterFailedSync() throws {
    let process = try open()
    let count = Defaults.Key("count", default: 0, suite: process.suite)
    try process.suite.increment(count)
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EIO) { [folder = settings.folder.path] call in
      call.operation == .synchronize && call.path == folder
    }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.increment(count) }
    process.disk.heal()
    let other = try open()
    try other.suite.increment(Defaults.Key("count", default: 0, suite: other.suite))
    try settings.remove(SettingsFolder.journal)
    try process.suite.increment(count)
    #expect(process.entries == ["count": 3])
  }

  /// Deletes the log of a suite with background work and short timeouts, and the next log that
  /// another process created. Returns the suite, which waits for a third log, and its issues.
  private func loseTwoLogs(
    creationFails: Bool = false
  ) throws -> (suite: Defaults.StoredSuite, issues: IssueLog) {
    let (issues, disk) = (IssueLog(), FaultyFileSystem())
    let (suite, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: true,
      timeouts: LockTimeouts(setter: .zero, exact: .seconds(600), exit: .milliseconds(10)),
      onIssue: { issues.append($0) })
    suite.write(.set(1), named: "a")
    let other = try open()
    other.set(2, "b")
    try settings.remove(SettingsFolder.journal)
    if creationFails {
      disk.fail(with: .EACCES) { $0.operation == .create }
      suite.write(.set(4), named: "c")
      disk.heal()
    }
    other.set(3, "b")
    try settings.remove(SettingsFolder.journal)
    suite.write(.set(4), named: "c")
    #expect(issues.codes == [creationFails ? .unwritable : .locked])
    #expect(try !settings.folder.names().contains(SettingsFolder.journal))
    return (suite, issues)
  }

  @Test(
    "A set waits in memory for the log of a process that has seen another one",
    arguments: [true, false])
  func awaitedSet(creationFails: Bool) throws {
    let (suite, issues) = try loseTwoLogs(creationFails: creationFails)
    let reason = try #require(issues.all.first?.reason)
    #expect(reason.contains("was deleted") != creationFails)
    // On a busy machine, the suite may hold the lock of the new log meanwhile.
    let (creator, _) = try FileStore.open(
      StoredFile(path: settings.path), timeouts: TwinSuites.patience,
      onIssue: { Issue.record($0.error) })
    creator.write(.set(5), named: "d")
    try suite.flush()
    let found = try open().entries
    #expect(found == ["a": 1, "b": 2, "c": 4, "d": 5])
  }

  @Test("A process that ends while it waits for a log creates it")
  func awaitedAtExit() throws {
    let (suite, issues) = try loseTwoLogs()
    suite.persistence.close()
    #expect(issues.codes == [.locked])
    #expect(try open().entries == ["a": 1, "b": 2, "c": 4])
  }

  @Test(
    "A new log that is deleted before its creator opens it by name, or syncs its folder, counts",
    arguments: [FaultyFileSystem.Operation.status, .synchronize])
  func deletedDuringCreation(operation: FaultyFileSystem.Operation) throws {
    let process = try open()
    let count = Defaults.Key("count", default: 0, suite: process.suite)
    try process.suite.increment(count)
    try settings.remove(SettingsFolder.journal)
    let (names, calls) = (Log<Void>(), Log<Void>())
    process.disk.delay { [settings] call in
      if call.operation == .addName { names.append(()) }
      guard names.count == 1, call.operation == operation,
        !call.path.hasSuffix(".tmp"), calls.count == 0
      else { return }
      calls.append(())
      #expect(throws: Never.self) {
        let other = try Process(settings)
        try other.suite.increment(Defaults.Key("count", default: 0, suite: other.suite))
        #expect(other.issues.codes.isEmpty)
        try settings.remove(SettingsFolder.journal)
      }
    }
    try process.suite.increment(count)
    #expect(calls.count == 1)
    #expect(try open().entries == ["count": 3])
  }
}
