import Defaults
import Foundation

/// Waiting until reads return the cluster's entries.
extension Replica: RemotePersistence {
  func awaitCurrent(until deadline: UInt64) -> StaleCopy? {
    guard feed.wait(until: deadline, for: \.isLive) else { return staleCopy }
    // Fails only if two transactions wait for each other. Arrived changes are then applied later.
    try? table.withWriter { takeIn(upTo: .max) }
    runAfterListing()
    table.support.deliver()
    return nil
  }

  private var staleCopy: StaleCopy {
    let (wasListed, dateOfCache) = known.withLock { ($0.wasListed, $0.dateOfCache) }
    var date = dateOfCache
    var reason = "The cluster hasn't answered yet"
    if case .offline(let since, let error) = feed.present.link {
      if wasListed { date = since }
      reason = error.reason
    }
    return StaleCopy(label: table.support.label, date: date, reason: reason)
  }
}
