import Foundation

/// State that only one thread at a time can access and that threads can wait for. Copies share the
/// same monitor.
package struct Monitor<State>: Sendable {
  private let change = Condition()
  private var condition: UnsafeMutablePointer<pthread_cond_t> { change.condition }
  package let lock: Lock<State>

  package init(_ initialState: consuming sending State) { lock = Lock(initialState) }

  /// Wakes all waiting threads. Call this after changing the state.
  package func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until `isWanted` holds or the deadline of ``MonotonicClock`` has passed, then runs the
  /// body with the state and whether `isWanted` holds.
  package func wait<Result>(
    until deadline: UInt64, for isWanted: (State) -> Bool,
    then body: (inout State, _ isAsWanted: Bool) -> Result
  ) -> Result {
    // `withLock` would have exclusive access to the state during the wait, when other threads need
    // it.
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

/// A POSIX condition variable and its memory.
private final class Condition: @unchecked Sendable {
  // Sendable: the pointer never changes, and POSIX synchronizes access to the condition.
  let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      // The real-time clock can be set.
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

/// Lets a thread wait for a time, and another thread wake it earlier.
package final class Alarm: Sendable {
  private let isRung = Monitor(false)

  package init() {}

  /// Waits until a time of ``MonotonicClock`` or until the alarm rings. Only one thread may wait.
  ///
  /// - Returns: Whether the alarm has rung since the previous wait.
  package func wait(until time: UInt64) -> Bool {
    if let scheduler = ScheduledThread.scheduler {
      scheduler.sleep()
      return isRung.lock.exchange(false)
    }
    return isRung.wait(until: time, for: { $0 }) { isRung, wasRung in
      isRung = false
      return wasRung
    }
  }

  /// Wakes the waiting thread. If none waits, the next wait returns at once.
  func ring() {
    isRung.lock.withLock { $0 = true }
    isRung.wakeAll()
  }
}

/// The system's monotonic clock. It is the same for all processes of a machine and restarts at
/// boot.
package enum MonotonicClock {
  /// The current time in nanoseconds. Reading it takes 20 ns.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns the time after a duration from now. A negative duration counts as zero.
  package static func now(plus duration: Duration) -> UInt64 {
    let nanoseconds = max(0, duration / .nanoseconds(1))
    return nanoseconds < 1e18 ? now + UInt64(nanoseconds) : .max
  }
}
