import Foundation
import TestSupport
import Testing

@testable import Defaults

// Logs that another program overwrites or replaces.

extension FileStoreTests {
  @Test("An edit of an export after damage in the log doesn't undo later changes")
  func editAfterDamage() throws {
    let (late, _) = try editWithHole()
    let reader = try open()
    #expect(reader.entries == ["a": 2, "b": 1])
    late.set(1, "c")
    for process in [late, reader] {
      try process.suite.flush(.snapshot)
      #expect(process.entries == ["a": 2, "b": 1, "c": 1])
    }
    #expect(try settings.entries() == late.entries)
    #expect(late.issues.all.contains { "\($0)".contains("A change of \"a\" in the file") })
  }

  @Test("An edit that a process merged into a log with a hole is the same for the next process")
  func mergedEditAfterDamage() throws {
    let (_, process) = try editWithHole()
    try process.suite.transaction { draft in try draft.setEntry(1, named: "c") }
    #expect(process.entries == ["a": 2, "b": 1, "c": 1])
    #expect(try open().entries == process.entries)
  }

  /// Overwrites the record of a change that an export has, then edits that export. Only the second
  /// process knows the change.
  private func editWithHole() throws -> (late: Process, process: Process) {
    try export(["a": 0])
    let (late, process) = (try open(), try open())
    let start = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(1, "a")
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try settings.edit(["a": 1, "b": 1])
    setModificationTime(time(nil) + 1)
    let handle = try FileHandle(forWritingTo: settings.folder.url(SettingsFolder.journal))
    // The first record keeps the beginning.
    try handle.seek(toOffset: UInt64(start + 8))
    try handle.write(contentsOf: Data(count: end - start - 8))
    return (late, process)
  }

  @Test(
    "A change behind a hole in the log is newer than the export before it",
    arguments: [true, false], [true, false])
  func holeBeforeChange(isRemoval: Bool, isNew: Bool) throws {
    try export(["a": 0])
    let (late, process) = (try open(), try open())
    let start = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    process.suite.write(isRemoval ? .remove : .set(2), named: "a")
    let handle = try FileHandle(forWritingTo: settings.folder.url(SettingsFolder.journal))
    // The first record keeps the beginning.
    try handle.seek(toOffset: UInt64(start + 8))
    try handle.write(contentsOf: Data(count: end - start - 8))
    let reader = try open()
    #expect(reader.entries == (isRemoval ? [:] : ["a": 2]))
    let writer = isNew ? reader : late
    writer.set(1, "b")
    #expect(writer.entries == (isRemoval ? ["b": 1] : ["a": 2, "b": 1]))
    try writer.suite.flush(.snapshot)
    #expect(try settings.entries() == writer.entries)
  }

