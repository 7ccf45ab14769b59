/// The planned passes of a sync, in nanoseconds of `MonotonicClock`. Pure.
package struct SyncSchedule {
  /// The reason for a planned pass.
  package enum Cause {
    case change, arrival
  }

  package static let second: UInt64 = 1_000_000_000

  /// The time of each planned pass, and the limit to which more events of its cause delay it.
  private var due: [Cause: (time: UInt64, limit: UInt64)] = [:]
  /// The time at which the schedule is checked next; nil if no pass is planned.
  private var check: UInt64?
  /// The time at which this device's file was written last.
  var lastWrite: UInt64 = 0

  package init() {}

  /// Plans a pass. Further events of the same cause delay the pass, by a second at most.
  ///
  /// - Returns: The delay in seconds after which the schedule must be checked; nil if it is checked
  ///   early enough anyway.
  package mutating func plan(at time: UInt64, for cause: Cause, now: UInt64) -> Double? {
    let old = due[cause] ?? (time: time, limit: max(time, now + Self.second))
    let new = min(max(time, old.time), old.limit)
    due[cause] = (new, old.limit)
    if let check, check <= new { return nil }
    check = new
    return new > now ? Double(new - now) / 1e9 : 0
  }

  /// Ends the passes that are due.
  ///
  /// - Returns: Whether there were any, and the delay in seconds until the next check.
  package mutating func takeDue(now: UInt64) -> (isDue: Bool, delay: Double?) {
    let count = due.count
    due = due.filter { $0.value.time > now }
    check = due.values.map(\.time).min()
    return (due.count < count, check.map { Double($0 - now) / 1e9 })
  }
}
