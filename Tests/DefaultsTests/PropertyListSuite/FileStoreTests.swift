import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Files with a log")
struct FileStoreTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  /// A process that has the suite open.
  final class Process {
    let suite: Defaults.StoredSuite
    let issues = IssueLog()
    let disk = FaultyFileSystem()

    init(_ settings: SettingsFolder, format: Defaults.PropertyListFormat? = nil) throws {
      let (suite, start) = try FileStore.open(
        StoredFile(path: settings.path, on: disk), format: format, isAutomatic: false,
        onIssue: { [issues] in issues.append($0) })
      self.suite = suite
      start()
    }

    /// Later writes of the process don't reach the disk.
    deinit { disk.fail(with: .EIO) }

    var entries: [String: Defaults.PropertyListValue] { suite.entries }
    var store: FileStore {
      get throws { try #require(suite.persistence as? FileStore) }
    }

    func set(_ value: Defaults.PropertyListValue, _ name: String) {
      suite.write(.set(value), named: name)
    }

    /// Makes each export fail, but not the replacement of the log.
    func failExports() {
      disk.fail(with: .EIO) { $0.operation == .create && !$0.path.contains(".journal.") }
    }

    /// At the first of these syncs, overwrites the journal in place as another program would, and
    /// sets "c" to 3 while no file can be created. Returns the syncs.
    func overwriteJournal(
      with old: Data, at url: URL, during concerns: @escaping @Sendable (String) -> Bool
    ) -> Log<Void> {
      let syncs = Log<Void>()
      disk.delay { [disk, suite] call in
        guard call.operation == .synchronize, concerns(call.path) else { return }
        syncs.append(())
        guard syncs.count == 1 else { return }
        #expect(throws: Never.self) { try old.write(to: url) }
        disk.fail(with: .ENOSPC) { $0.operation == .create }
        suite.write(.set(3), named: "c")
        disk.heal()
      }
      return syncs
    }
  }

  func open() throws -> Process { try Process(settings) }

  @Test("An opening reads the log again if another process's export was placed meanwhile")
  func exportDuringOpening() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    // So that the opening reads the property list, too.
    try settings.edit(["a": 1, "c": 9])
    let disk = FaultyFileSystem()
    let reads = Log<Void>()
    disk.delay { [path = settings.path, suite = process.suite] call in
      guard call.operation == .open, call.path == path else { return }
      reads.append(())
      guard reads.count == 1 else { return }
      suite.write(.set(2), named: "a")
      #expect(throws: Never.self) { try suite.flush(.snapshot) }
      suite.write(.set(3), named: "a")
    }
    let (other, _) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), isAutomatic: false)
    #expect(reads.count > 0)
    #expect(other.entries == ["a": 3, "c": 9])
  }

  @Test("The next process finds a set in the log before the property list is written")
  func set() throws {
    try open().set(1, "a")
    let process = try open()
    #expect(process.entries == ["a": 1])
    #expect(try settings.folder.names() == [SettingsFolder.journal])
  }

  @Test("An exported property list has all entries; only the list and the log remain in the folder")
  func export() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2])
    #expect(try settings.folder.names().sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("Two processes read each other's changes, and their updates are exact")
  func processes() throws {
    let (one, two) = (try open(), try open())
    let counters = [one, two].map { Defaults.Key("count", default: 0, suite: $0.suite) }
    for _ in 0..<10 {
      for (process, key) in zip([one, two], counters) {
        try process.suite.update(key) { $0 += 1 }
      }
    }
    try one.suite.refresh()
    #expect(one.entries == ["count": 20])
    #expect(two.entries == ["count": 20])
  }

  @Test("An external edit is merged by name with the changes since the last export")
  func merge() throws {
    let process = try open()
    for name in ["a", "b", "c"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try settings.edit(["a": 1, "b": 5, "d": 4])
    try process.suite.refresh()
    #expect(process.entries == ["a": 2, "b": 5, "d": 4])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
    #expect(try open().entries == process.entries)
  }

  @Test("A process that opens the suite reads an external edit that no process has merged yet")
  func unmerged() throws {
    let process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    try settings.edit(["a": 7])
    #expect(try open().entries == ["a": 7])
  }

  @Test("A file that was edited before the first log of its suite is created is read then")
  func editBeforeLog() throws {
    try settings.edit(["a": 1])
    let process = try open()
    try settings.edit(["a": 2, "b": 1])
    process.set(1, "c")
    #expect(process.entries == ["a": 2, "b": 1, "c": 1])
    #expect(try open().entries == process.entries)
  }

  @Test("A deleted property list removes its entries")
  func deletion() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.remove(SettingsFolder.file)
    try process.suite.refresh()
    #expect(process.entries == [:])
    #expect(try open().entries == [:])
  }

  @Test("A damaged property list is quarantined and exported again from the log")
  func damage() throws {
    do {
      let process = try open()
      process.set(1, "a")
      try process.suite.flush(.snapshot)
    }
    try settings.overwrite(with: "no property list")
    let process = try open()
    #expect(process.entries == ["a": 1])
    #expect(process.issues.codes == [.quarantined])
    #expect(try settings.entries() == ["a": 1])
    #expect(try settings.setAside().count == 1)
  }

  @Test("A change is newer than a property list whose time is in the future")
  func futureFile() throws {
    try settings.edit(["a": 1])
    let time = Date(timeIntervalSinceNow: 3_600)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: settings.path)
    let options = FileOptions(format: .binary, isReadOnly: false)
    let places = try SuiteFiles(StoredFile(path: settings.path, on: machineFileSystem))
    let loaded = try LoadedSuite(places, options)
    let status = try LocalFileSystem().status(of: settings.path)
    #expect(loaded.fold.horizon.latest == status.version.time)
    #expect(loaded.fold.changesByName.values.allSatisfy { $0.version < status.version.time })
  }

  @Test("A change that waits in memory is stored even if the log has a time in the future")
  func waitingAfterClockStep() throws {
    let future = LogVersion(machineFileSystem.now + 3_600_000_000)
    let places = SuiteFiles(try StoredFile(path: settings.path, on: LocalFileSystem()))
    let state = LogState(["a": 1, "b": 1], of: nil, version: future, id: 1)
    try NewLog(state, places).addName()
    let process = try open()
    #expect(process.entries == ["a": 1, "b": 1])
    process.disk.fail(with: .ENOSPC)
    process.set(2, "a")
    process.disk.heal()
    try process.suite.flush()
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(try open().entries == ["a": 2, "b": 1])
  }

  @Test("A flush returns while another process writes continuously")
  func flushDuringWrites() throws {
    let (process, other) = (try open(), try open())
    process.set(0, "a")
    // After each sync, the log has new records.
    process.disk.delay { [suite = process.suite, other = other.suite] call in
      guard call.operation == .synchronize else { return }
      other.write(.set(.integer(Int64(call.number))), named: "b")
      suite.write(.set(.integer(Int64(call.number))), named: "c")
    }
    try process.suite.flush()
    process.disk.delay { _ in }
    #expect(try open().entries["a"] == 0)
  }

  @Test("The property list and the log have the time at which the export began")
  func modificationTime() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let status = try LocalFileSystem().status(of: settings.path)
    let log = LoadedLog(
      Array(try Data(contentsOf: settings.folder.url(SettingsFolder.journal))), path: "journal"
    ) { _, _ in }
    #expect(log.fold.bases.map(\.version) == [status.version.time])
  }

  @Test("Compaction replaces a long log by a short one with the latest changes")
  func compaction() throws {
    let (process, other) = (try open(), try open())
    for number in 0..<2_000 { process.set(.integer(Int64(number)), "n") }
    let size = try settings.size(of: SettingsFolder.journal)
    try process.suite.flush(.snapshot)
    #expect(try settings.size(of: SettingsFolder.journal) < size)
    other.set(1, "other")
    try process.suite.refresh()
    #expect(process.entries == ["n": 1_999, "other": 1])
    #expect(try open().entries == process.entries)
    var past = PastChanges()
    _ = LoadedLog(
      Array(try Data(contentsOf: settings.folder.url(SettingsFolder.journal))), path: "journal"
    ) { past.add($0, $1) }
    #expect(past.all.map(\.new).contains(.set(1_999)))
    #expect(past.all.count > 100)
    #expect(past.all.last?.name == "other")
  }

  @Test("A property list in XML stays XML although it isn't read when the suite is opened")
  func format() throws {
    do {
      let process = try Process(settings, format: .xml)
      process.set(1, "a")
      try process.suite.flush(.snapshot)
    }
    let process = try open()
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    let data = try Data(contentsOf: settings.folder.url(SettingsFolder.file))
    #expect(try Defaults.PropertyListFormat.decode(data).format == .xml)
  }

  @Test("A change of any length is followed by other processes, also around 1 KiB")
  func lengths() throws {
    let (writer, reader) = (try open(), try open())
    for count in 950...1_020 {
      writer.set(.data(Data(repeating: UInt8(count % 7), count: count)), "a")
      // Reads up to the record, then finds nothing after it.
      for _ in 0..<2 { try reader.suite.refresh() }
      #expect(reader.entries == writer.entries)
    }
  }

  @Test("A file's time is a version in microseconds, at least 1970 and at most 2500")
  func fileTime() {
    func time(_ seconds: Int, _ nanoseconds: Int = 0) -> UInt64 {
      FileVersion(
        device: 1, inode: 1, size: 1,
        modified: FileTime(seconds: seconds, nanoseconds: nanoseconds)
      ).time.microseconds
    }
    #expect(time(1, 2_999) == 1_000_002)
    #expect([time(0, 5_000), time(-1), time(.min)] == [0, 0, 0])
    let limit = LogVersion.limit.microseconds
    #expect(time(Int(limit / 1_000_000) - 1) == limit - 1_000_000)
    #expect(time(Int(limit / 1_000_000) + 1) == limit)
    #expect(time(.max) == 0)
  }
}
