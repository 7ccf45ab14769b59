import Harness

/// How many nanoseconds something takes.
@inline(__always)
func time(_ body: () throws -> Void) rethrows -> Int {
  let start = MonotonicTime.now
  try body()
  return MonotonicTime.now - start
}

/// How many nanoseconds it takes to read a value so many times, and to hand each to a function that
/// the optimizer knows nothing of.
@inline(__always)
func timeReads(_ count: Int, _ read: () -> Int) -> Int {
  time { for _ in 0..<count { use(read()) } }
}

/// The same where each read is in a function of its own, which is called each time: nothing that
/// the reads of a loop have in common is done once, before it. On Linux that is a call of
/// `swift_once`, for the constant that holds the key.
@inline(__always)
func timeReadsAlone(_ count: Int, _ read: @escaping () -> Int) -> Int {
  let read = opaque(read)
  return time { for _ in 0..<count { use(read()) } }
}

/// Makes the optimizer believe that a number is needed.
@inline(never) @_optimize(none)
func use(_ number: Int) {}

/// Gives back what it is given, which the optimizer doesn't know.
@inline(never) @_optimize(none)
private func opaque(_ read: @escaping () -> Int) -> () -> Int { read }
