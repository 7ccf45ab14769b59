/// What a power cut can't take, as far as this process knows: the one place that knows it.
///
/// Nothing is written down here before its last sync has returned. A sync that failed is never
/// made good by a later one: the system may have dropped what it couldn't write, and says so
/// once. Then nothing counts until all of it was written to new files.
struct Durability {
  /// Everything before this place of the present journal is on the disk.
  private(set) var end = 0
  /// Whether the journal's name is, and that of the file which it builds on.
  private(set) var hasName = false
  /// How many syncs failed since everything was written to new files.
  private(set) var failures = 0

  var isSuspect: Bool { failures > 0 }

  /// Whether the journal is safe up to a place.
  func covers(_ end: Int) -> Bool { !isSuspect && hasName && self.end >= end }

  /// Another journal counts now, of which nothing is known.
  mutating func begin() {
    end = 0
    hasName = false
  }

  /// The journal up to a place was synced, and the folder.
  mutating func advance(to end: Int) {
    // Something before it may have been dropped.
    if isSuspect { return }
    self.end = max(self.end, end)
    hasName = true
  }

  mutating func doubt() { failures += 1 }

  /// Everything was written to new files and synced, after so many failures.
  mutating func believe(failures before: Int) {
    // One that came meanwhile may concern the new files.
    if failures == before { failures = 0 }
  }
}
