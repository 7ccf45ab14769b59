/// The heartbeats at which all entries are checked.
///
/// Usually the cluster's revision, which is cheap to get, shows that nothing has changed. If other
/// programs keep changing other keys, the member would read all entries at each heartbeat of each
/// program. So the intervals grow while nothing is missing.
struct LookSchedule {
  /// The longest interval, in heartbeats.
  static let longestPause = 12

  private var pause = 0
  private var left = 0

  /// Returns whether to check at a heartbeat at which the revision has changed.
  mutating func isDue() -> Bool {
    guard left == 0 else {
      left -= 1
      return false
    }
    pause = min(max(1, 2 * pause), Self.longestPause)
    left = pause - 1
    return true
  }
}
