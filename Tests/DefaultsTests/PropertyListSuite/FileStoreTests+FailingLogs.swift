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

  @Test("Records that arrive while a long log is replaced are synced before the new log is named")
  func syncedTail() throws {
    let process = try openOutgrown()
    let steps = Log<FaultyFileSystem.Operation>()
    process.disk.delay { [suite = process.suite] call in
      guard call.path.contains(SettingsFolder.journal),
        call.operation == .exchange || call.path.contains(".journal."),
        [.write, .synchronize, .exchange].contains(call.operation)
      else { return }
      steps.append(call.operation)
      // The new log is complete but for later changes.
      if steps.all.filter({ $0 == .synchronize }).count == 1, steps.last == .synchronize {
        suite.write(.set(2), named: "late")
      }
    }
    try process.suite.flush(.snapshot)
    #expect(steps.all.contains(.exchange))
    #expect(steps.all.prefix { $0 != .exchange }.suffix(2) == [.write, .synchronize])
    #expect(try open().entries["late"] == 2)
  }

  @Test("The rest of an incomplete record is removed durably before a record is appended")
  func removedTail() throws {
    for name in ["a", "b"] { try open().set(1, name) }
    try settings.cutRecord(by: 3)
    let process = try open()
    let steps = Log<FaultyFileSystem.Operation>()
    process.disk.delay { call in
      guard call.path.hasSuffix(SettingsFolder.journal),
        [.write, .truncate, .synchronize].contains(call.operation)
      else { return }
      steps.append(call.operation)
    }
    process.set(2, "c")
    #expect(steps.all == [.truncate, .truncate, .synchronize, .write])
    #expect(try open().entries == ["a": 1, "c": 2])
  }

  @Test("A record that can't be appended after an opening doesn't make the log shorter")
  func failedFirstRecord() throws {
    try open().set(1, "a")
    let size = try settings.size(of: SettingsFolder.journal)
    let process = try open()
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    #expect(try settings.size(of: SettingsFolder.journal) == size)
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
