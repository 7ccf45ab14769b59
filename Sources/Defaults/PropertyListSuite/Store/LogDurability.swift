/// What a power cut can't take, as far as this process knows.
///
/// It changes only after a sync has returned. After a failed sync, nothing counts as durable until
/// everything was rewritten: the system may have dropped what it couldn't write, and says so once.
struct LogDurability {
  /// Everything before this offset of the log is on the disk.
  private(set) var end = 0
  /// Whether the log's name is on the disk.
  private(set) var hasName = false
  /// Whether the names of the folders on the way to the log are, which this process or an earlier
  /// one may have made.
  private(set) var hasFolders = false
  /// Whether a sync failed since the log was begun.
  private(set) var isSuspect = false

  /// Whether the log is durable up to an offset.
  func covers(_ end: Int) -> Bool { !isSuspect && hasName && hasFolders && self.end >= end }

  /// Another log is followed.
  mutating func begin() { (end, hasName, isSuspect) = (0, false, false) }

  /// The names of the folders were synced.
  mutating func trustFolders() { hasFolders = true }

  /// The log was synced up to an offset, and its folder if `hasName`.
  mutating func advance(to end: Int, hasName: Bool = true) {
    // Something before it may have been dropped.
    if isSuspect { return }
    self.end = max(self.end, end)
    self.hasName = self.hasName || hasName
  }

  /// A sync failed.
  mutating func doubt() { isSuspect = true }
}
