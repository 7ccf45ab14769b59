import Dispatch
import Testing

@testable import Defaults

extension Defaults.StoredSuite {
  /// Postpones the exports in the background until long after the test. Call it before the first
  /// change.
  func postponeExports() throws {
    let store = try #require(persistence as? FileStore)
    // After exports that take this long, the next one is due in a day.
    store.state.withLock { $0.exports.schedule.cost = .seconds(3_600) }
  }

  /// Runs the body while this suite does nothing in the background. The test must not hold the lock
  /// of the journal when it calls this, since the suite may be waiting for it.
  func withoutBackgroundWork(_ body: () throws -> Void) throws {
    let store = try #require(persistence as? FileStore)
    let (isBlocked, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let lanes = [store.background, store.folding]
    for lane in lanes {
      lane.perform {
        isBlocked.signal()
        mayContinue.wait()
      }
    }
    for _ in lanes { isBlocked.wait() }
    defer { for _ in lanes { mayContinue.signal() } }
    try body()
  }
}
