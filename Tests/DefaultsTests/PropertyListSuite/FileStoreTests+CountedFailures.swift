import Foundation
import TestSupport
import Testing

@testable import Defaults

// Failures that are counted and reported, and syncs that threads share.

extension FileStoreTests {
  @Test("Once a change is stored, health is intact, though the one that failed was dropped")
  func intactAfterDrop() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    dropChange(of: process, because: other)
    #expect(process.suite.health == .readOnly)
    process.set(4, "b")
    #expect(process.suite.health == .intact)
    #expect(process.entries == ["a": 3, "b": 4])
  }

  @Test("A snapshot ends the failures of changes that were dropped, also after a recovery")
  func failuresAfterRecovery() throws {
    try export(["a": 0])
    try settings.overwrite(with: "damaged")
    let (process, other) = (try open(), try open())
    #expect(process.suite.health == .recoveredFromJournal)
    process.set(1, "a")
    dropChange(of: process, because: other)
    func failures() throws -> Int { try process.store.state.withLock { $0.fileHealth.failures } }
    #expect(try failures() == 1)
    try process.suite.flush(.snapshot)
    #expect(try failures() == 0)
  }

  /// A set of a process fails, and the change that waits is dropped, since another process sets the
  /// entry later.
  private func dropChange(of process: Process, because other: Process) {
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(2, "a")
    other.set(3, "a")
    try? process.suite.refresh()
    process.disk.heal()
  }

  @Test("Storing changes and the file doesn't cause the same issue to be reported again")
  func sameIssue() throws {
    let process = try open()
    let problem = Defaults.SuiteError(.unreadable, "A problem", path: settings.path)
    for number in 1...2 as ClosedRange<Int64> {
      process.suite.table.support.report(problem)
      process.set(.integer(number), "a")
      try process.suite.flush(.snapshot)
    }
    #expect(process.issues.count == 1)
  }

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
}