  @Test("A new property list next to a log without an export removes no entry")
  func firstFile() throws {
    do {
      let process = try open()
      for name in ["a", "b"] { process.set(1, name) }
      try process.suite.flush()
      process.disk.fail(with: .EIO)
    }
    try settings.edit(["b": 2, "c": 2])
    let process = try open()
    #expect(process.entries == ["a": 1, "b": 2, "c": 2])
    process.set(3, "d")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "b": 2, "c": 2, "d": 3])
  }

  @Test("A flush stores all entries again if the header of the log was overwritten")
  func overwrittenHeader() throws {
    let process = try open()
    process.set(1, "a")
    try settings.flip(byte: 12, of: SettingsFolder.journal)
    // The last record is unchanged, so a set doesn't detect the damage.
    process.set(2, "b")
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test("A log with a second hard link is copied, and the linked file stays unchanged")
  func secondName() throws {
    try open().set(1, "a")
    let copy = settings.folder["copy"]
    #expect(link(settings.folder[SettingsFolder.journal], copy) == 0)
    let before = try Data(contentsOf: URL(filePath: copy))
    let process = try open()
    process.set(2, "a")
    #expect(try Data(contentsOf: URL(filePath: copy)) == before)
    #expect(try open().entries == ["a": 2])
    #expect(process.issues.count == 0)
  }

  @Test("A damaged log of another process is replaced by the readable entries of both processes")
  func damagedSuccessor() throws {
    let process = try open()
    process.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    do {
      let other = try open()
      for number in 0..<20 { other.set(.integer(Int64(number)), "b\(number)") }
      try other.suite.flush()
      other.set(1, "c")
    }
    let log = LoadedLog(
      Array(try Data(contentsOf: settings.folder.url(SettingsFolder.journal))), path: "journal")
    // In the middle of the durable records.
    try settings.flip(byte: log.end - 300, of: SettingsFolder.journal)
    process.set(2, "a")
    #expect(process.entries["a"] == 2)
    #expect(process.entries["c"] == 1)
    #expect(process.entries.count >= 20)
    #expect(try open().entries == process.entries)
  }

  @Test(
    "If an old copy replaces the log, later changes stay, also if the file was edited or removed",
    arguments: [true, false])
  func oldCopyAndEdit(isRemoved: Bool) throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let copy = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    process.set(2, "a")
    process.set(1, "b")
    try process.suite.flush(.snapshot)
    process.set(3, "a")
    if isRemoved {
      try settings.remove(SettingsFolder.file)
    } else {
      try settings.edit(["a": 2, "b": 1, "c": 5])
    }
    try copy.write(to: settings.folder.url(SettingsFolder.journal), options: .atomic)
    process.set(1, "d")
    // Removing the file removes all settings.
    let expected: [String: PropertyListValue] =
      isRemoved ? ["d": 1] : ["a": 3, "b": 1, "c": 5, "d": 1]
    #expect(process.entries == expected)
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("A process that missed an export keeps later changes if its last record is damaged")
  func exportAfterDamagedRecord() throws {
    let (late, process) = try openLate()
    let record = try #require(try late.store.state.withLock { $0.log?.last })
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try settings.flip(byte: record.offset + 20, of: SettingsFolder.journal)
    late.set(3, "c")
    try late.suite.flush(.snapshot)
    #expect(late.entries == ["a": 2, "b": 0, "c": 3])
    #expect(try settings.entries() == late.entries)
  }

  @Test("If an old copy replaces the log, no entry is lost")
  func oldCopy() throws {
    let process = try open()
    process.set(1, "a")
    let copy = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    process.set(2, "a")
    process.set(1, "b")
    try copy.write(to: settings.folder.url(SettingsFolder.journal), options: .atomic)
    let other = try open()
    other.set(3, "c")
    try process.suite.refresh()
    try process.suite.flush()
    #expect(process.entries == ["a": 2, "b": 1, "c": 3])
    #expect(try open().entries == process.entries)
  }

  @Test("If both files are moved away and later moved back, later changes stay")
  func movedBack() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let names = [SettingsFolder.journal, SettingsFolder.file]
    for name in names {
      #expect(rename(settings.folder[name], settings.folder[name + ".old"]) == 0)
    }
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    for name in names {
      #expect(rename(settings.folder[name + ".old"], settings.folder[name]) == 0)
    }
    process.set(1, "b")
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(try settings.entries() == process.entries)
  }

  /// Exports `a` and opens the suite as two processes. The first one has checked the file, and sets
  /// `b`. Its later sets rely on the watcher, which it lacks, to learn of another file.
  func openLate() throws -> (late: Process, process: Process) {
    try export(["a": 0])
    let (late, process) = (try open(), try open())
    late.set(0, "b")
    return (late, process)
  }

  /// Creates a property list with entries.
  func export(_ entries: [String: PropertyListValue]) throws {
    let process = try open()
    for (name, value) in entries { process.set(value, name) }
    try process.suite.flush(.snapshot)
  }

  @Test("A set isn't undone by an export that the damaged log lost before its process read it")
  func setAfterDamageBeforeExport() throws {
    let (late, process) = try openLate()
    process.set(1, "a")
    let damaged = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(1, "b")
    try process.suite.flush(.snapshot)
    // The last record shows that the damaged record was durable.
    let last = try #require(try process.store.state.withLock { $0.log?.last })
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(last.offset)) == 0)
    try settings.flip(byte: damaged + 20, of: SettingsFolder.journal)
    late.set(1, "c")
    late.set(2, "a")
    try late.suite.flush(.snapshot)
    #expect(late.entries == ["a": 2, "b": 1, "c": 1])
    #expect(try settings.entries() == late.entries)
  }

  @Test("Damage in the middle of the last record is noticed if it has up to 1,016 bytes")
  func middleOfLastRecord() throws {
    let process = try open()
    process.set(.data(Data(repeating: 7, count: 968)), "a")
    let log = try #require(try process.store.state.withLock { $0.log })
    let last = try #require(log.last)
    #expect(log.offset - last.offset == 1_016)
    try settings.flip(byte: last.offset + 500, of: SettingsFolder.journal)
    // A set without room relies on the size alone.
    try process.suite.update(Defaults.Key("b", default: 0, suite: process.suite)) { $0 += 1 }
    #expect(process.entries.count == 2)
    #expect(try open().entries == process.entries)
  }

  @Test("The entries of a log without a checkpoint are read together with those of the file")
  func lostCheckpoint() throws {
    try export(["a": 0])
    do {
      let process = try open()
      process.set(1, "b")
      process.disk.fail(with: .EIO)
    }
    // The first record.
    try settings.flip(byte: LogHeader.size + 12, of: SettingsFolder.journal)
    #expect(try open().entries == ["a": 0, "b": 1])
  }
}
