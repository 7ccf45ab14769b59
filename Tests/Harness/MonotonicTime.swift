import Foundation

/// A clock in nanoseconds that all processes of a machine share.
package enum MonotonicTime {
  @inlinable
  package static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  package static func seconds(since start: Int) -> Double { Double(now - start) / 1e9 }
}
