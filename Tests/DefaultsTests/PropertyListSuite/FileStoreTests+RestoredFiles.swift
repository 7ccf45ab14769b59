import Foundation
import TestSupport
import Testing

@testable import Defaults

// When a person puts an earlier property list back in place.

extension FileStoreTests {
  /// The name under which a person keeps a property list.
  private var kept: String { settings.folder["kept"] }

  @Test("A file that is moved away and back brings its settings back", arguments: [false, true])
  func movedAwayAndBack(restarts: Bool) throws {
    var process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    process.set(2, "b")
    try process.suite.flush(.snapshot)
    #expect(rename(settings.path, kept) == 0)
    try process.suite.refresh()
    #expect(process.entries.isEmpty)
    if restarts { process = try open() }
    process.set(5, "b")
    process.set(6, "c")
    #expect(rename(kept, settings.path) == 0)
    #expect(try open().entries == ["a": 1, "b": 2, "c": 6])
    try process.suite.refresh()
    #expect(process.entries == ["a": 1, "b": 2, "c": 6])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("An older file that is moved back undoes the later changes")
  func olderFileMovedBack() throws {
    let process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    try LocalFileSystem().addName(kept, to: settings.path)
    for (value, name) in [(2, "a"), (3, "c")] as [(PropertyListValue, String)] {
      process.set(value, name)
      try process.suite.flush(.snapshot)
    }
    try LocalFileSystem().move(kept, to: settings.path)
    process.set(4, "d")
    try process.suite.refresh()
    #expect(process.entries == ["a": 1, "b": 1, "d": 4])
    #expect(try open().entries == process.entries)
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("A copy of an older file applies completely, though a still older one is more similar")
  func copyOfOlderFile() throws {
    let process = try open()
    var copy = Data()
    for value in 1...3 as ClosedRange<Int64> {
      process.set(.integer(value), "a")
      if value == 3 { for name in ["b", "c", "d"] { process.set(3, name) } }
      try process.suite.flush(.snapshot)
      if value == 2 { copy = try Data(contentsOf: settings.folder.url(SettingsFolder.file)) }
    }
    try copy.write(to: settings.folder.url(SettingsFolder.file))
    try process.suite.refresh()
    #expect(process.entries == ["a": 2])
  }

  @Test(
    "A restored file that the log has forgotten applies completely, too", arguments: [false, true])
  func forgottenFile(isOpenedAgain: Bool) throws {
    var process = try open()
    for name in ["a", "b"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    try LocalFileSystem().addName(kept, to: settings.path)
    // A backup of an hour ago.
    let time = time_t(Date().timeIntervalSince1970) - 3_600
    var times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
    process.set(2, "a")
    for value in 1...40 as ClosedRange<Int64> {
      // The newest file differs in two settings, and many older ones in one.
      if value == 38 { process.set(2, "b") }
      process.set(.integer(value), "count")
      try process.suite.flush(.snapshot)
    }
    #expect(utimensat(AT_FDCWD, kept, &times, 0) == 0)
    try LocalFileSystem().move(kept, to: settings.path)
    if isOpenedAgain { process = try open() }
    try process.suite.refresh()
    #expect(process.entries == ["a": 1, "b": 1])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "b": 1])
  }

  @Test("A file older than all bases is compared with the newest, unless the clock was set back")
  func olderThanBases() {
    var state = LogState()
    for (id, value) in [(120, 1), (140, 2)] as [(UInt64, Int)] {
      state.apply(.set(["a": value, "b": 2], id * 1_000_000 - 1))
      state.apply(.began(id, id * 1_000_000))
      state.apply(.exported(id, .sample(id)))
      state.apply(.placed(id))
    }
    func merged(fileOf second: UInt64, at now: UInt64) -> [String: Int] {
      var state = state
      state.apply(.mergeBegan(1))
      // Most similar to the first base.
      let content = ["a": 1, "b": 3]
      let file = LogRecord.FileIdentity.sample(second, content: content)
      state.applyMerge(content, file, id: 1, at: now * 1_000_000)
      return state.integers
    }
    // By more than the minute that clocks may differ.
    #expect(merged(fileOf: 59, at: 150) == ["a": 1, "b": 3])
    #expect(merged(fileOf: 60, at: 150) == ["a": 2, "b": 3])
    #expect(merged(fileOf: 59, at: 119) == ["a": 2, "b": 3])
    #expect(merged(fileOf: 59, at: 120) == ["a": 1, "b": 3])
  }

  @Test(
    "A file that is put back after a deletion applies completely, though it was edited",
    arguments: [false, true])
  func editedAfterDeletion(exportsMeanwhile: Bool) throws {
    let process = try open()
    for name in ["a", "b", "c"] { process.set(1, name) }
    try process.suite.flush(.snapshot)
    #expect(rename(settings.path, kept) == 0)
    try process.suite.refresh()
    #expect(process.entries.isEmpty)
    if exportsMeanwhile {
      process.set(7, "d")
      try process.suite.flush(.snapshot)
    }
    let edited: [String: PropertyListValue] = ["a": 1, "b": 1, "c": 2]
    try Defaults.PropertyListFormat.binary.encode(edited)
      .write(to: settings.folder.url(SettingsFolder.file))
    try process.suite.refresh()
    #expect(process.entries.filter { $0.key != "d" } == edited)
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("A missing file that another one replaces isn't missing, even before it is merged")
  func replacedAbsence() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    #expect(rename(settings.path, kept) == 0)
    let store = try process.store
    store.noticeAbsence()
    #expect(store.state.withLock { $0.propertyList.absence } != nil)
    try settings.overwrite(with: "an edit")
    try store.state.withLock { try $0.glanceAtFile() }
    #expect(store.state.withLock { $0.propertyList.absence } == nil)
    #expect(store.state.withLock { $0.propertyList.mustCheck })
  }

  @Test("The removal of a file is synced before it is recorded")
  func syncedRemoval() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    #expect(rename(settings.path, kept) == 0)
    process.disk.fail(with: .EIO) { [path = settings.folder.path] call in
      call.operation == .synchronize && call.path == path
    }
    try process.suite.refresh()
    #expect(process.entries == ["a": 1])
    process.disk.heal()
    try process.suite.refresh()
    #expect(process.entries.isEmpty)
  }

  @Test("A file that is moved back is an edit for a process that last saw that file, too")
  func movedBackBehindProcess() throws {
    let late = try open()
    late.set(1, "a")
    try late.suite.flush(.snapshot)
    try LocalFileSystem().addName(kept, to: settings.path)
    let process = try open()
    process.set(2, "a")
    try process.suite.flush(.snapshot)
    // Another log, as after a compaction.
    try process.store.withLog { state throws(Defaults.SuiteError) in
      guard let log = state.log else { return }
      try state.replaceLog(over: log.file)
    }
    process.set(3, "b")
    try process.suite.flush(.snapshot)
    try LocalFileSystem().move(kept, to: settings.path)
    try late.suite.refresh()
    try late.suite.flush(.snapshot)
    #expect(late.entries == ["a": 1])
    #expect(try settings.entries() == ["a": 1])
  }

  @Test("A file that was touched, then replaced by an edit, and moved back is an edit")
  func touchedFileMovedBack() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let exported = try Data(contentsOf: settings.folder.url(SettingsFolder.file))
    try exported.write(to: settings.folder.url(SettingsFolder.file), options: .atomic)
    try process.suite.refresh()
    #expect(rename(settings.path, kept) == 0)
    try settings.edit(["a": 2])
    try process.suite.refresh()
    #expect(process.entries == ["a": 2])
    #expect(rename(kept, settings.path) == 0)
    try process.suite.refresh()
    #expect(process.entries == ["a": 1])
  }

  @Test("An export without a record that it was in place is an edit if it is moved back later")
  func unrecordedFileMovedBack() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    exportWithoutRecord(process)
    #expect(rename(settings.path, kept) == 0)
    try process.suite.refresh()
    #expect(process.entries.isEmpty)
    #expect(rename(kept, settings.path) == 0)
    try process.suite.refresh()
    #expect(process.entries == ["a": 2])
  }
}
