/// The timer for the next export, and the duration of the last export.
///
/// The file lags the journal by about a second. While the suite is busy, exports take at most a
/// twentieth of the time, once their cost is known; see ``note(_:)``.
struct ExportSchedule {
  /// The reason for an export, the least urgent first. A more urgent reason replaces the armed one.
  private enum Reason: Int {
    /// The last attempt failed.
    case failure
    /// Another process made the changes. That process is expected to export them first.
    case otherProcess
    case ownChange
    /// Changes wait in memory.
    case waiting
    /// The journal has grown too long.
    case outgrown

    /// Returns the seconds that an export for this reason waits.
    func delay(failures: Int, cost: Duration) -> Double {
      switch self {
      case .failure, .waiting: ExportSchedule.delay(after: failures)
      case .otherProcess: max(3, 20 * (cost / .seconds(1)))
      case .ownChange: max(1, 20 * (cost / .seconds(1)))
      case .outgrown: 0
      }
    }
  }

  private var reason: Reason?
  /// The time of ``MonotonicClock`` when the armed timer fires; nil if none is armed.
  private(set) var deadline: UInt64?
  /// The duration of the last export with all its attempts or, if it was overtaken, of its last
  /// attempt. It grows gradually; see ``note(_:)``.
  var cost = Duration.zero

  /// Records the duration of an export. It may include a time in which the process was stopped, the
  /// computer slept, or another process held the lock, so that the known cost at most quadruples.
  mutating func note(_ duration: Duration) {
    cost = min(duration, max(cost * 4, .milliseconds(100)))
  }

  /// Returns the seconds to wait after this many failures in a row.
  static func delay(after failures: Int) -> Double { Double(min(60, 1 << min(failures, 6))) }

  /// Returns whether only an outgrown log can move the timer forward.
  func isArmed(hasWaiting: Bool) -> Bool {
    let least = hasWaiting ? Reason.waiting : .ownChange
    return (reason?.rawValue ?? 0) >= least.rawValue
  }

  /// Arms the timer, or moves it forward if the new reason has an earlier deadline.
  ///
  /// - Returns: The new deadline, or nil if the armed timer is early enough.
  mutating func arm(
    isOurs: Bool, isUrgent: Bool = false, hasWaiting: Bool = false, failures: Int = 0,
    now: @autoclosure () -> UInt64 = MonotonicClock.now
  ) -> UInt64? {
    let new: Reason =
      hasWaiting
      ? .waiting
      : failures > 0 ? .failure : isUrgent ? .outgrown : isOurs ? .ownChange : .otherProcess
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
