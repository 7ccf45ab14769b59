import Foundation

/// A persistence whose entries are a copy of a server's, which may be outdated.
package protocol RemotePersistence: Persistence {
  /// Waits until reads show the server's entries, or until a time of `MonotonicClock`. The caller
  /// holds no lock.
  ///
  /// - Returns: nil if the entries are current, otherwise a description of the copy.
  func awaitCurrent(until deadline: UInt64) -> StaleCopy?
}

/// The state of a copy that may be older than the server's entries.
package struct StaleCopy: Sendable {
  package let label: String
  /// The last time at which the copy was current; nil if that is unknown or there is no copy.
  package let date: Date?
  /// The reason why the copy may be outdated.
  package let reason: String

  package init(label: String, date: Date?, reason: String) {
    self.label = label
    self.date = date
    self.reason = reason
  }
}

extension Defaults.StoredSuite {
  /// The suites of servers that the entries come from: this suite, or the suites from which it is
  /// derived.
  package var remotes: [Defaults.StoredSuite] {
    if persistence is any RemotePersistence { return [self] }
    return derived.map { $0.base.remotes + $0.sources.flatMap(\.remotes) } ?? []
  }

  /// Waits until reads show the entries of all servers; see
  /// ``RemotePersistence/awaitCurrent(until:)``. Must not be called in the body of a transaction.
  package func awaitCurrent(until deadline: UInt64) -> [StaleCopy] {
    let copies = remotes.compactMap { remote in
      (remote.persistence as? any RemotePersistence)?.awaitCurrent(until: deadline)
    }
    derived?.reload()
    return copies
  }
}
