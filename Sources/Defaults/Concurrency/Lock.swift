import Foundation

/// State that one thread at a time can reach.
///
/// A heap-allocated pthread mutex: on Linux `Synchronization.Mutex` is slower and the thread
/// sanitizer doesn't know it. The mutex checks for errors, so that locking it again on the same
/// thread traps with a sentence where a plain one would hang. Copies are the same lock.
///
/// A struct around an object whose type isn't generic: Swift makes a class for each kind of state
/// when the process needs it first, which took a fifth of the time to open a process's first suite.
@usableFromInline
package struct Lock<State>: @unchecked Sendable {
  // Sendable although unchecked: the state is reached under the mutex alone, the pointers to both
  // never change, and the closure of `withLock` is the only way in.
  @usableFromInline let storage: LockStorage

  @usableFromInline var mutex: UnsafeMutablePointer<pthread_mutex_t> { storage.mutex }
  @usableFromInline var state: UnsafeMutablePointer<State> {
    storage.state.assumingMemoryBound(to: State.self)
  }

  /// A lock around `initialState`.
  @usableFromInline
  package init(_ initialState: consuming sending State) {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: initialState)
    storage = LockStorage(state) { state in
      let state = state.assumingMemoryBound(to: State.self)
      // Not `deinitialize`, which asks for the type at run time.
      _ = state.move()
      state.deallocate()
    }
  }

  /// Runs the body while no other thread can; the body must not call out.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 { storage.lockTaken() }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }

  /// Puts a new state in place of the old one, and returns that: what it holds is released by the
  /// caller, when the lock is free again, since an end may run anybody's code.
  package func exchange(_ newState: State) -> State {
    withLock { state in
      let oldState = state
      state = newState
      return oldState
    }
  }

  /// Puts a new state in place of the old one, which is released when the lock is free again.
  func replace(with newState: State) {
    // A result that is dropped at once would be released before.
    let oldState = exchange(newState)
    withExtendedLifetime(oldState) {}
  }

  /// Runs the body, unless this very thread has the lock already; returns whether it ran.
  func withLockUnlessOwn(_ body: (inout State) -> Void) -> Bool {
    let status = pthread_mutex_lock(mutex)
    if status == EDEADLK { return false }
    guard status == 0 else { LockStorage.trap() }
    defer { pthread_mutex_unlock(mutex) }
    body(&state.pointee)
    return true
  }

  /// Runs the body unless a thread has the lock, this one perhaps, and doesn't release it;
  /// returns whether it ran. Waits a millisecond between attempts.
  package func withLockIfFree(attempts: Int, _ body: (inout State) -> Void) -> Bool {
    let rest = attempts > 1 ? Alarm() : nil
    for attempt in 0..<attempts {
      if attempt > 0 { _ = rest?.wait(until: MonotonicClock.now(plus: .milliseconds(1))) }
      if pthread_mutex_trylock(mutex) == 0 {
        defer { pthread_mutex_unlock(mutex) }
        body(&state.pointee)
        return true
      }
    }
    return false
  }
}

/// A reference that doesn't keep its object, for tables under a lock.
///
/// Code that looks at one under a lock may come to have the last reference: it is released when the
/// lock is free, since the object's end may take that lock.
struct Weak<Object: AnyObject> {
  weak var object: Object?
}

// MARK: - Memory

/// The memory of a lock and of what it guards.
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
    precondition(status == 0, "the system has no memory left for a mutex")
    pthread_mutexattr_destroy(&attributes)
  }

  /// Locks the mutex, which was taken a moment ago: by another thread, or by this one, which traps.
  @usableFromInline @inline(never)
  func lockTaken() {
    if let scheduler = ScheduledThread.scheduler {
      while scheduler.wait(for: mutex) { if pthread_mutex_trylock(mutex) == 0 { return } }
    }
    guard pthread_mutex_lock(mutex) == 0 else { Self.trap() }
  }

  static func trap() -> Never { fatalError("a lock of Defaults was taken twice by one thread") }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    releaseState(state)
  }
}
