import Defaults
import Foundation
import Synchronization

/// Counts the system calls of a process, or only its writes if the fault concerns writes, and
/// causes the fault at one of them.
final class FaultAtCall: Sendable {
  private let fault: CallFault
  private let number: Int
  private let calls = Atomic(0)
  private let hasHappened = Atomic(false)
  /// Whether the next write finds the disk full.
  private let isFull = Atomic(false)

  /// The delay in microseconds, long enough for other processes to act many times.
  private static let delay: UInt32 = 30_000

  /// `number` is 1 for the first call.
  init(_ fault: CallFault, at number: Int) {
    self.fault = fault
    self.number = number
  }

  /// The number of calls so far.
  var count: Int { calls.load(ordering: .relaxed) }

  /// Whether the call was reached, and could have the fault.
  var happened: Bool { hasHappened.load(ordering: .relaxed) }

  /// Makes a call, unless the fault prevents it.
  func perform<Result>(_ call: () throws(Errno) -> Result) throws(Errno) -> Result {
    guard !fault.isOfWrites, isNext else { return try call() }
    hasHappened.store(true, ordering: .relaxed)
    switch fault {
    case .error: throw Errno(.EIO)
    case .killBefore: Self.die()
    case .killAfter:
      _ = try? call()
      Self.die()
    case .delay: usleep(Self.delay)
    case .stop: kill(getpid(), SIGSTOP)
    case .shortWrite, .fullDisk, .tornWrite: break
    }
    return try call()
  }

  /// Makes a call that never fails.
  func performSurely<Result>(
    _ call: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    guard fault == .error else { return try perform(call) }
    _ = isNext
    return try call()
  }

  /// Writes all or half of the bytes.
  func write(
    _ bytes: UnsafeRawBufferPointer,
    _ call: (UnsafeRawBufferPointer) throws(Errno) -> Int
  ) throws(Errno) -> Int {
    guard fault.isOfWrites else { return try perform { () throws(Errno) in try call(bytes) } }
    if isFull.exchange(false, ordering: .relaxed) { throw Errno(.ENOSPC) }
    guard isNext, bytes.count > 1 else { return try call(bytes) }
    hasHappened.store(true, ordering: .relaxed)
    let count = try call(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2)))
    if fault == .tornWrite { Self.die() }
    if fault == .fullDisk { isFull.store(true, ordering: .relaxed) }
    return count
  }

  private var isNext: Bool { calls.add(1, ordering: .relaxed).newValue == number }

  /// Ends the process immediately, without its work at exit.
  private static func die() -> Never {
    kill(getpid(), SIGKILL)
    // The signal takes effect before `kill` returns.
    _exit(9)
  }
}
