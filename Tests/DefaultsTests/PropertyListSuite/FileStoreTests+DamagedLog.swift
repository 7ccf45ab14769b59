import Foundation
import TestSupport
import Testing

@testable import Defaults

// Logs that are deleted, cut off, overwritten or replaced by another process.

extension FileStoreTests {
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
}
