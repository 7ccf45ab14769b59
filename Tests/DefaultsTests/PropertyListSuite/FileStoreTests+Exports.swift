import Foundation
import TestSupport
import Testing

@testable import Defaults

// What others do before, during and after an export.

extension FileStoreTests {
  @Test(
    "A name in the log that isn't a temporary file's is neither moved nor removed by an export",
    arguments: ["other.plist", "sub/other.plist", ".suite.plist./../other.plist"])
  func plantedName(name: String) throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    for folder in ["sub", ".suite.plist."] { try settings.folder.makeFolder(folder) }
    let path = settings.folder[name]
    try Data("mine".utf8).write(to: URL(filePath: path))
    let stamp = try #require(try process.store.file.status()).version
    let identity = LogRecord.FileIdentity(Data(), stamp: stamp)
    try process.store.withLog { state throws(SuiteError) in
      try state.append(.exportBegan(id: 7, temporaryName: name))
      try state.append(.exported(id: 7, identity))
    }
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    #expect(try settings.entries() == ["a": 2])
  }

  @Test("An export of a file that was copied isn't undone by a process that sweeps meanwhile")
  func copiedFile() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    // The same content with another inode and time.
    try Data(contentsOf: URL(filePath: settings.path))
      .write(to: URL(filePath: settings.path), options: .atomic)
    process.set(2, "a")
    let (exchanges, others) = (Log<Void>(), Log<OpenSuite>())
    process.disk.delay { [settings] call in
      if call.operation == .exchange { exchanges.append(()) }
      guard call.operation == .synchronize, call.path == settings.folder.path, exchanges.count > 0,
        others.count == 0, let other = try? settings.open()
      else { return }
      others.append(other)
    }
    try process.suite.flush(.snapshot)
    #expect(others.count == 1)
    #expect(try settings.entries() == ["a": 2])
    #expect(try open().entries == ["a": 2])
    #expect(process.entries == ["a": 2])
  }

  @Test("Permissions that are changed during an export remain")
  func changedMode() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    #expect(chmod(settings.path, 0o644) == 0)
    process.set(2, "a")
    process.disk.delay { [path = settings.path] call in
      guard call.operation == .synchronize, call.path.hasSuffix(".tmp") else { return }
      #expect(chmod(path, 0o600) == 0)
    }
    try process.suite.flush(.snapshot)
    let mode = try FileManager.default.attributesOfItem(atPath: settings.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("An export to a file that can't be read throws why, and writes no file")
  func unreadableFile() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.edit(["a": 5])
    process.set(2, "b")
    let created = Log<Void>()
    process.disk.delay { if $0.operation == .create { created.append(()) } }
    process.disk.fail(with: .EIO) { [path = settings.path] call in
      call.operation == .read && call.path == path
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(error?.code == .unreadable)
    #expect(created.count == 0)
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 5, "b": 2])
  }

  @Test("An export waits while another program writes the file in place")
  func fileBeingWritten() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let reads = Log<Void>()
    process.disk.delay { [path = settings.path] call in
      guard call.operation == .read, call.path == path, reads.count < 10 else { return }
      reads.append(())
      #expect(throws: Never.self) {
        // Another size each time, since the times may be equal.
        let content = try Defaults.PropertyListFormat.xml.encode(["a": .integer(Int64(reads.count))]
        )
        try (content + Data(repeating: 10, count: reads.count))
          .write(to: URL(filePath: path))
      }
    }
    try settings.edit(["a": 5])
    process.set(2, "b")
    try process.suite.flush(.snapshot)
    #expect(reads.count == 10)
    #expect(try settings.entries() == ["a": 10, "b": 2])
  }

  @Test("A file that another program saved gets its name back even if this process can't read it")
  func unreadableEdit() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    // As if a process was killed after it had exchanged its export and the other program's file.
    let file = try process.store.file
    let name = file.newTemporaryName
    let path = settings.folder[name]
    try settings.edit(["a": 5])
    #expect(rename(settings.path, path) == 0)
    try Defaults.PropertyListFormat.binary.encode(["a": 1]).write(to: URL(filePath: settings.path))
    let export = try Data(contentsOf: URL(filePath: settings.path))
    let identity = LogRecord.FileIdentity(
      export, stamp: try #require(try file.status()).version)
    try process.store.withLog { state throws(SuiteError) in
      try state.append(.exportBegan(id: 7, temporaryName: name))
      try state.append(.exported(id: 7, identity))
    }
    process.disk.fail(with: .EACCES) { $0.operation == .open && $0.path == path }
    process.set(2, "b")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 5, "b": 2])
  }

  @Test("A log that can't grow is replaced by a shorter one, even if the export fails")
  func limitedLog() throws {
    let process = try open()
    for number in 0..<5_000 { process.set(.integer(Int64(number)), "a") }
    process.disk.fail(with: .EFBIG) { call in
      call.operation == .write && call.path.hasSuffix(SettingsFolder.journal)
    }
    process.set(1, "b")
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    // The limit is still there, but the new log is below it.
    process.set(1, "c")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 4_999, "b": 1, "c": 1])
    // Most of it is the history.
    #expect(try settings.size(of: SettingsFolder.journal) < 1 << 17)
  }

  @Test("A flush syncs again if the log was overwritten and lost records during its sync")
  func overwrittenDuringSync() throws {
    let process = try open()
    process.set(1, "a")
    let url = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: url)
    process.set(2, "b")
    let syncs = process.overwriteJournal(with: old, at: url) {
      $0.contains(SettingsFolder.journal)
    }
    try process.suite.flush()
    // The overwritten log, the new log before it gets its name, and the new log in place.
    #expect(syncs.count == 3)
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("An export fails if it can't be recorded that the file is in place, and is made again")
  func unrecordedPlace() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.delay { [disk = process.disk, folder = settings.folder.path] call in
      // The file has its name then.
      guard call.operation == .synchronize, call.path == folder else { return }
      disk.fail(with: .ENOSPC) { $0.operation == .write }
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(error?.code == .unwritable)
    #expect(try settings.entries() == ["a": 1])
    let file = try LocalFileSystem().status(of: settings.path).version
    process.disk.delay { _ in }
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(try LocalFileSystem().status(of: settings.path).version != file)
    #expect(try open().entries == ["a": 1])
  }

  @Test("A damaged log is replaced even if earlier quarantined files can't be removed")
  func irremovableCopies() throws {
    let process = try open()
    process.set(1, "a")
    for second in 0..<6 {
      try settings.overwrite(
        SettingsFolder.journal + ".corrupt-20260101T00000\(second)Z", with: "earlier")
    }
    try settings.overwrite(SettingsFolder.journal, with: "no journal")
    process.disk.fail(with: .EPERM) { call in
      call.operation == .removeName && call.path.contains(".corrupt-")
    }
    process.set(2, "b")
    process.disk.heal()
    #expect(try settings.setAside(of: SettingsFolder.journal).count == 7)
    process.set(3, "c")
    #expect(try settings.setAside(of: SettingsFolder.journal).count == 7)
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }

  /// Saves the property list as another program, at a given time.
  private func edit(_ entries: [String: Defaults.PropertyListValue], at date: Date) throws {
    try settings.edit(entries)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: settings.path)
  }

  @Test("Neither of two files that were saved before a joined change undoes it")
  func savedBeforeJoinedChange() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(2, "a")
    process.disk.heal()
    let date = Date(timeIntervalSinceNow: -10)
    try edit(["a": 5], at: date)
    let path = settings.path
    let reads = Log<Void>()
    process.disk.delay { call in
      guard call.operation == .read, call.path == path else { return }
      reads.append(())
      guard reads.count == 1 else { return }
      #expect(throws: Never.self) { try self.edit(["a": 6], at: date) }
    }
    process.set(1, "b")
    process.set(2, "b")
    try process.suite.transaction { try $0.setEntry(3, named: "b") }
    #expect(reads.count > 1)
    #expect(process.entries == ["a": 2, "b": 3])
  }

  @Test("A suite whose only waiting change was dropped is released")
  func droppedChange() throws {
    weak var table: EntryTable?
    do {
      let (process, other) = (try open(), try open())
      table = process.suite.table
      process.set(1, "a")
      process.disk.fail(with: .ENOSPC) { $0.operation == .write }
      process.set(2, "a")
      other.set(3, "a")
      try? process.suite.refresh()
      #expect(process.entries == ["a": 3])
      #expect(try process.store.state.withLock { $0.waiting.isEmpty })
    }
    #expect(table == nil)
  }

  @Test("A read-only suite without a journal is empty after its file was deleted")
  func deletedReadOnlyFile() throws {
    try settings.edit(["a": 1])
    let disk = LocalFileSystem(isReadOnly: true)
    let (suite, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false)
    #expect(suite.entries == ["a": 1])
    try settings.remove(SettingsFolder.file)
    try suite.refresh()
    #expect(suite.entries == [:])
  }

  @Test("A log that another program overwrote with an older copy is replaced by a new one")
  func olderCopyInPlace() throws {
    let process = try open()
    process.set(1, "a")
    let url = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: url)
    process.set(2, "b")
    let before = try #require(try process.store.places.journal.status()).version
    try old.write(to: url)
    process.set(3, "c")
    let after = try process.store.places.journal.status()
    #expect(after?.version.isSameFile(as: before) == false)
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
  }
}
