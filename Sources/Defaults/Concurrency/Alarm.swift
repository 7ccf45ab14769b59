#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Wakes a thread that waits for a time before that has come.
final class Alarm: @unchecked Sendable {
  // Sendable although unchecked: the pointers never change, and what they point to is reached under
  // the mutex alone.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let isRung = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

  init() { setUp() }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
    isRung.deallocate()
  }

  private func setUp() {
    isRung.initialize(to: false)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  /// Nanoseconds of a clock that nobody sets.
  static var now: UInt64 { MonotonicClock.now }

  /// Waits for the time, or until the alarm rings, or if it has rung since the last wait; returns
  /// whether it has. One thread at a time.
  func wait(until time: UInt64) -> Bool {
    pthread_mutex_lock(mutex)
    defer {
      isRung.pointee = false
      pthread_mutex_unlock(mutex)
    }
    while !isRung.pointee, case let now = Self.now, now < time {
      #if canImport(Darwin)
        var rest = timespec(nanoseconds: time - now)
        pthread_cond_timedwait_relative_np(condition, mutex, &rest)
      #else
        var end = timespec(nanoseconds: time)
        pthread_cond_timedwait(condition, mutex, &end)
      #endif
    }
    return isRung.pointee
  }

  /// Wakes the thread that waits, or lets the next one not wait.
  func ring() {
    pthread_mutex_lock(mutex)
    isRung.pointee = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Makes it new in a forked child, where whoever had it isn't.
  func renewInChild() { setUp() }
}

extension timespec {
  fileprivate init(nanoseconds: UInt64) {
    self.init(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
