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
