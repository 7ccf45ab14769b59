import Foundation
import TestSupport
import Testing

@testable import Defaults

// Logs and property lists that another program truncated or restored, so that they don't agree.

extension FileStoreTests {
  @Test("Settings are saved although the disk has times of whole seconds and rejects other times")
  func rejectedTimes() throws {
    let process = try open()
    process.disk.setWholeSeconds()
    process.disk.fail(with: .EPERM) { $0.operation == .changeAttribute }
    process.set(5, "a")
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 5])
  }

  @Test("An edit in place is merged although the disk's times are in whole seconds")
  func coarseTimes() throws {
    let process = try Process(settings, format: .xml)
    process.disk.setWholeSeconds()
    process.set(5, "a")
    try process.suite.flush(.snapshot)
    let url = settings.folder.url(SettingsFolder.file)
    let text = try String(contentsOf: url, encoding: .utf8)
    try text.replacing("<integer>5<", with: "<integer>7<")
      .write(to: url, atomically: false, encoding: .utf8)
    try process.suite.refresh()
    #expect(process.entries == ["a": 7])
  }

  @Test(
    "A log that was truncated before or behind the record of an export keeps the later changes",
    arguments: [true, false])
  func cutExport(isBehind: Bool) throws {
    let process = try open()
    process.set(1, "a")
    process.set(1, "removed")
    try process.suite.flush(.snapshot)
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(2, "a")
    process.suite.write(.remove, named: "removed")
    try process.suite.flush(.snapshot)
    process.set(3, "a")
    process.set(1, "b")
    #expect(truncate(settings.folder[SettingsFolder.journal], isBehind ? off_t(end) : 100) == 0)
    process.set(1, "c")
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["a": 3, "b": 1, "c": 1])
    #expect(try settings.entries() == process.entries)
    #expect(try open().entries == process.entries)
  }

  @Test("A process that missed an export keeps another process's later changes in a truncated log")
  func cutExportOfOtherProcess() throws {
    try export(["a": 0])
    let (late, process) = (try open(), try open())
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(end)) == 0)
    late.set(1, "b")
    process.set(1, "c")
    #expect(process.entries == ["a": 2, "b": 1, "c": 1])
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("A process keeps another one's change in a log that was truncated before an export")
  func changeAfterCutExport() throws {
    let (late, process) = try openLate()
    let end = try #require(try late.store.state.withLock { $0.log?.offset })
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(end)) == 0)
    late.set(5, "a")
    process.set(1, "c")
    #expect(process.entries == ["a": 5, "b": 0, "c": 1])
    try late.suite.flush(.snapshot)
    #expect(late.entries == process.entries)
    #expect(try settings.entries() == process.entries)
  }

  @Test("A set isn't undone by an export that the truncated log lost before its process read it")
  func setAfterCutExport() throws {
    let (late, process) = try openLate()
    process.set(1, "b")
    let end = try #require(try process.store.state.withLock { $0.log?.offset })
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(end) + 10) == 0)
    late.set(2, "a")
    try late.suite.flush(.snapshot)
    process.set(1, "c")
    #expect(process.entries == ["a": 2, "b": 1, "c": 1])
  }

  @Test(
    "An edit of an export whose record the truncated log lost doesn't undo a later change",
    arguments: [true, false])
  func cutBehindAnnouncement(hasChange: Bool) throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.set(2, "a")
    if hasChange {
      process.disk.delay { [suite = process.suite] call in
        // After the announcement of the export, before its record.
        guard call.operation == .write, !call.path.hasSuffix(SettingsFolder.journal) else { return }
        suite.write(.set(2), named: "b")
      }
    }
    try process.suite.flush(.snapshot)
    process.disk.delay { _ in }
    process.set(3, "a")
    try settings.edit(["a": 2, "d": 9])
    setModificationTime(time(nil) + 1)
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(try lastExport())) == 0)
    process.set(1, "c")
    try process.suite.flush(.snapshot)
    #expect(process.entries["a"] == 3)
    #expect(process.entries["d"] == 9)
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

  /// The offset of the record of the last export in the log.
  func lastExport() throws -> Int {
    let journal = settings.folder.url(SettingsFolder.journal)
    let found: Int? = try Data(contentsOf: journal).withUnsafeBytes { bytes in
      let header = try #require(LogHeader(bytes))
      var (position, found) = (LogHeader.size, nil as Int?)
      while let (record, next) = LogDecoder.record(bytes, at: position, log: header.id) {
        if case .exported = record.content { found = position }
        position = next
      }
      return found
    }
    return try #require(found)
  }
}
