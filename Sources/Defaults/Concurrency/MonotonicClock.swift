#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system's clock that never goes backwards, the same for all processes of a machine; it begins
/// anew with each start of the machine.
enum MonotonicClock {
  /// A point in time, in nanoseconds. 20 ns.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The point in time that is a duration from now; a negative duration counts as none.
  static func now(plus duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return now }
    let wait = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    guard !wait.overflow else { return .max }
    let sum = now.addingReportingOverflow(wait.partialValue + UInt64(attoseconds / 1_000_000_000))
    return sum.overflow ? .max : sum.partialValue
  }
}
