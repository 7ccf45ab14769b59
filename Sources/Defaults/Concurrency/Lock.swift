import Foundation

/// State that only one thread at a time can access. Copies share the same lock.
///
/// Uses a heap-allocated pthread mutex: on Linux, `Synchronization.Mutex` is slower and unknown to
/// the thread sanitizer. The mutex checks for errors, so that locking it twice on a thread traps
/// with a message instead of blocking forever.
///
/// A struct around an object of a nongeneric type, since Swift creates a class for each
/// specialization at run time. That took a fifth of the time to open a process's first suite.
@usableFromInline
package struct Lock<State: ~Copyable>: @unchecked Sendable {
  // Sendable: the pointers never change, and the state is accessed only in `withLock`, under the
  // mutex.
  @usableFromInline let storage: LockStorage

  @usableFromInline var mutex: UnsafeMutablePointer<pthread_mutex_t> { storage.mutex }
  @usableFromInline var state: UnsafeMutablePointer<State> {
    storage.state.assumingMemoryBound(to: State.self)
  }

  /// Creates a lock around `initialState`.
  @usableFromInline
  package init(_ initialState: consuming sending State) {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: initialState)
    storage = LockStorage(state) { state in
      let state = state.assumingMemoryBound(to: State.self)
      // Unlike `move()`, `deinitialize` asks for the type's metadata at run time.
      _ = state.move()
      state.deallocate()
    }
  }

  /// Runs the body under the lock. The body must not call code outside the library.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { storage.lockTaken() }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }

  /// Replaces the state and returns the old state, for the caller to release without the lock: a
  /// deinitializer may run any code.
  package func exchange(_ newState: State) -> State where State: Copyable {
    withLock { state in
      let oldState = state
      state = newState
      return oldState
    }
  }

  /// Replaces the state, and releases the old state after the lock.
  func replace(with newState: State) where State: Copyable {
    // A discarded result would be released earlier.
    let oldState = exchange(newState)
    withExtendedLifetime(oldState) {}
  }

  /// Runs the body unless this thread already holds the lock.
  ///
  /// - Returns: The body's result; nil if the body didn't run.
  func withLockUnlessOwn<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let status = pthread_mutex_lock(mutex)
    if status == EDEADLK { return nil }
    guard status == 0 else { LockStorage.trap() }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }

  /// Runs the body unless a thread, possibly this one, holds the lock during all attempts, which
  /// are a millisecond apart.
  ///
  /// - Returns: The body's result; nil if the body didn't run.
  package func withLockIfFree<Result, Failure: Error>(
    attempts: Int, _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let rest = attempts > 1 ? Alarm() : nil
    for attempt in 0..<attempts {
      if attempt > 0 { _ = rest?.wait(until: MonotonicClock.now(plus: .milliseconds(1))) }
      if pthread_mutex_trylock(mutex) == 0 {
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
      }
    }
    return nil
  }
}

/// A weak reference, for tables under a lock.
///
/// Code that reads it under a lock may get the last strong reference. It must release this
/// reference after the lock, since the object's deinitializer may take the same lock.
struct Weak<Object: AnyObject> {
  weak var object: Object?
}

// MARK: - Memory

/// The memory of a lock and of its state.
@usableFromInline
final class LockStorage {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutableRawPointer
  private let releaseState: (UnsafeMutableRawPointer) -> Void

  init(_ state: UnsafeMutableRawPointer, release: @escaping (UnsafeMutableRawPointer) -> Void) {
    mutex = .allocate(capacity: 1)
    self.state = state
    releaseState = release
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
    let status = pthread_mutex_init(mutex, &attributes)
    precondition(status == 0, "The system has no memory left for a mutex.")
    pthread_mutexattr_destroy(&attributes)
  }

  /// Locks a mutex that another thread holds. Traps if this thread holds it.
  @usableFromInline @inline(never)
  func lockTaken() {
    if let scheduler = ScheduledThread.scheduler {
      while scheduler.wait(for: mutex) { if pthread_mutex_trylock(mutex) == 0 { return } }
    }
    guard pthread_mutex_lock(mutex) == 0 else { Self.trap() }
  }

  static func trap() -> Never { fatalError("A thread locked a mutex of Defaults twice.") }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    releaseState(state)
  }
}
