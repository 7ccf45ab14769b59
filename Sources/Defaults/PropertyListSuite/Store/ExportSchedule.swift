/// The timer for the next export, and the duration of the last export.
///
/// The file lags the journal by about a second. While the suite is busy, exports take at most a
/// twentieth of the time.
struct ExportSchedule {
  /// The reason for an export, the least urgent first. A more urgent reason replaces the armed one.
  private enum Reason: Int {
    /// The last attempt failed.
    case failure
    /// Another process made the changes. That process is expected to export them first.
    case otherProcess
    case ownChange
    /// The journal has grown too long.
    case outgrown

    /// Returns the seconds that an export for this reason waits.
    func delay(failures: Int, cost: Duration) -> Double {
      switch self {
      case .failure: Double(min(60, 1 << min(failures, 6)))
      case .otherProcess: max(3, 20 * (cost / .seconds(1)))
      case .ownChange: max(1, 20 * (cost / .seconds(1)))
      case .outgrown: 0
      }
    }
  }

  private var reason: Reason?
  /// The time of ``MonotonicClock`` when the armed timer fires; nil if none is armed.
  private(set) var deadline: UInt64?
  /// The duration of the last export.
  var cost = Duration.zero

  /// Whether only an outgrown log can move the timer forward.
  var isArmedForOwnChange: Bool { (reason?.rawValue ?? 0) >= Reason.ownChange.rawValue }

  /// Arms the timer, or moves it forward if the new reason has an earlier deadline.
  ///
  /// - Returns: The new deadline, or nil if the armed timer is early enough.
  mutating func arm(
    isOurs: Bool, isUrgent: Bool = false, failures: Int = 0,
    now: @autoclosure () -> UInt64 = MonotonicClock.now
  ) -> UInt64? {
    let new: Reason =
      failures > 0 ? .failure : isUrgent ? .outgrown : isOurs ? .ownChange : .otherProcess
    if let reason, new.rawValue <= reason.rawValue { return nil }
    reason = new
    let time = now() + UInt64(min(new.delay(failures: failures, cost: cost), 1e9) * 1e9)
    if let deadline, deadline <= time { return nil }
    deadline = time
    return time
  }

  /// Ends the armed timer when it fires.
  ///
  /// - Returns: False if the current timer has replaced this timer, which is then ignored.
  mutating func fire(_ time: UInt64) -> Bool {
    guard deadline == time else { return false }
    (self.reason, self.deadline) = (nil, nil)
    return true
  }
}
