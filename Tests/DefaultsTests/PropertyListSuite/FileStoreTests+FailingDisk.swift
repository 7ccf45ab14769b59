import Foundation
import TestSupport
import Testing

@testable import Defaults

// Disks that are full or fail to sync.

extension FileStoreTests {
  @Test("A set of an unchanged value is stored if another process changed the entry meanwhile")
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

  @Test("A deleted property list removes its entries once the disk isn't full anymore")
  func deletionOnFullDisk() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.remove(SettingsFolder.file)
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    try process.suite.refresh()
    #expect(process.issues.codes == [.unwritable])
    #expect(process.entries == ["a": 1])
    process.disk.heal()
    try process.suite.refresh()
    #expect(process.entries == [:])
  }

  @Test("The entries of a deleted log wait in memory on a full disk and are stored later")
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

  @Test("A change that waits in memory on a full disk is in the next export")
  func exportOnFullDisk() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .ENOSPC) { call in
      call.operation == .write && call.path.hasSuffix(SettingsFolder.journal)
    }
    process.set(2, "a")
    process.disk.heal()
    try process.store.state.withLock { #expect(!$0.waiting.isEmpty) }
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 2])
    #expect(try open().entries == ["a": 2])
  }

  @Test("After a failed sync during an export, another process stores all entries again")
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

  @Test("After a failed sync, the next flush of any process stores all entries again")
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

  @Test("If the new log can't be synced, the compaction throws, and the old log stays")
  func failedSyncOfCompaction() throws {
    let (process, other) = (try settings.open(), try settings.open())
    let long = String(repeating: "x", count: 1_000)
    for number in 0..<100 { process.set(.string("\(number)" + long), "a") }
    let journal = settings.folder[SettingsFolder.journal]
    let log = try LocalFileSystem().status(of: journal).version
    let syncs = Log<Int>()
    process.disk.fail(with: .EIO) { call in
      guard call.operation == .synchronize, call.path != journal, call.path.contains("journal")
      else { return false }
      syncs.append(call.number)
      if syncs.count == 1 { other.set(1, "b") }
      // The second sync is of the record that was appended meanwhile.
      return syncs.count == 2
    }
    #expect(throws: Defaults.SuiteError.self) { try process.flush(.snapshot) }
    #expect(syncs.count == 2)
    #expect(try LocalFileSystem().status(of: journal).version.isSameFile(as: log))
    #expect(try open().entries == ["a": .string("99" + long), "b": 1])
  }

  @Test("A change that waits in memory is stored later unless another process changed the entry")
  func waiting() throws {
    let (one, two) = (try open(), try open())
    one.set(1, "a")
    two.set(1, "b")
    one.disk.fail(with: .ENOSPC)
    one.set(2, "a")
    one.set(2, "b")
    #expect(one.entries == ["a": 2, "b": 2])
    #expect(one.suite.persistence.health == .readOnly)
    two.set(3, "b")
    one.disk.heal()
    try one.suite.flush()
    #expect(one.entries == ["a": 2, "b": 3])
    #expect(one.suite.persistence.health == .intact)
    #expect(try open().entries == ["a": 2, "b": 3])
  }

  @Test("A waiting change that another process made later, too, is dropped without an issue")
  func sameChange() throws {
    let (one, two) = (try open(), try open())
    two.set(1, "a")
    one.set(1, "b")
    one.disk.fail(with: .ENOSPC)
    one.set(2, "a")
    one.set(2, "b")
    two.set(2, "a")
    two.set(3, "b")
    one.disk.heal()
    try one.suite.flush()
    #expect(one.entries == ["a": 2, "b": 3])
    let dropped = one.issues.all.map(\.description).filter { $0.contains("was dropped") }
    #expect(dropped.count == 1)
    #expect(dropped.first?.contains("\"b\"") == true)
  }

  @Test("A set that waits in memory is newer than an edit before it, but not than one after it")
  func waitingSetAfterEdit() throws {
    let process = try open()
    for name in ["x", "y"] { process.set(0, name) }
    try process.suite.flush(.snapshot)
    try settings.edit(["x": 1, "y": 0])
    process.disk.fail(with: .ENOSPC)
    for name in ["x", "y"] { process.set(2, name) }
    #expect(process.entries == ["x": 2, "y": 2])
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["x": 2, "y": 2])
    #expect(try settings.entries() == process.entries)
    let dropped = process.issues.all.map(\.description).filter { $0.contains("was dropped") }
    #expect(dropped.count == 1)
    #expect(dropped.first?.contains("A change of \"x\" in the file was dropped") == true)
    process.disk.fail(with: .ENOSPC)
    process.set(3, "x")
    try settings.edit(["x": 4, "y": 2])
    // A second later, since a file system's clock may be behind the system's.
    setModificationTime(time(nil) + 1)
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["x": 4, "y": 2])
  }

  @Test("An edit after a waiting set was stored is merged, also with an old modification time")
  func oldFileAfterWaitingSet() throws {
    let process = try open()
    process.set(0, "x")
    try process.suite.flush(.snapshot)
    process.disk.fail(with: .ENOSPC)
    process.set(1, "x")
    process.disk.heal()
    process.set(0, "y")
    try settings.edit(["x": 2])
    setModificationTime(1_000_000_000)
    try process.suite.flush(.snapshot)
    #expect(process.entries == ["x": 2, "y": 0])
  }

  @Test("An update throws if an edit that it reads can't be merged, and changes nothing")
  func updateOfUnmergedEdit() throws {
    try export(["x": 0])
    try settings.edit(["x": 5])
    let process = try open()
    process.disk.fail(with: .EIO) { [path = settings.path] call in
      call.path == path && call.operation == .read
    }
    let error = #expect(throws: Defaults.SuiteError.self) {
      try process.suite.transaction { draft in try draft.setEntry(6, named: "x") }
    }
    #expect(error?.code == .unreadable)
    process.disk.heal()
    #expect(process.entries == ["x": 5])
    #expect(try open().entries == ["x": 5])
  }

  /// Sets the property list's modification time in seconds since 1970.
  func setModificationTime(_ seconds: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, settings.path, [time, time], 0) == 0)
  }

  @Test("A log that is overwritten during its compaction keeps the changes since then")
  func overwrittenDuringCompaction() throws {
    let process = try open()
    process.set(0, "a")
    let url = settings.folder.url(SettingsFolder.journal)
    let old = try Data(contentsOf: url)
    for number in 1...3_000 { process.set(.integer(Int64(number)), "a") }
    process.failExports()
    let syncs = process.overwriteJournal(with: old, at: url) { $0.contains(".journal.") }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(syncs.count > 0)
    process.disk.delay { _ in }
    #expect(process.entries == ["a": 3_000, "c": 3])
    #expect(try open().entries == ["a": 3_000, "c": 3])
  }

  @Test("A flush fails if another thread's sync fails meanwhile")
  func failedSyncOfAnotherThread() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush()
    let journal = settings.folder[SettingsFolder.journal]
    let (syncs, flushed) = (Log<Void>(), Log<Bool>())
    let (waits, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    process.disk.fail(with: .EIO) { call in
      guard call.operation == .synchronize, call.path == journal else { return false }
      syncs.append(())
      return syncs.count == 1
    }
    process.disk.delay { [suite = process.suite] call in
      guard call.operation == .synchronize, call.path == journal, syncs.count == 1 else { return }
      Thread.detachNewThread {
        ScheduledThread.$scheduler.withValue(Waiter(atLock: { waits.signal() })) {
          flushed.append((try? suite.flush()) != nil)
        }
        waits.signal()
        ended.signal()
      }
      // The other thread's flush doesn't end before this sync fails.
      #expect(waits.wait(timeout: .now() + 600) == .success && flushed.count == 0)
    }
    process.set(2, "a")
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    #expect(ended.wait(timeout: .now() + 600) == .success)
    #expect(flushed.all == [false])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 2])
  }
}
