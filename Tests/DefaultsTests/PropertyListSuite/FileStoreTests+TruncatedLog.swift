import Foundation
import TestSupport
import Testing

@testable import Defaults

// Logs that another program truncates in place.

extension FileStoreTests {
  @Test("A flush stores all entries again if the log was truncated", arguments: [0, 100, 160])
  func cutLog(size: Int) throws {
    let process = try open()
    for number in 0..<5 { process.set(.integer(Int64(number)), "\(number)") }
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(size)) == 0)
    try process.suite.flush()
    #expect(try open().entries == process.entries)
    #expect(process.entries.count == 5)
  }

  /// With 7 bytes, the next record looks like the header of a later version.
  @Test(
    "A log that was truncated between a set's check and its write is replaced by the next commit",
    arguments: [0, 7, 12, 100], [true, false])
  func cutDuringSet(rest: off_t, isFlush: Bool) throws {
    let process = try open()
    process.set(1, "a")
    process.set(1, "b")
    try set(.string(String(repeating: "x", count: 60)), in: process, afterCutTo: rest, isFlush)
  }

  /// The record of the first set fits into the room of the log, or not.
  @Test(
    "A log with room that was truncated during a set is replaced by the next commit",
    arguments: [1, 40_000], [true, false])
  func cutDuringSetInRoom(size: Int, isFlush: Bool) throws {
    let process = try open()
    process.set(1, "a")
    // The next set adds room.
    try process.suite.flush()
    process.set(1, "b")
    try set(.data(Data(count: size)), in: process, afterCutTo: 100, isFlush)
  }

  /// Sets a third entry while another program cuts the log, and checks what the next commit stores.
  private func set(
    _ value: Defaults.PropertyListValue, in process: Process, afterCutTo rest: off_t,
    _ isFlush: Bool
  ) throws {
    let writes = Log<Void>()
    process.disk.delay { call in
      guard call.operation == .write, call.path.hasSuffix(SettingsFolder.journal) else { return }
      writes.append(())
      if writes.count == 1 { #expect(truncate(call.path, rest) == 0) }
    }
    process.set(value, "c")
    if isFlush { try process.suite.flush() } else { process.set(1, "d") }
    #expect(process.entries.count == (isFlush ? 3 : 4))
    #expect(try open().entries == process.entries)
  }

  @Test("A log that is truncated before a write fails is replaced by the next commit")
  func cutBeforeFailure() throws {
    let process = try open()
    process.set(1, "a")
    process.set(1, "b")
    process.disk.fail(with: .ENOSPC) { call in
      guard call.operation == .write, call.path.hasSuffix(SettingsFolder.journal) else {
        return false
      }
      truncate(call.path, 100)
      return true
    }
    process.set(1, "c")
    process.disk.heal()
    process.set(1, "d")
    #expect(process.entries.count == 4)
    #expect(try open().entries == process.entries)
  }

  @Test("The commit that replaces a truncated log also merges an external edit")
  func cutLogAndEdit() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    // This set checks the file. Later sets rely on the watcher, which this process lacks.
    process.set(1, "b")
    try settings.edit(["a": 5])
    #expect(truncate(settings.folder[SettingsFolder.journal], 40) == 0)
    process.set(1, "c")
    #expect(process.entries == ["a": 5, "b": 1, "c": 1])
  }

  @Test("A log that is truncated before another process's write is stored again with all entries")
  func cutDuringWrite() throws {
    let (one, two) = (try open(), try open())
    one.set(1, "a")
    let end = try #require(try one.store.state.withLock { $0.log?.offset })
    let journal = settings.folder[SettingsFolder.journal]
    two.disk.delay { call in
      if call.operation == .write { truncate(journal, off_t(end) - 10) }
    }
    two.set(1, "b")
    two.disk.delay { _ in }
    one.set(1, "c")
    two.set(1, "d")
    #expect(try open().entries == ["a": 1, "b": 1, "c": 1, "d": 1])
  }

  @Test("An export is recognized although the log lost the later records about it")
  func cutBehindExport() throws {
    try export(["a": 0])
    let (other, process) = (try open(), try open())
    process.set(1, "a")
    let changes = Log<Int>()
    process.disk.delay { [suite = other.suite] call in
      guard call.operation == .synchronize, changes.count == 0 else { return }
      changes.append(2)
      suite.write(.set(2), named: "a")
    }
    try process.suite.flush(.snapshot)
    let journal = settings.folder.url(SettingsFolder.journal)
    #expect(truncate(journal.path, off_t(try lastExport() + 10)) == 0)
    let reader = try open()
    #expect(reader.entries == ["a": 2])
    reader.set(1, "b")
    #expect(reader.entries == ["a": 2, "b": 1])
  }

  @Test("The changes of a log that was truncated, continued and deleted are kept")
  func cutAndDeletedLog() throws {
    let (one, two) = (try open(), try open())
    one.set(1, "a")
    let end = try #require(try one.store.state.withLock { $0.log?.offset })
    try two.suite.refresh()
    one.set(2, "a")
    one.set(1, "b")
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(end)) == 0)
    two.set(3, "c")
    try settings.remove(SettingsFolder.journal)
    one.set(4, "d")
    // Only this process knows its change, since it had replaced the truncated log.
    two.set(5, "e")
    try one.suite.refresh()
    #expect(one.entries == ["a": 2, "b": 1, "c": 3, "d": 4, "e": 5])
    try one.suite.flush(.snapshot)
    #expect(try settings.entries() == one.entries)
    #expect(one.issues.count == 0)
  }

  @Test(
    "A log that is deleted while a process opens the suite keeps its changes",
    arguments: [true, false])
  func deletedDuringOpening(isMissing: Bool) throws {
    try export(["a": 0])
    try open().set(1, "b")
    try isMissing ? settings.remove(SettingsFolder.file) : settings.edit(["a": 5])
    let disk = FaultyFileSystem()
    // The fourth status is that of a missing file after a while.
    let (operation, number) = isMissing ? (FaultyFileSystem.Operation.status, 4) : (.read, 1)
    let calls = Log<Int>()
    disk.delay { [settings] call in
      guard call.path == settings.path, call.operation == operation else { return }
      calls.append(call.number)
      guard calls.count == number else { return }
      if isMissing { try? settings.edit(["a": 5]) }
      try? settings.remove(SettingsFolder.journal)
    }
    let process = try settings.open(isAutomatic: isMissing, on: disk)
    #expect(process.entries == ["a": 5, "b": 1])
    process.set(1, "c")
    #expect(try settings.found() == ["a": 5, "b": 1, "c": 1])
  }

  @Test(
    "A change that was cut off the log before another process read it isn't undone by that process",
    arguments: [23, nil])
  func cutBeforeReading(size: Int?) throws {
    let (writer, other) = (try open(), try open())
    writer.set(1, "a")
    try other.suite.refresh()
    let end = try settings.endOfRecords()
    writer.set(3, "a")
    let path = settings.folder[SettingsFolder.journal]
    let reads = Log<Void>()
    other.disk.delay { call in
      guard call.operation == .read, call.path == path else { return }
      reads.append(())
      // The first reading has found the record that the second one reads.
      if reads.count == 2 { #expect(truncate(path, off_t(size ?? end)) == 0) }
    }
    other.set(4, "b")
    try other.suite.flush(.snapshot)
    writer.set(5, "c")
    #expect(writer.entries == ["a": 3, "b": 4, "c": 5])
    #expect(try open().entries == ["a": 3, "b": 4, "c": 5])
  }

  @Test("A change during a compaction is kept if the log is cut before the compaction ends")
  func cutDuringCompaction() throws {
    let process = try open()
    for number in 1...3_000 { process.set(.integer(Int64(number)), "a") }
    let path = settings.folder[SettingsFolder.journal]
    let (syncs, reads) = (Log<Void>(), Log<Void>())
    process.disk.delay { [suite = process.suite] call in
      if call.operation == .synchronize, call.path.contains(".journal.") {
        syncs.append(())
        if syncs.count == 1 { suite.write(.set(3), named: "c") }
      }
      guard call.operation == .read, call.path == path, syncs.count == 1 else { return }
      reads.append(())
      // After the check of the last record, before the reading of the new ones.
      if reads.count == 2 { #expect(truncate(path, 0) == 0) }
    }
    process.failExports()
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    process.disk.heal()
    #expect(reads.count >= 2)
    process.set(4, "d")
    #expect(try open().entries == ["a": 3_000, "c": 3, "d": 4])
  }

  @Test(
    "A set after the log was truncated is stored together with all earlier entries",
    arguments: [0, 100])
  func setInCutLog(size: Int) throws {
    let process = try open()
    for number in 0..<5 { process.set(.integer(Int64(number)), "\(number)") }
    try process.suite.flush()
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(size)) == 0)
    process.set(5, "5")
    try process.suite.flush()
    #expect(process.entries.count == 6)
    #expect(try open().entries == process.entries)
  }
}
