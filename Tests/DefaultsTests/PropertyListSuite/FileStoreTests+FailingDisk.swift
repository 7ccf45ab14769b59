import Foundation
import TestSupport
import Testing

@testable import Defaults

// Disks that are full, or fail to sync.

extension FileStoreTests {
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
}
