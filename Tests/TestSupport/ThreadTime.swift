import Foundation

/// The processor time of the current thread, which hardly depends on how busy the machine is.
package enum ThreadTime {
  /// Runs a closure, and returns the number of seconds that it took.
  package static func seconds(of body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
