import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Defaults

// Logs that another program deletes.

extension FileStoreTests {
  @Test(
    "After the log was deleted, a new log has the entries of the old one", arguments: [true, false])
  func deletedLog(isExported: Bool) throws {
    let process = try open()
    process.set(1, "a")
    if isExported { try process.suite.flush(.snapshot) }
    process.set(2, "b")
    try settings.remove(SettingsFolder.journal)
    process.set(3, "c")
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("If the log is deleted while an update waits for its lock, the update uses the log's value")
  func deletedCandidate() throws {
    let (one, two) = (try open(), try open())
    let counts = [one, two].map { Defaults.Key("count", default: 0, suite: $0.suite) }
    for (process, count) in zip([one, two], counts) { try process.suite.increment(count) }
    try settings.remove(SettingsFolder.journal)
    try two.suite.increment(counts[1])
    // The first lock is on the log that was deleted before, the second one on the new log.
    let locks = Log<Int>()
    one.disk.delay { [settings] call in
      guard call.operation == .lock, call.path == settings.folder[SettingsFolder.journal] else {
        return
      }
      locks.append(1)
      if locks.count == 2 { unlink(call.path) }
    }
    try one.suite.increment(counts[0])
    #expect(locks.count > 2)
    #expect(one.entries == ["count": 4])
    try two.suite.increment(counts[1])
    #expect(two.entries == ["count": 5])
    #expect(try open().entries == ["count": 5])
  }

  @Test("A log that is deleted just before it is locked still counts, as does all that is known")
  func deletedBeforeLock() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    other.set(2, "b")
    let locks = Atomic(0)
    let path = settings.folder[SettingsFolder.journal]
    process.disk.delay { call in
      guard call.operation == .lock else { return }
      // The first lock is that of the log that was deleted above.
      if locks.wrappingAdd(1, ordering: .relaxed).newValue == 2 { unlink(path) }
    }
    process.set(3, "c")
    #expect(process.entries == ["a": 1, "b": 2, "c": 3])
    #expect(try open().entries == process.entries)
  }

  @Test("A process keeps the changes of a log that replaced its own one and was deleted, too")
  func deletedSuccessor() throws {
    let (late, process) = try openLate()
    try settings.remove(SettingsFolder.journal)
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    let locks = Log<Int>()
    late.disk.delay { [settings] call in
      guard call.operation == .lock else { return }
      locks.append(call.number)
      if locks.count == 2 { try? settings.remove(SettingsFolder.journal) }
    }
    late.set(3, "c")
    try late.suite.flush(.snapshot)
    #expect(late.entries == ["a": 2, "b": 0, "c": 3])
    #expect(try settings.entries() == late.entries)
  }

  @Test("A set continues if the log is deleted while the process replaces it")
  func deletedDuringReplacement() throws {
    let process = try open()
    process.set(1, "a")
    let journal = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: journal)
    try process.suite.flush(.snapshot)
    try old.write(to: journal)
    let exchanges = Log<Void>()
    process.disk.delay { call in
      guard call.operation == .exchange, call.path.hasSuffix(SettingsFolder.journal) else { return }
      exchanges.append(())
      if exchanges.count == 1 { unlink(call.path) }
    }
    process.set(2, "b")
    #expect(exchanges.count > 0)
    #expect(process.issues.codes.isEmpty)
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test("A set waits in memory if the name of the log that replaces a deleted one can't be synced")
  func unsyncedName() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush()
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EIO) { [folder = settings.folder.path] call in
      call.operation == .synchronize && call.path == folder
    }
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    try process.store.state.withLock { #expect($0.waiting.byName.keys.contains("b")) }
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  /// What happened to a log before it was deleted.
  enum LostLog: CaseIterable { case isDamaged, wasOverwritten }

  @Test("Each failure to read a deleted log is reported", arguments: LostLog.allCases)
  func unreadableLostLog(log: LostLog) throws {
    let count = try loseLog(log, failingAt: .max).reads
    #expect(count > 1)
    for number in 1...count {
      let issues = try loseLog(log, failingAt: number).issues
      #expect(issues.all.contains { ($0.underlying as? POSIXError)?.code == .EIO })
    }
  }

  /// Deletes the log of a process that sets an entry at this moment. The read with a number fails.
  private func loseLog(
    _ log: LostLog, failingAt number: Int
  ) throws -> (reads: Int, issues: IssueLog) {
    let settings = try SettingsFolder()
    let (process, other) = (try Process(settings), try Process(settings))
    process.set(1, "a")
    // The next set adds room, so that the overwritten log has the same size.
    try process.suite.flush()
    process.set(3, "a")
    let journal = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: journal)
    process.set(2, "a")
    switch log {
    case .isDamaged:
      other.set(1, "b")
      try settings.flip(byte: settings.endOfRecords() - 4, of: SettingsFolder.journal)
    case .wasOverwritten: try old.write(to: journal)
    }
    let (locks, reads) = (Log<Void>(), Log<Void>())
    process.disk.delay { call in
      if call.operation == .lock {
        if locks.count == 0 { unlink(journal.path) }
        locks.append(())
      }
      if call.operation == .read, locks.count == 1 { reads.append(()) }
    }
    process.disk.fail(with: .EIO) {
      $0.operation == .read && locks.count == 1 && reads.count + 1 == number
    }
    process.set(2, "c")
    process.disk.heal()
    try process.suite.flush()
    #expect(try Process(settings).entries["c"] == 2)
    return (reads.count, process.issues)
  }

  @Test("A process that read an edit doesn't show the old value before it merges the edit")
  func editAndDeletedLog() throws {
    try export(["a": 0])
    try open().set(1, "b")
    try settings.edit(["a": 5])
    let process = try open()
    let changes = Log<Defaults.Change>()
    let observation = process.suite.observe(["a"], options: []) { changes.append($0) }
    try settings.remove(SettingsFolder.journal)
    process.set(1, "c")
    #expect(changes.all.isEmpty)
    #expect(process.entries == ["a": 5, "b": 1, "c": 1])
    observation.invalidate()
  }

  @Test("The record that marks a deleted log as abandoned can be read, although the log has room")
  func abandonedWithRoom() throws {
    let process = try open()
    process.set(1, "a")
    let journal = settings.folder[SettingsFolder.journal]
    let handle = try FileHandle(forReadingFrom: URL(filePath: journal))
    // As after a process removed an incomplete record.
    #expect(truncate(journal, off_t(try settings.endOfRecords() + 100)) == 0)
    unlink(journal)
    process.set(2, "b")
    let left = try #require(try handle.readToEnd())
    #expect(LoadedLog(Array(left), path: journal).fold.isAbandoned)
    #expect(try open().entries == ["a": 1, "b": 2])
  }
}
