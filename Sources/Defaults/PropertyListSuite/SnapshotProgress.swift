/// What is going on with snapshots, of this process and of others.
struct SnapshotProgress {
  /// Who announced the last one.
  var announcer: UInt64?
  /// The names that changed since the one began which is being written; nil if none is.
  var changed: Set<String>?
  /// Whether the file is to be written anew, though it has everything: in another format.
  var mustRewrite = false
  /// Whether what is in the journal is ours to write into the file at exit: we wrote it, or whoever
  /// did had died when we came.
  var hasDuty = false
  /// How many times in a row one couldn't be written that nobody waited for.
  var failures = 0
  var schedule = SnapshotSchedule()
}

/// What is scheduled, and what has been learnt about how long it takes.
struct SnapshotSchedule {
  private var isArmed = false
  private var isUrgent = false
  /// How long the last snapshot took.
  var cost = Duration.zero

  /// Arms a timer: the seconds until a snapshot is written, or nil if one is scheduled that does.
  ///
  /// Other programs see the file a second behind this one. While the suite is busy, snapshots
  /// take a twentieth of the time at most. What another process changed is its affair first.
  mutating func next(isOurs: Bool, isUrgent: Bool = false, failures: Int = 0) -> Double? {
    if isArmed, !isUrgent || self.isUrgent { return nil }
    isArmed = true
    self.isUrgent = isUrgent
    if failures > 0 { return Double(min(60, 1 << min(failures, 6))) }
    if isUrgent { return 0 }
    return max(isOurs ? 1 : 3, 20 * (cost / .seconds(1)))
  }

  /// The timer fired, or is another process's.
  mutating func disarm() {
    isArmed = false
    isUrgent = false
  }
}
