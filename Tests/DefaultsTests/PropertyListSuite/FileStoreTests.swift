import Foundation
import Testing

@testable import Defaults

@Suite("A file whose log is the database")
struct FileStoreTests {
  private let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  /// A process that has the suite open.
  private final class Process {
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

    /// Nothing that the process does from now on reaches the disk.
    deinit { disk.fail(with: .EIO) }

    var entries: [String: Defaults.PropertyListValue] { suite.entries }

    func set(_ value: Defaults.PropertyListValue, _ name: String) {
      suite.write(.set(value), named: name)
    }
  }

  private func open() throws -> Process { try Process(settings) }

  @Test("A set is in the log, and found by the next process though nothing was exported")
  func set() throws {
    try open().set(1, "a")
    let process = try open()
    #expect(process.entries == ["a": 1])
    #expect(try settings.folder.names() == [SettingsFolder.journal])
  }

  @Test("An export has all entries, and no other file stays beside it and the log")
  func export() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2])
    #expect(try settings.folder.names().sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("Two processes see each other's sets, and count exactly")
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

  @Test("An external edit is merged name by name with what was set since the export")
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

  @Test("A process that opens the suite sees an external edit before any process has merged it")
  func unmerged() throws {
    let process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    try settings.edit(["a": 7])
    #expect(try open().entries == ["a": 7])
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

  @Test("A damaged property list loses nothing: it is quarantined, and exported again")
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

  @Test("What a deleted log had is in the new one", arguments: [true, false])
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

  @Test("What a log had that was deleted while its lock was waited for counts in an update")
  func deletedCandidate() throws {
    let (one, two) = (try open(), try open())
    let counts = [one, two].map { Defaults.Key("count", default: 0, suite: $0.suite) }
    for (process, count) in zip([one, two], counts) { try process.suite.increment(count) }
    try settings.remove(SettingsFolder.journal)
    try two.suite.increment(counts[1])
    // The first lock is that of the log that was deleted before, the second that of the new one.
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

  @Test("A flush stores everything again where the log was cut off", arguments: [0, 100, 160])
  func cutLog(size: Int) throws {
    let process = try open()
    for number in 0..<5 { process.set(.integer(Int64(number)), "\(number)") }
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(size)) == 0)
    try process.suite.flush()
    #expect(try open().entries == process.entries)
    #expect(process.entries.count == 5)
  }

  @Test("A flush stores everything again where the header of the log was overwritten")
  func overwrittenHeader() throws {
    let process = try open()
    process.set(1, "a")
    try settings.flip(byte: 12, of: SettingsFolder.journal)
    // The last record is as it was, so a set doesn't notice.
    process.set(2, "b")
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test(
    "A set after the log was cut off is stored, with all that was set before", arguments: [0, 100])
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

  @Test("A log with a second name is copied, and what has the other name stays as it was")
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

  @Test("A set of the known entry counts, though another process changed it while the disk failed")
  func confirmedWithoutLook() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    try other.suite.refresh()
    other.disk.fail(with: .EIO)
    process.set(2, "a")
    process.set(2, "b")
    other.set(1, "a")
    other.suite.write(.remove, named: "b")
    other.disk.heal()
    try other.suite.flush()
    #expect(try open().entries == ["a": 1])
    #expect(other.issues.codes == [.unwritable])
  }

  @Test("What is set without a log is newer than a property list from the future of this clock")
  func futureFile() throws {
    try settings.edit(["a": 1])
    let time = Date(timeIntervalSinceNow: 3_600)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: settings.path)
    let options = FileOptions(format: .binary)
    let places = try SuiteFiles(StoredFile(path: settings.path, on: Defaults.localFileSystem))
    let loaded = try LoadedFile(places, options)
    let status = try LocalFileSystem().status(of: settings.path)
    #expect(loaded.fold.horizon.latest == status.version.time)
    #expect(loaded.fold.entries.values.allSatisfy { $0.version < status.version.time })
  }

  @Test("A change that waits in memory counts, though the clock was ahead when the log was written")
  func waitingAfterClockStep() throws {
    let future = LogVersion(Defaults.localFileSystem.now + 3_600_000_000)
    let places = SuiteFiles(try StoredFile(path: settings.path, on: LocalFileSystem()))
    let state = LogState(["a": 1, "b": 1], of: nil, version: future, writer: 1, id: 1)
    try NewLog(state, places, hasFile: false).publish()
    let process = try open()
    #expect(process.entries == ["a": 1, "b": 1])
    process.disk.fail(with: .ENOSPC)
    process.set(2, "a")
    process.disk.heal()
    try process.suite.flush()
    #expect(process.entries == ["a": 2, "b": 1])
    #expect(try open().entries == ["a": 2, "b": 1])
  }

  @Test("A flush ends beside another process that sets without a pause")
  func flushBesideWriter() throws {
    let (process, other) = (try open(), try open())
    process.set(0, "a")
    // Each sync finds that more was appended.
    process.disk.delay { [suite = process.suite, other = other.suite] call in
      guard call.operation == .synchronize else { return }
      other.write(.set(.integer(Int64(call.number))), named: "b")
      suite.write(.set(.integer(Int64(call.number))), named: "c")
    }
    try process.suite.flush()
    process.disk.delay { _ in }
    #expect(try open().entries["a"] == 0)
  }

  @Test("What a deleted log had waits on a full disk, and is stored when there is room")
  func deletedLogOnFullDisk() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    other.set(1, "b")
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(1, "c")
    #expect(process.entries == ["a": 1, "b": 1, "c": 1])
    process.disk.heal()
    try process.suite.flush()
    #expect(process.entries == ["a": 1, "b": 1, "c": 1])
    #expect(try open().entries == process.entries)
  }

  @Test("An export on a full disk has what the log has, and no more")
  func exportOnFullDisk() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .ENOSPC) { call in
      call.operation == .write && call.path.hasSuffix(SettingsFolder.journal)
    }
    process.set(2, "a")
    process.disk.heal()
    let state = try #require(process.suite.persistence as? FileStore)
    state.state.withLock { #expect(!$0.waiting.isEmpty) }
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2])
    #expect(try open().entries == ["a": 2])
  }

  @Test("A damaged log that another process wrote is replaced with what both know")
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
    // In the middle of the records that were durable.
    try settings.flip(byte: log.end - 300, of: SettingsFolder.journal)
    process.set(2, "a")
    #expect(process.entries["a"] == 2)
    #expect(process.entries["c"] == 1)
    #expect(process.entries.count >= 20)
    #expect(try open().entries == process.entries)
  }

  @Test("A failed sync during an export is remembered by other processes, too")
  func failedSyncOfExport() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    other.set(1, "b")
    let log = try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    process.disk.fail(with: .EIO) { call in
      call.operation == .synchronize && call.path.hasSuffix(SettingsFolder.journal)
    }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    process.disk.heal()
    try other.suite.flush()
    let next = try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    #expect(!next.isSameFile(as: log))
    #expect(try open().entries == ["a": 1, "b": 1])
  }

  @Test("A failed sync is remembered: the next flush of either process stores everything again")
  func failedSync() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    let log = try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.heal()
    other.set(2, "b")
    try other.suite.flush()
    let next = try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal]).version
    #expect(!next.isSameFile(as: log))
    process.set(3, "c")
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2, "c": 3])
    #expect(process.entries == ["a": 1, "b": 2, "c": 3])
  }

  @Test("The property list has the time of the export's beginning, which the log has, too")
  func modificationTime() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let status = try LocalFileSystem().status(of: settings.path)
    let log = LoadedLog(
      Array(try Data(contentsOf: settings.folder.url(SettingsFolder.journal))), path: "journal"
    ) { _, _ in }
    #expect(log.state.bases.map(\.version) == [status.version.time])
  }

  @Test("An old copy of the log in place of the newer one loses nothing")
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

  @Test("A change that waits in memory is stored when the disk allows it, if no newer one is there")
  func waiting() throws {
    let (one, two) = (try open(), try open())
    one.set(1, "a")
    two.set(1, "b")
    one.disk.fail(with: .ENOSPC)
    one.set(2, "a")
    one.set(2, "b")
    #expect(one.entries == ["a": 2, "b": 2])
    #expect(one.suite.health == .readOnly)
    two.set(3, "b")
    one.disk.heal()
    try one.suite.flush()
    #expect(one.entries == ["a": 2, "b": 3])
    #expect(one.suite.health == .intact)
    #expect(try open().entries == ["a": 2, "b": 3])
  }

  @Test("A long log is replaced by a short one, which knows the last changes")
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

  @Test("XML stays XML, though the property list isn't read at opening")
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
}
