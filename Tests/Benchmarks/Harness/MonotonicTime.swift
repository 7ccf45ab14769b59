import Foundation

/// Nanoseconds of a clock that all processes of a machine share.
enum MonotonicTime {
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}

/// How many nanoseconds something takes.
@inline(__always)
func time(_ body: () throws -> Void) rethrows -> Int {
  let start = MonotonicTime.now
  try body()
  return MonotonicTime.now - start
}

/// How many nanoseconds it takes to read a value so many times and use it.
///
/// Inlined, and the value is used as a program would, so that nothing is measured but the read.
@inline(__always)
func timeReads(_ count: Int, _ read: () throws -> Int) rethrows -> Int {
  try time {
    var sum = 0
    for _ in 0..<count { sum &+= try read() }
    use(sum)
  }
}

/// Makes the optimizer believe that a number is needed.
@inline(never) @_optimize(none)
func use(_ number: Int) {}
