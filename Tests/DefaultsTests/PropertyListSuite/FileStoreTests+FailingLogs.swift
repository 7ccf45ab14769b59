import Foundation
import TestSupport
import Testing

@testable import Defaults

// Damaged or lost logs that can't be read, copied or replaced at the moment.

extension FileStoreTests {
  @Test("A log that was damaged after it was read is replaced when it has grown too long")
  func damagedBeforeCompaction() throws {
    let process = try openOutgrown()
    try settings.flip(byte: 500, of: SettingsFolder.journal)
    // Zeros follow the records.
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    let damaged = try Data(contentsOf: settings.folder.url(SettingsFolder.journal)).prefix(end)
    try process.suite.flush(.snapshot)
    #expect(process.issues.codes == [.malformed])
    let copies = try settings.setAside(of: SettingsFolder.journal)
    try #require(copies.count == 1)
    #expect(try Data(contentsOf: settings.folder.url(copies[0])).starts(with: damaged))
    let reader = try open()
    #expect(reader.entries == process.entries)
    #expect(reader.issues.count == 0)
    #expect(try settings.size(of: SettingsFolder.journal) < 20_000)
  }

  @Test("A damaged log stays in place until a copy of it can be made")
  func uncopiedLog() throws {
    let process = try open()
    process.set(1, "a")
    try settings.overwrite(SettingsFolder.journal, with: "no journal")
    process.failCopies()
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    #expect(try settings.folder.text(of: SettingsFolder.journal) == "no journal")
    process.disk.heal()
    process.set(3, "c")
    let copies = try settings.setAside(of: SettingsFolder.journal)
    #expect(try copies.map(settings.folder.text) == ["no journal"])
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("A log that was damaged after it was read stays in place until a copy of it can be made")
  func uncopiedLogAfterReading() throws {
    let process = try openOutgrown()
    try settings.flip(byte: 500, of: SettingsFolder.journal)
    process.failCopies()
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(try settings.size(of: SettingsFolder.journal) > 64 << 10)
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(try settings.setAside(of: SettingsFolder.journal).count == 1)
    #expect(try settings.size(of: SettingsFolder.journal) < 20_000)
  }

  @Test("A set waits in memory if a log that another program overwrote can't be replaced")
  func overwrittenLogOnFullDisk() throws {
    let process = try open()
    process.set(1, "a")
    let journal = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: journal)
    process.set(2, "b")
    try old.write(to: journal)
    process.disk.fail(with: .ENOSPC) { $0.operation == .create }
    process.set(3, "c")
    #expect(process.issues.codes == [.unwritable])
    try process.store.state.withLock { #expect($0.waiting.keys.sorted() == ["b", "c"]) }
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("A flush fails while a log that couldn't be synced can't be replaced")
  func suspectLogOnFullDisk() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.fail(with: .ENOSPC) { $0.operation == .create }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1])
  }

  @Test("If neither an export nor the replacement of a long log succeeds, both are reported")
  func failedCompaction() throws {
    let process = try openOutgrown()
    process.disk.fail(with: .ENOSPC) { $0.operation == .create }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(error?.code == .unwritable)
    #expect(process.issues.codes == [.unwritable])
    #expect(process.issues.last?.path == settings.folder[SettingsFolder.journal])
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

  @Test("A change in a restored log without the last export is kept when that log is replaced")
  func changeInRestoredLog() throws {
    let names = [SettingsFolder.file, SettingsFolder.journal]
    let (old, new) = (names.map { settings.folder[$0 + ".old"] }, settings.folder["new.plist"])
    let (late, _) = try openLate()
    #expect(link(settings.path, old[0]) == 0)
    try FileManager.default.copyItem(atPath: settings.folder[names[1]], toPath: old[1])
    late.set(1, "a")
    try late.suite.flush(.snapshot)
    // Another process sets an entry while old copies of both files are in place.
    #expect(rename(settings.path, new) == 0)
    for (name, old) in zip(names, old) { #expect(rename(old, settings.folder[name]) == 0) }
    try open().set(2, "c")
    #expect(rename(new, settings.path) == 0)
    late.set(3, "d")
    #expect(late.entries == ["a": 1, "b": 0, "c": 2, "d": 3])
    #expect(try open().entries == late.entries)
  }

  /// Opens a suite whose log is much longer than its checkpoint.
  private func openOutgrown() throws -> Process {
    let process = try open()
    process.set(1, "a")
    for number in 0..<100 {
      process.set(.string("\(number)" + String(repeating: "x", count: 1_000)), "b")
    }
    return process
  }
}

extension FileStoreTests.Process {
  /// Makes it impossible to copy a damaged file.
  fileprivate func failCopies() {
    disk.fail(with: .ENOSPC) { call in
      [.create, .addName, .move].contains(call.operation) && call.path.contains(".corrupt-")
    }
  }
}
