import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Defaults

// Other processes that were killed or changed the files between two steps of this process.

extension FileStoreTests {
  private var journal: FileVersion {
    get throws {
      try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    }
  }

  @Test("An external edit between the opening and the first set is merged with that set")
  func editAfterOpening() throws {
    do {
      let process = try open()
      for name in ["a", "b"] { process.set(1, name) }
      try process.suite.flush(.snapshot)
    }
    let process = try open()
    try settings.edit(["a": 1, "b": 5])
    process.set(2, "a")
    #expect(process.entries == ["a": 2, "b": 5])
  }

  @Test("A first set while an editor writes the file in place keeps the entries")
  func setDuringSave() throws {
    try settings.edit(["a": 1, "b": 1])
    let process = try open()
    let content = try settings.folder.text(of: SettingsFolder.file)
    try settings.overwrite(with: "<plist")
    process.set(2, "a")
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(process.issues.codes == [.malformed])
    try settings.overwrite(with: content.replacing("<key>b</key>", with: "<key>c</key>"))
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["a": 2, "c": 1])
    #expect(try settings.entries() == ["a": 2, "c": 1])
    #expect(try settings.setAside() == [])
  }

  @Test("A set that waits in memory is newer than an edit before it that another process merges")
  func setAfterEdit() throws {
    try settings.edit(["x": 0])
    let (process, other) = (try open(), try open())
    try settings.edit(["x": 1])
    other.disk.fail(with: .ENOSPC)
    other.set(2, "x")
    process.set(1, "y")
    other.disk.heal()
    try other.suite.flush()
    #expect(other.entries == ["x": 2, "y": 1])
    #expect(try open().entries == other.entries)
  }

  @Test("A process without a log that finds a damaged one keeps the later changes in it")
  func damagedFirstLog() throws {
    try settings.edit(["x": 0])
    let (process, other) = (try open(), try open())
    other.set(1, "damaged")
    for name in ["x", "z"] { other.set(1, name) }
    try other.suite.flush(.snapshot)
    other.set(2, "x")
    other.suite.write(.remove, named: "z")
    let bytes = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    let place = try #require(bytes.firstRange(of: Data("damaged".utf8)))
    try settings.flip(byte: place.lowerBound, of: SettingsFolder.journal)
    process.set(1, "y")
    try process.suite.flush(.snapshot)
    #expect(process.entries["x"] == 2)
    #expect(process.entries["y"] == 1)
    #expect(process.entries["z"] == nil)
  }

  /// Writes the beginning of a longer record after the last record, as a killed process leaves it.
  private func tearRecord(of process: Process) throws -> Range<Int> {
    let start = try #require(try process.store.state.withLock { $0.log?.offset })
    let handle = try FileHandle(forUpdating: settings.folder.url(SettingsFolder.journal))
    try handle.seek(toOffset: UInt64(start))
    try handle.write(contentsOf: Data([200, 0, 0, 0]) + Data(repeating: 7, count: 150))
    return start..<start + 154
  }

  @Test("The next set removes a record that a killed process left incomplete")
  func tornRecord() throws {
    let process = try open()
    process.set(1, "a")
    let torn = try tearRecord(of: process)
    let log = try #require(try process.store.places.journal.status()).version
    process.set(2, "b")
    #expect(try open().entries == ["a": 1, "b": 2])
    #expect(process.issues.codes == [])
    let bytes = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    #expect(bytes[end..<torn.upperBound].allSatisfy { $0 == 0 })
    // The log itself is continued.
    let next = try process.store.places.journal.status()
    #expect(next?.version.isSameFile(as: log) == true)
  }

  @Test(
    "A set waits while an incomplete record can't be removed durably",
    arguments: [FaultyFileSystem.Operation.truncate, .synchronize])
  func tornRecordOnFailingDisk(operation: FaultyFileSystem.Operation) throws {
    let process = try open()
    process.set(1, "a")
    _ = try tearRecord(of: process)
    process.disk.fail(with: .EIO) { $0.operation == operation }
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    #expect(process.entries == ["a": 1, "b": 2])
    let waiting = try process.store.state.withLock { Array($0.waiting.byName.keys) }
    #expect(waiting == ["b"])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test("A set whose log can't get its name waits in memory, with the system's reason")
  func unnamedLog() throws {
    let process = try open()
    process.disk.fail(with: .EIO) { $0.operation == .addName }
    process.set(1, "a")
    #expect(process.issues.codes == [.unwritable])
    #expect(process.entries == ["a": 1])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1])
  }

  @Test(
    "A damaged log isn't replaced without the status of the property list or a synced copy",
    arguments: [FaultyFileSystem.Operation.status, .synchronize])
  func unreplacedLog(operation: FaultyFileSystem.Operation) throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let before = try journal
    try settings.overwrite(SettingsFolder.journal, with: "no journal")
    let file = settings.path
    process.disk.fail(with: .EIO) { call in
      call.operation == operation && (operation == .synchronize || call.path == file)
    }
    process.set(2, "a")
    #expect(try journal.isSameFile(as: before))
    process.disk.heal()
    process.set(3, "a")
    #expect(try !journal.isSameFile(as: before))
    #expect(try open().entries == ["a": 3])
  }

  @Test("A log with a second name isn't replaced by a new log that can't be synced")
  func unsyncedNewLog() throws {
    let process = try open()
    process.set(1, "a")
    try FileManager.default.linkItem(
      atPath: settings.folder[SettingsFolder.journal], toPath: settings.folder["copy"])
    let before = try journal
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    process.set(2, "a")
    #expect(process.issues.codes == [.unwritable])
    #expect(try journal.isSameFile(as: before))
    process.disk.heal()
    process.set(3, "a")
    #expect(try !journal.isSameFile(as: before))
    #expect(try open().entries == ["a": 3])
  }

  @Test("Rewriting the file throws the reason why it can't be written")
  func failedRewrite() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .ENOSPC)
    #expect(throws: Defaults.SuiteError.self) { try process.store.rewrite() }
    process.disk.heal()
    try process.store.rewrite()
    #expect(try process.store.state.withLock { !$0.isExportDue })
  }

  /// A process was killed after it exchanged its export with a file that a text editor had just
  /// saved, so that the editor's file has the export's temporary name.
  ///
  /// - Returns: The temporary name.
  private func interruptExchange() throws -> String {
    let process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    // Killed before it records that the export is in place.
    let folder = settings.folder
    process.disk.fail(with: .EIO) { $0.operation == .synchronize && $0.path == folder.path }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    let last = try process.store.state.withLock { $0.fold.bases.last?.temporaryName }
    let name = try #require(last)
    // The export keeps its inode, and the editor's file gets another one.
    try FileManager.default.moveItem(atPath: settings.path, toPath: folder["export"])
    try settings.edit(["a": 2, "b": 7])
    try FileManager.default.moveItem(atPath: settings.path, toPath: folder[name])
    try FileManager.default.moveItem(atPath: folder["export"], toPath: settings.path)
    return name
  }

  @Test("A text editor's file that can't get its name back keeps the temporary name")
  func failedExchangeBack() throws {
    let name = try interruptExchange()
    let disk = FaultyFileSystem()
    disk.fail(with: .EIO) { $0.operation == .exchange }
    let (suite, start) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false, onIssue: { _ in })
    start()
    try #require(suite.persistence as? FileStore).sweepTemporaries()
    #expect(try settings.folder.names().contains(name))
    let process = try open()
    try process.store.sweepTemporaries()
    try process.suite.refresh()
    #expect(process.entries == ["a": 2, "b": 7])
    #expect(try !settings.folder.names().contains(name))
  }

  @Test("An edit of the exported file isn't replaced by an earlier edit with a temporary name")
  func laterEdit() throws {
    _ = try interruptExchange()
    // In place, so that the file keeps its inode.
    try Defaults.PropertyListFormat.xml.encode(["a": 5, "b": 1])
      .write(to: URL(filePath: settings.path))
    let process = try open()
    try process.store.sweepTemporaries()
    #expect(process.entries == ["a": 5, "b": 1])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 5, "b": 1])
  }

  /// Lets a text editor save just before an export exchanges the names, and all later exchanges
  /// fail.
  private func exportWithFailingExchanges(_ process: Process) throws {
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    let exchanges = Atomic(0)
    let settings = settings
    process.disk.fail(with: .EIO) { call in
      call.operation == .exchange && exchanges.load(ordering: .relaxed) > 0
    }
    process.disk.delay { call in
      guard call.operation == .exchange, exchanges.wrappingAdd(1, ordering: .relaxed).newValue == 1
      else { return }
      #expect(throws: Never.self) { try settings.edit(["a": 1, "b": 7]) }
    }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(try settings.entries() == ["a": 2, "b": 1])
    // The next attempt doesn't overwrite the export, beside which the editor's file is found.
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
  }

  @Test("A text editor's file that an export couldn't put back is restored by the next opening")
  func failedExchangeOfKilledProcess() throws {
    try exportWithFailingExchanges(try open())
    let next = try open()
    try next.store.sweepTemporaries()
    try next.suite.refresh()
    #expect(next.entries == ["a": 2, "b": 7])
  }

  @Test("A text editor's file that an export couldn't put back is merged by the next export")
  func failedExchange() throws {
    let process = try open()
    try exportWithFailingExchanges(process)
    process.disk.heal()
    process.set(3, "c")
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["a": 2, "b": 7, "c": 3])
    #expect(try settings.entries() == process.entries)
    #expect(try settings.folder.names().sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("An export fails if a text editor's file can't get its name back, and the next merges it")
  func failedExchangeOfExport() throws {
    _ = try interruptExchange()
    let disk = FaultyFileSystem()
    let (suite, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false)
    let exchanges = Atomic(0)
    disk.fail(with: .EIO) { call in
      call.operation == .exchange
        && exchanges.wrappingAdd(1, ordering: .relaxed).newValue == 1
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush(.snapshot) }
    #expect(error?.reason.contains("can't get its name back") == true)
    try suite.flush(.snapshot)
    #expect(suite.entries == ["a": 2, "b": 7])
    #expect(try settings.entries() == suite.entries)
  }
}
