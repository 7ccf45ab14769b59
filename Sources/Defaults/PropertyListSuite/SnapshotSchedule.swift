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
