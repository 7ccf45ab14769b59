import Harness

/// The time of a closure, in nanoseconds.
@inline(__always)
func time(_ body: () throws -> Void) rethrows -> Int {
  let start = MonotonicTime.now
  try body()
  return MonotonicTime.now - start
}

/// The time of reading a value repeatedly, in nanoseconds. Each value is passed to a function that
/// is opaque to the optimizer.
@inline(__always)
func timeReads(_ count: Int, _ read: () -> Int) -> Int {
  time { for _ in 0..<count { use(read()) } }
}

/// The time of reading in a function of its own, which prevents the optimizer from hoisting common
/// work out of the loop. On Linux that is a call of `swift_once` for the constant with the key.
@inline(__always)
func timeReadsAlone(_ count: Int, _ read: @escaping () -> Int) -> Int {
  let read = opaque(read)
  return time { for _ in 0..<count { use(read()) } }
}

/// Makes the optimizer assume that a number is needed.
@inline(never) @_optimize(none)
func use(_ number: Int) {}

/// Returns its argument, opaque to the optimizer.
@inline(never) @_optimize(none)
private func opaque(_ read: @escaping () -> Int) -> () -> Int { read }
