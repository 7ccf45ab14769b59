import Foundation

/// A persistence whose entries are a copy of what a server has, and may be older.
package protocol RemotePersistence: Persistence {
  /// Waits until reads show what the server has, at most until a point of `MonotonicClock`. Returns nil
  /// then, and otherwise what the copy is. The caller holds no lock.
  func awaitCurrent(until deadline: UInt64) -> StaleCopy?
}

/// Entries of a server that may be older than what the server has.
package struct StaleCopy: Sendable {
  /// What the suite of the entries is called.
  package let label: String
  /// When they were current last; nil if that isn't known, as where there are none.
  package let date: Date?
  /// Why they may be older.
  package let reason: String

  package init(label: String, date: Date?, reason: String) {
    self.label = label
    self.date = date
    self.reason = reason
  }
}

extension Defaults.StoredSuite {
  /// The suites of servers that the entries come from: this one, or those that it is derived from.
  package var remotes: [Defaults.StoredSuite] {
    if persistence is any RemotePersistence { return [self] }
    return derived.map { $0.base.remotes + $0.sources.flatMap(\.remotes) } ?? []
  }

  /// Waits until reads show what the servers have that the entries come from; see
  /// ``RemotePersistence/awaitCurrent(until:)``. A transaction's body must not call it.
  package func awaitCurrent(until deadline: UInt64) -> [StaleCopy] {
    let copies = remotes.compactMap { remote in
      (remote.persistence as? any RemotePersistence)?.awaitCurrent(until: deadline)
    }
    derived?.reload()
    return copies
  }
}
