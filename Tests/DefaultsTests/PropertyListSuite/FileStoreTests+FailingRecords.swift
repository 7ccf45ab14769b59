import Foundation
import TestSupport
import Testing

@testable import Defaults

// Disks that fail at one record, at one sync, or at a look at the files.

extension FileStoreTests {
  private static func isJournal(_ call: FaultyFileSystem.Call) -> Bool {
    call.path.hasSuffix(SettingsFolder.journal)
  }

  /// Makes one write to the journal fail, after `count` others.
  private func fail(_ process: Process, afterWrites count: Int) {
    let writes = Lock(0)
    process.disk.fail(with: .ENOSPC) { call in
      guard call.operation == .write, Self.isJournal(call) else { return false }
      return writes.withLock { number in
        defer { number += 1 }
        return number == count
      }
    }
  }

  @Test(
    "A flush throws if one of the records of an export can't be appended, and the next one exports",
    arguments: [0, 1])
  func exportRecord(before: Int) throws {
    let process = try open()
    process.set(1, "a")
    fail(process, afterWrites: before)
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.flush(.snapshot) }
    #expect(error?.code == .unwritable)
    process.disk.heal()
    try process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1])
  }

  @Test("An update throws if the disk has no space for an external edit before the update")
  func unmergedEdit() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    try settings.edit(["a": 5])
    process.disk.fail(with: .ENOSPC) {
      $0.operation == .write && $0.path.hasSuffix(SettingsFolder.journal)
    }
    let key = Defaults.Key("a", default: 0, suite: process.suite)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try process.suite.update(key) { $0 += 1 }
    }
    #expect(error?.code == .unwritable)
    process.disk.heal()
    try process.suite.update(key) { $0 += 1 }
    #expect(process.entries == ["a": 6])
  }

  @Test("A log that replaces a deleted log isn't published if its sync fails")
  func unsyncedSuccessor() throws {
    let process = try open()
    process.set(1, "a")
    try settings.remove(SettingsFolder.journal)
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    process.set(2, "b")
    #expect(try settings.folder.names().contains(SettingsFolder.journal) == false)
    #expect(process.entries == ["a": 1, "b": 2])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "b": 2])
  }

  @Test("A waiting change isn't older than an unchanged entry in a file that was saved later")
  func waitingBesideExport() throws {
    try settings.edit(["a": 0])
    let (process, other) = (try open(), try open())
    process.disk.fail(with: .EIO) { $0.operation == .addName }
    process.set(1, "a")
    process.disk.heal()
    // The process has found no log, and doesn't know this log before it reads the file.
    let isExported = Lock(false)
    process.disk.delay { [suite = other.suite] call in
      guard call.operation == .status, call.path.hasSuffix(SettingsFolder.file),
        !isExported.exchange(true)
      else { return }
      suite.write(.set(1), named: "b")
      #expect(throws: Never.self) { try suite.flush(.snapshot) }
    }
    process.set(2, "c")
    #expect(isExported.withLock { $0 })
    #expect(process.entries == ["a": 1, "b": 1, "c": 2])
    #expect(try open().entries == process.entries)
  }

  @Test("A waiting change is dropped, with an issue, if the next log has a newer change")
  func staleWaitingChange() throws {
    let (process, other) = (try open(), try open())
    process.set(0, "a")
    other.set(0, "b")
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(1, "a")
    process.disk.heal()
    // This flush writes a new log.
    try other.store.state.withLock { $0.durability.doubt() }
    try other.suite.flush()
    other.set(2, "a")
    process.set(3, "c")
    #expect(process.entries == ["a": 2, "b": 0, "c": 3])
    #expect(process.issues.all.filter { $0.description.contains("was dropped") }.count == 1)
  }

  @Test("A log whose sync failed stays locked until the next flush has replaced it")
  func lockedReplacement() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.heal()
    let (path, found) = (settings.folder[SettingsFolder.journal], Lock([Bool]()))
    process.disk.delay { call in
      guard call.operation == .exchange, Self.isJournal(call) else { return }
      let isFree = try? LocalFileSystem().open(path, .update).tryLock()
      found.withLock { $0.append(isFree == false) }
    }
    try process.suite.flush()
    process.disk.delay { _ in }
    #expect(found.withLock { $0 } == [true])
  }

  /// Kills a process after its export has exchanged the property list with an edit.
  private func killBeforeExchangingBack(
    _ process: Process, _ export: () throws -> Void
  ) throws {
    let exchange = Lock(Int?.none)
    process.disk.delay { [settings] call in
      guard call.operation == .exchange, !Self.isJournal(call) else { return }
      let isFirst = exchange.withLock { number in
        defer { number = number ?? call.number }
        return number == nil
      }
      // After the export's last look at the file.
      if isFirst { try? settings.edit(["a": 5]) }
    }
    process.disk.fail(with: .EIO) { call in
      exchange.withLock { number in number.map { call.number > $0 } ?? false }
    }
    #expect(throws: Defaults.SuiteError.self, performing: export)
    #expect(try settings.folder.names().count == 3)
  }

  @Test(
    "An external edit that an export replaced before it was killed is restored and merged",
    arguments: [true, false])
  func killBeforeExchangingBack(isOpenBefore: Bool) throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let other = isOpenBefore ? try open() : nil
    process.set(2, "b")
    try killBeforeExchangingBack(process) { try process.suite.flush(.snapshot) }
    let next = try other ?? open()
    next.set(3, "c")
    try next.suite.flush(.snapshot)
    #expect(next.entries == ["a": 5, "b": 2, "c": 3])
    #expect(try settings.entries() == next.entries)
    #expect(try settings.folder.names().sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("An edit that is saved while an earlier edit is restored is kept")
  func editDuringRestore() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let other = try open()
    process.set(2, "b")
    try killBeforeExchangingBack(process) { try process.suite.flush(.snapshot) }
    let isEdited = Lock(false)
    other.disk.delay { [settings] call in
      guard call.operation == .exchange, !Self.isJournal(call) else { return }
      if !isEdited.exchange(true) { try? settings.edit(["a": 7]) }
    }
    try other.suite.flush(.snapshot)
    #expect(other.entries == ["a": 7, "b": 2])
    #expect(try settings.entries() == other.entries)
  }

  @Test("A failed sync that couldn't be recorded is recorded before the next change")
  func lateDoubt() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .EIO) { [.synchronize, .write].contains($0.operation) }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    process.disk.heal()
    process.set(2, "b")
    #expect(try open().store.state.withLock { $0.fold.isDoubted })
  }

  @Test("A flush without changes merges an external edit that a killed export replaced")
  func flushAfterKilledExport() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    let other = try open()
    try killBeforeExchangingBack(process) { try process.store.rewrite() }
    try other.suite.flush(.snapshot)
    #expect(other.entries == ["a": 5])
    #expect(try settings.entries() == ["a": 5])
  }

  @Test("A refresh throws if it can't find out whether another process has created the files")
  func refreshOnFailingDisk() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    other.disk.fail(with: .EIO) { $0.operation == .status }
    let error = #expect(throws: Defaults.SuiteError.self) { try other.suite.refresh() }
    #expect(error?.code == .unreadable)
    other.disk.heal()
    try other.suite.refresh()
    #expect(other.entries == ["a": 1])
  }

  @Test("A refresh throws if it can't find out whether the property list has changed")
  func refreshWithoutFile() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    other.disk.fail(with: .EIO) { $0.operation == .status && $0.path.hasSuffix(".plist") }
    let error = #expect(throws: Defaults.SuiteError.self) { try other.suite.refresh() }
    #expect(error?.code == .unreadable)
    // The changes of other processes are in the log.
    #expect(other.entries == ["a": 1])
    other.disk.heal()
    try other.suite.refresh()
  }

  @Test("A set is stored, with an issue, if the failure of an earlier sync can't be recorded")
  func unrecordedFailure() throws {
    let process = try open()
    process.set(1, "a")
    process.disk.fail(with: .EIO) { [.synchronize, .write].contains($0.operation) }
    #expect(throws: Defaults.SuiteError.self) { try process.suite.flush() }
    fail(process, afterWrites: 0)
    process.set(2, "b")
    #expect(process.issues.codes == [.unwritable])
    #expect(try open().entries == ["a": 1, "b": 2])
    process.disk.heal()
    try process.suite.flush()
  }

  @Test("A refresh throws if the property list can't be checked, also without other changes")
  func refreshWithoutChanges() throws {
    let process = try open()
    process.set(1, "a")
    try process.suite.flush(.snapshot)
    process.disk.fail(with: .EIO) { $0.operation == .status && $0.path.hasSuffix(".plist") }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.refresh() }
    #expect(error?.code == .unreadable)
  }
}
