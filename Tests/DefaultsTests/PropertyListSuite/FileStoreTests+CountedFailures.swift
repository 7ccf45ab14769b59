import Foundation
import TestSupport
import Testing

@testable import Defaults

// Failures that are counted and reported.

extension FileStoreTests {
  @Test("Once a change is stored, health is intact, though the one that failed was dropped")
  func intactAfterDrop() throws {
    let (process, other) = (try open(), try open())
    process.set(1, "a")
    dropChange(of: process, because: other)
    #expect(process.suite.persistence.health == .readOnly)
    process.set(4, "b")
    #expect(process.suite.persistence.health == .intact)
    #expect(process.entries == ["a": 3, "b": 4])
  }

  @Test("A snapshot ends the failures of changes that were dropped, also after a recovery")
  func failuresAfterRecovery() throws {
    try export(["a": 0])
    try settings.overwrite(with: "damaged")
    let (process, other) = (try open(), try open())
    #expect(process.suite.persistence.health == .recoveredFromJournal)
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

  @Test("An update whose record can't be written throws and changes nothing")
  func failedUpdate() throws {
    let process = try open()
    let count = Defaults.Key("count", default: 0, suite: process.suite)
    try process.suite.increment(count)
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.suite.increment(count) }
    #expect(error?.code == .unwritable)
    #expect(process.entries == ["count": 1])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["count": 1])
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

  @Test("While a large change waits for space, few sets try to write it again")
  func largeWaitingChange() throws {
    let process = try open()
    process.set(1, "a")
    let writes = Log<Int>()
    process.disk.fail(with: .ENOSPC) { call in
      if call.operation == .write { writes.append(call.number) }
      return call.operation == .write
    }
    process.set(.data(Data(count: 1 << 20)), "large")
    let first = writes.count
    #expect(first > 0)
    for number in 0..<250 as Range<Int64> { process.set(.integer(number), "small") }
    #expect(writes.count == first)
    for number in 250..<260 as Range<Int64> { process.set(.integer(number), "small") }
    #expect(writes.count == 2 * first)
    #expect(process.issues.codes == [.unwritable])
    process.disk.heal()
    try process.suite.flush()
    #expect(try open().entries == ["a": 1, "large": .data(Data(count: 1 << 20)), "small": 259])
    // The earlier failure doesn't delay changes that another log lacks.
    try settings.remove(SettingsFolder.journal)
    try open().set(1, "b")
    process.set(2, "c")
    #expect(try open().entries["a"] == 1)
  }
}
