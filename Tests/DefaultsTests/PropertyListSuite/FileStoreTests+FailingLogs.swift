import Foundation
import TestSupport
import Testing

@testable import Defaults

// Damaged or lost logs that can't be read, copied or replaced at the moment.

extension FileStoreTests {
  @Test("A waiting change isn't undone by a later export of other entries, if the log is deleted")
  func waitingBehindReload() throws {
    let (process, other) = (try open(), try open())
    other.set(1, "a")
    try other.suite.flush(.snapshot)
    try process.suite.refresh()
    // The process loses the right to write.
    process.disk.fail(with: .EACCES) {
      $0.operation == .write && $0.path.hasSuffix(SettingsFolder.journal)
    }
    process.set(2, "a")
    let reported = process.issues.count
    other.set(1, "b")
    try other.suite.flush(.snapshot)
    try settings.remove(SettingsFolder.journal)
    try process.suite.refresh()
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(process.issues.count == reported)
    process.disk.heal()
    process.set(3, "c")
    #expect(try open().entries == ["a": 2, "b": 1, "c": 3])
  }

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
    try process.store.state.withLock { #expect($0.waiting.byName.keys.sorted() == ["b", "c"]) }
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("A flush of any process fails while a log that couldn't be synced can't be replaced")
  func suspectLogOnFullDisk() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    other.set(2, "a")
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    for process in [process, other] {
      process.disk.fail(with: .ENOSPC) { $0.operation == .create }
      #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
      process.disk.heal()
    }
    try other.suite.flush()
    #expect(try open().entries == ["a": 2])
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

  @Test(
    "If a log can't be replaced, a set waits in memory, and no temporary file is left",
    arguments: [.exchange, .attribute] as [FaultyFileSystem.Operation])
  func failedReplacement(operation: FaultyFileSystem.Operation) throws {
    try open().set(1, "a")
    // A log with a second name is replaced by the next set.
    #expect(link(settings.folder[SettingsFolder.journal], settings.folder["copy"]) == 0)
    let process = try open()
    process.disk.fail(with: .EIO) { $0.operation == operation }
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    #expect(try settings.folder.names().sorted() == ["copy", SettingsFolder.journal])
    process.disk.heal()
    process.set(3, "c")
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("If one of the writes of a new log fails, the new log doesn't replace the old one")
  func failedWriteOfLongLog() throws {
    // A new log of this length is written in several parts.
    for number in 0..<70 {
      try open().set(.data(Data(count: 65_536)), "\(number)")
    }
    #expect(link(settings.folder[SettingsFolder.journal], settings.folder["copy"]) == 0)
    let process = try open()
    let writes = Log<Void>()
    process.disk.fail(with: .ENOSPC) { call in
      guard call.operation == .write else { return false }
      writes.append(())
      return writes.count == 1
    }
    process.set(1, "a")
    #expect(process.issues.codes == [.unwritable])
    process.disk.heal()
    process.set(2, "b")
    #expect(try open().entries == process.entries)
    #expect(process.entries.count == 72)
  }

  @Test("A user who may not write a damaged log has nothing to flush")
  func flushOfDamagedLogWithoutRights() throws {
    let writer = try open()
    for number in 1...3 as ClosedRange<Int64> { writer.set(.integer(number), "\(number)") }
    let damaged = try #require(try writer.store.state.withLock { $0.log?.last })
    try writer.suite.flush()
    // Its record shows that the damaged record was durable.
    writer.set(4, "4")
    try settings.flip(byte: damaged.offset + 20, of: SettingsFolder.journal)
    let disk = FaultyFileSystem()
    disk.rejectWriting(of: settings.folder[SettingsFolder.journal], with: .EACCES)
    let (suite, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false, onIssue: { _ in })
    let store = try #require(suite.persistence as? FileStore)
    let log = try #require(store.state.withLock { $0.log })
    #expect(log.isDamaged && log.file.refusal?.code == .EACCES)
    try suite.flush()
    #expect(suite.entries == ["1": 1, "2": 2, "4": 4])
  }

  @Test("If the first record of a process in a log can't be appended, the log doesn't get shorter")
  func failedFirstRecord() throws {
    let process = try open()
    process.set(1, "a")
    // A log with a second name is replaced by the next set.
    #expect(link(settings.folder[SettingsFolder.journal], settings.folder["copy"]) == 0)
    try open().set(2, "b")
    let size = try settings.size(of: SettingsFolder.journal)
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(3, "c")
    #expect(process.issues.codes == [.unwritable])
    #expect(try settings.size(of: SettingsFolder.journal) == size)
  }

  /// Opens a suite whose log is much longer than its checkpoint.
  func openOutgrown() throws -> Process {
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
