import Foundation
import TestSupport
import Testing

@testable import Defaults

// What is synced, and in which order.

extension FileStoreTests {
  @Test("Threads that wait for a sync share the next one")
  func sharedSync() throws {
    let process = try open()
    process.set(1, "a")
    let log = try #require(try process.store.state.withLock { $0.log?.file })
    let syncs = Log<Void>()
    let waits = (0..<2).map { _ in DispatchSemaphore(value: 0) }
    let ended = DispatchSemaphore(value: 0)
    process.disk.delay { call in
      guard call.operation == .synchronize else { return }
      syncs.append(())
      guard syncs.count == 1 else { return }
      for isWaiting in waits {
        Thread.detachNewThread {
          ScheduledThread.$scheduler.withValue(Waiter(atLock: { isWaiting.signal() })) {
            #expect(throws: Never.self) { try log.synchronizeContent() }
          }
          ended.signal()
        }
      }
      // Both have requested a sync, and wait for this one.
      for isWaiting in waits { #expect(isWaiting.wait(timeout: .now() + 600) == .success) }
    }
    try log.synchronizeContent()
    for _ in 0..<2 { #expect(ended.wait(timeout: .now() + 600) == .success) }
    #expect(syncs.count == 2)
  }

  @Test("A flush syncs a log that was created and exported while the process opened the suite")
  func createdDuringOpening() throws {
    let (other, disk) = (try open(), FaultyFileSystem())
    let (looks, syncs) = (Log<String>(), Log<String>())
    disk.delay { [suite = other.suite] call in
      if call.operation == .synchronize { syncs.append(call.path) }
      guard call.operation == .status else { return }
      looks.append(call.path)
      // The first look after the one that found no journal.
      guard looks.all.dropLast().last?.hasSuffix(SettingsFolder.journal) == true,
        suite.entries.isEmpty
      else { return }
      suite.write(.set(1), named: "a")
      #expect(throws: Never.self) { try suite.flush(.snapshot) }
    }
    let process = try settings.open(on: disk)
    #expect(process.entries == ["a": 1])
    try process.flush()
    #expect(syncs.all.contains { $0.hasSuffix(SettingsFolder.journal) })
  }

  @Test("After an export, the journal counts as durable up to that export, but its name doesn't")
  func durableAfterExport() throws {
    let process = try open()
    process.set(1, "a")
    let store = try process.store
    let end = try #require(store.state.withLock { $0.log?.offset })
    store.exportInBackground()
    let durability = store.state.withLock { $0.durability }
    #expect(durability.end > end)
    #expect(!durability.hasName)
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

  @Test("Without a free descriptor for the folder, a flush fails, and the log isn't replaced")
  func folderWithoutDescriptor() throws {
    let process = try open()
    process.set(1, "a")
    let log = try #require(try process.store.state.withLock { $0.log?.header })
    process.disk.fail(with: .EMFILE) { [path = settings.folder.path] call in
      call.operation == .open && call.path == path
    }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.heal()
    try process.suite.flush()
    #expect(try process.store.state.withLock { $0.log?.header } == log)
    #expect(try !process.store.state.withLock { $0.fold.isDoubted })
  }

  @Test("A failed sync isn't forgotten while the disk is read-only, so the next flush writes a log")
  func failedSyncOnReadOnlyDisk() throws {
    let process = try open()
    process.set(1, "a")
    let log = try #require(try process.store.state.withLock { $0.log?.header })
    process.disk.fail(with: .EROFS) { [.synchronize, .write, .create].contains($0.operation) }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.set(2, "b")
    try settings.edit(["c": 3])
    try process.suite.refresh()
    process.disk.heal()
    try process.suite.flush()
    #expect(try process.store.state.withLock { $0.log?.header } != log)
  }
}
