/// The parts of the log that survive a power loss, as far as this process knows.
///
/// After a failed sync, nothing counts as durable until everything was rewritten: the system may
/// have dropped data, and reports that only once. The same applies if another program overwrote the
/// log.
struct LogDurability {
  /// Everything before this offset of the log is durable.
  private(set) var end = 0
  /// The end of this process's last flush of the log; 0 if there was none.
  private(set) var flushed = 0
  /// Whether the names of the log and of its parent folders are durable. This or another process
  /// may have created them.
  private(set) var hasName = false
  /// Whether a sync has failed since the beginning of the log, or another program overwrote it.
  private(set) var isDoubted = false

  /// Returns whether the log is durable up to an offset.
  func covers(_ end: Int) -> Bool { !isDoubted && hasName && self.end >= end }

  /// Starts over for another log, whose folder may be a new one.
  mutating func begin() { self = Self() }

  /// Records that an export has synced the log up to an offset.
  mutating func advance(to end: Int) {
    // Data before the offset may have been dropped.
    if !isDoubted { self.end = max(self.end, end) }
  }

  /// Records that a flush has synced the log up to an offset, and the log's folders.
  mutating func noteFlush(to end: Int) {
    if isDoubted { return }
    advance(to: end)
    (flushed, hasName) = (max(flushed, end), true)
  }

  mutating func doubt() { isDoubted = true }
}
