import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Closing a suite")
struct ClosingTests {
  private let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("Closing a suite whose changes are all saved waits for the end of a running export")
  func runningExport() throws {
    let process = try settings.open()
    process.set(1, "a")
    try process.flush(.snapshot)
    let store = try #require(process.suite.persistence as? FileStore)
    let steps = Log<String>()
    let (begun, mayEnd, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      store.exporting.withLock { _ in
        begun.signal()
        mayEnd.wait()
        steps.append("exported")
      }
      ended.signal()
    }
    begun.wait()
    let waiter = Waiter(atSleep: {
      mayEnd.signal()
      ended.wait()
    })
    ScheduledThread.$scheduler.withValue(waiter) { store.close() }
    steps.append("closed")
    #expect(steps.all == ["exported", "closed"])
    // Otherwise, the thread is still waiting.
    mayEnd.signal()
  }

  @Test("Closing a suite reports up to ten unsaved changes by name, and the number of the others")
  func unsaved() throws {
    for (count, rest) in [(10, nil), (11, " and 1 more"), (12, " and 2 more")] as [(Int, String?)] {
      let process = try settings.open()
      process.disk.fail(with: .ENOSPC)
      for number in 0..<count { process.set(1, "n\(number)") }
      let store = try #require(process.suite.persistence as? FileStore)
      store.close()
      let issue = try #require(process.issues.all.last?.description)
      #expect(issue.contains("are lost"))
      #expect(issue.contains("\"n9\"") == (count == 10))
      #expect(issue.contains(" more") == (rest != nil))
      if let rest { #expect(issue.contains(rest)) }
    }
  }

  @Test("Closing a suite during a commit that doesn't end reports the changes that are lost")
  func endlessCommit() throws {
    let process = try settings.open()
    process.disk.fail(with: .ENOSPC)
    process.set(1, "a")
    let store = try #require(process.suite.persistence as? FileStore)
    let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread { [table = store.table] in
      table.writer.withLock { _ in
        begun.signal()
        mayEnd.wait()
      }
    }
    begun.wait()
    ScheduledThread.$scheduler.withValue(Waiter()) { store.close() }
    #expect(try #require(process.issues.all.last?.description).contains("are lost"))
    mayEnd.signal()
  }
}
