import Foundation

/// State that one thread at a time can reach, and that threads can wait for: a lock and a condition
/// of POSIX threads. Copies are the same monitor.
package struct Monitor<State>: Sendable {
  private let change = Condition()
  private var condition: UnsafeMutablePointer<pthread_cond_t> { change.condition }
  package let lock: Lock<State>

  package init(_ initialState: consuming sending State) {
    lock = Lock(initialState)
  }

  /// Wakes all threads that wait; what they wait for was changed before.
  package func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until the state is as wanted, or a point of ``MonotonicClock`` has come; then runs the
  /// body, with whether it is as wanted.
  package func wait<Result>(
    until deadline: UInt64, for isWanted: (State) -> Bool,
    then body: (inout State, _ isAsWanted: Bool) -> Result
  ) -> Result {
    // Not in `withLock`: others have the state while this waits, and its parameter would be ours.
    pthread_mutex_lock(lock.mutex)
    defer { pthread_mutex_unlock(lock.mutex) }
    while !isWanted(lock.state.pointee) {
      #if canImport(Darwin)
        let now = MonotonicClock.now
        guard now < deadline else { return body(&lock.state.pointee, false) }
        var time = Self.time(deadline - now)
        pthread_cond_timedwait_relative_np(condition, lock.mutex, &time)
      #else
        var time = Self.time(deadline)
        if pthread_cond_timedwait(condition, lock.mutex, &time) == ETIMEDOUT,
          !isWanted(lock.state.pointee)
        {
          return body(&lock.state.pointee, false)
        }
      #endif
    }
    return body(&lock.state.pointee, true)
  }

  private static func time(_ nanoseconds: UInt64) -> timespec {
    timespec(
      tv_sec: Int(clamping: nanoseconds / 1_000_000_000),
      tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}

/// A condition of POSIX threads, and its memory.
private final class Condition: @unchecked Sendable {
  // Sendable although unchecked: the pointer never changes, and POSIX guards what it points to.
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      // The other clock may be set.
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
  }
}

/// Lets a thread wait for a time, and others wake it before that has come.
final class Alarm: Sendable {
  private let isRung = Monitor(false)

  /// Waits until a point of ``MonotonicClock``, or until the alarm rings, or if it has rung since
  /// the last wait; returns whether it has. One thread at a time.
  func wait(until time: UInt64) -> Bool {
    isRung.wait(until: time, for: { $0 }) { isRung, wasRung in
      isRung = false
      return wasRung
    }
  }

  /// Wakes the thread that waits, or lets the next one not wait.
  func ring() {
    isRung.lock.withLock { $0 = true }
    isRung.wakeAll()
  }
}

/// The system's clock that never goes backwards, the same for all processes of a machine; it begins
/// again with each start of the machine.
package enum MonotonicClock {
  /// A point in time, in nanoseconds. 20 ns.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// The point in time that is a duration from now; a negative duration counts as none.
  package static func now(plus duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return now }
    let wait = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    guard !wait.overflow else { return .max }
    let sum = now.addingReportingOverflow(wait.partialValue + UInt64(attoseconds / 1_000_000_000))
    return sum.overflow ? .max : sum.partialValue
  }
}
