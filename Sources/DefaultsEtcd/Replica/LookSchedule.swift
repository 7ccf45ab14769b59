/// The heartbeats at which all entries are looked at.
///
/// The cluster's revision, which costs nothing, says at most heartbeats that nothing has changed. Where
/// other programs change other keys all the time it doesn't, and the member would read all entries at
/// each heartbeat of each program. So the pauses grow as long as nothing is found to be missing.
struct LookSchedule {
  /// The longest pause, in heartbeats.
  static let longestPause = 12

  private var pause = 0
  private var left = 0

  /// Whether to look at a heartbeat at which the revision has changed.
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
