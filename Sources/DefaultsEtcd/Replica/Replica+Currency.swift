import Defaults
import Foundation

/// Waiting until reads return the cluster's entries.
extension Replica: RemotePersistence {
  func awaitCurrent(until deadline: UInt64) -> StaleCopy? {
    guard feed.wait(until: deadline, for: \.isLive) else { return staleCopy }
    // A commit holds the lock until the cluster has answered it.
    while table.writer.withLockIfFree(attempts: 10, { _ in takeIn(upTo: .max) }) == nil {
      if MonotonicClock.now >= deadline { return staleCopy }
    }
    runAfterListing()
    table.support.deliver()
    return nil
  }

  private var staleCopy: StaleCopy {
    let (wasListed, dateOfCache) = known.withLock { ($0.wasListed, $0.dateOfCache) }
    var date = dateOfCache
    var reason = "The cluster hasn't answered yet"
    switch feed.present.link {
    case .starting: break
    case .live:
      // Only changes that have arrived during the commit are missing.
      if wasListed { date = Date() }
      reason = "Another thread is changing settings, and newer entries aren't read before that ends"
    case .offline(let since, let error):
      if wasListed { date = since }
      reason = error.reason
    }
    return StaleCopy(label: table.support.label, date: date, reason: reason)
  }
}
