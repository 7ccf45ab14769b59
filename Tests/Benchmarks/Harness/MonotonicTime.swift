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
/// The optimizer doesn't know what is called, so that each read is a whole one: inlined into the
/// loop, what all reads have in common would be done once, before it.
@inline(__always)
func timeReads(_ count: Int, _ read: @escaping () -> Int) -> Int {
  let read = opaque(read)
  return time {
    var sum = 0
    for _ in 0..<count { sum &+= read() }
    use(sum)
  }
}

/// Makes the optimizer believe that a number is needed.
@inline(never) @_optimize(none)
func use(_ number: Int) {}

/// Gives back what it is given, which the optimizer doesn't know.
@inline(never) @_optimize(none)
private func opaque(_ read: @escaping () -> Int) -> () -> Int { read }
