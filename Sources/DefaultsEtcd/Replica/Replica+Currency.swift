import Defaults
import Foundation

/// Whether reads show what the cluster has.
extension Replica: RemotePersistence {
  func awaitCurrent(until deadline: UInt64) -> StaleCopy? {
    guard feed.wait(until: deadline, for: \.isLive) else { return staleCopy }
    // In vain only if two transactions wait for each other; what has arrived is applied later.
    try? table.withWriter { takeIn(upTo: .max) }
    runAfterListing()
    table.support.deliver()
    return nil
  }

  private var staleCopy: StaleCopy {
    let (wasListed, dateOfCache) = known.withLock { ($0.wasListed, $0.dateOfCache) }
    var date = dateOfCache
    var reason = "The cluster hasn't answered so far"
    if case .offline(let since, let error) = feed.present.link {
      if wasListed { date = since }
      reason = error.reason
    }
    return StaleCopy(label: table.support.label, date: date, reason: reason)
  }
}
