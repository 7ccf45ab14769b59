import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The limit of the size of files that a process may have (`ulimit -f`): what goes beyond it is an
/// error, EFBIG, and not the signal SIGXFSZ, which ends a program.
///
/// The program's own way with that signal isn't touched. Where a call stays within the limit, as
/// nearly always, nothing else is done; only one that doesn't is made with the signal held back.
enum FileSizeLimit {
  /// Writes with this call what ends at an offset.
  static func respecting<Result>(
    end: Int, count: Int, _ call: () throws(POSIXError) -> Result
  ) throws(POSIXError) -> Result {
    let limit = count < exactCount ? recentLimit : currentLimit
    if end <= limit { return try call() }
    return try HeldSignals.hold(SIGXFSZ) { Swift.Result(catching: call) }.get()
  }

  /// What is longer looks at the limit as it is now. A system call more is a quarter of what a
  /// setter costs, and little beside a KiB; all that makes a journal grow is longer.
  private static let exactCount = 1_024

  /// The limit as it was looked at within this tick of the system's clock, a few milliseconds: a
  /// program that lowers its own limit is believed after that.
  private static var recentLimit: Int {
    let now = tick
    if now == lastTick.load(ordering: .acquiring) { return lastLimit.load(ordering: .relaxed) }
    let limit = currentLimit
    lastTick.store(now, ordering: .releasing)
    return limit
  }

  private static let lastTick = Atomic(-1)
  private static let lastLimit = Atomic(0)

  /// The time of the clock that is read without a system call, and costs nanoseconds.
  private static var tick: Int {
    #if canImport(Darwin)
      return Int(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000)
    #else
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
      return now.tv_sec * 1_000_000_000 + now.tv_nsec
    #endif
  }

  private static var currentLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      let result = getrlimit(RLIMIT_FSIZE, &limit)
    #endif
    let bytes = result == 0 ? Int(clamping: limit.rlim_cur) : 0
    // Also for the rest of a long write that was cut short at the limit.
    lastLimit.store(bytes, ordering: .relaxed)
    return bytes
  }
}
