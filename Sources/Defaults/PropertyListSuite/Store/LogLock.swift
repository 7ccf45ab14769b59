import Foundation

/// The lock of a journal, shared by the threads of this process.
///
/// A free lock is taken at once. If another process holds it, one thread of this process waits in
/// the system's queue (a blocking `flock`, so that all processes get their turn). The threads that
/// need the lock wait for that thread, each with its own deadline.
final class LogLock: Sendable {
  private enum Phase {
    case free
    /// A thread waits in the system's queue.
    case queued
    /// This process holds the lock, but no thread has taken it yet.
    case granted
    case taken
  }

  private struct State {
    var phase = Phase.free
    /// The number of threads that wait for the queued thread.
    var waiting = 0
    /// The reason why the system couldn't wait.
    var problem: POSIXError?
  }

  private let file: any OpenFile
  private let path: String
  private let monitor: Monitor<State>

  init(_ file: any OpenFile, path: String, isTaken: Bool = false) {
    self.file = file
    self.path = path
    monitor = Monitor(State(phase: isTaken ? .taken : .free))
  }

  /// Takes the lock if no other process or thread holds it, and returns whether it was taken.
  func take() throws(SuiteError) -> Bool {
    try monitor.lock.withLock { state throws(SuiteError) in
      switch state.phase {
      case .free:
        do throws(POSIXError) {
          guard try file.tryLock() else { return false }
        } catch {
          throw .unwritableJournal(path, error)
        }
      case .granted: break
      case .queued, .taken: return false
      }
      state.phase = .taken
      return true
    }
  }

  /// Releases the lock, which this thread has taken.
  func giveBack() {
    let isAwaited = monitor.lock.withLock { state in
      // Before the phase changes, for threads that then find the lock free.
      file.letGo()
      state.phase = .free
      return state.waiting > 0
    }
    if isAwaited { monitor.wakeAll() }
  }

  /// Waits until taking the lock is worth another try.
  ///
  /// This joins the queue even if the deadline has passed. `whenUnclaimed` is called on a
  /// background thread when the lock is granted and no thread waits anymore.
  ///
  /// - Returns: Whether to try again.
  /// - Throws: The reason why the system can't queue the thread.
  func wait(
    until deadline: UInt64, whenUnclaimed: @escaping @Sendable () -> Void
  ) throws(SuiteError) -> Bool {
    let mustQueue = monitor.lock.withLock { state in
      state.waiting += 1
      guard state.phase == .free else { return false }
      state.phase = .queued
      state.problem = nil
      return true
    }
    if mustQueue { try queue(whenUnclaimed) }
    let (isWorthIt, problem) = monitor.wait(until: deadline) {
      $0.phase == .granted || $0.phase == .free
    } then: { state, isAsWanted in
      state.waiting -= 1
      return (isAsWanted, state.phase == .free ? state.problem : nil)
    }
    if let problem { throw .unwritableJournal(path, problem) }
    return isWorthIt
  }

  private func queue(_ whenUnclaimed: @escaping @Sendable () -> Void) throws(SuiteError) {
    // A separate thread, since it may wait as long as the other process is stopped.
    let isStarted = LibraryThread.start { [self] in
      let outcome = Result { () throws(POSIXError) in try file.lock() }
      let isUnclaimed = monitor.lock.withLock { state in
        switch outcome {
        case .success:
          state.phase = .granted
        case .failure(let problem):
          state.phase = .free
          state.problem = problem
        }
        return state.phase == .granted && state.waiting == 0
      }
      monitor.wakeAll()
      guard isUnclaimed else { return }
      whenUnclaimed()
      monitor.lock.withLock { state in
        guard state.phase == .granted, state.waiting == 0 else { return }
        file.letGo()
        state.phase = .free
      }
    }
    guard !isStarted else { return }
    monitor.lock.withLock { state in
      state.phase = .free
      state.waiting -= 1
    }
    monitor.wakeAll()
    throw .unwritableJournal(path, POSIXError(.EAGAIN))
  }
}

extension OpenFile {
  /// Releases the lock. This can't fail for an open file.
  func letGo() { try? unlock() }
}

/// The timeouts for a lock that another process holds.
package struct LockPatience: Sendable {
  /// The timeout of a setter. After it, this and later changes wait in memory.
  var setter: Duration
  /// The timeout of changes that depend on stored entries, longer than many processes in turn
  /// usually hold the lock.
  var exact: Duration
  /// The timeout at exit, for changes that wait in memory.
  var exit: Duration

  /// The timeouts of programs.
  package static let standard = Self()

  package init(
    setter: Duration = .seconds(1), exact: Duration = .seconds(30), exit: Duration = .seconds(5)
  ) {
    self.setter = setter
    self.exact = exact
    self.exit = exit
  }
}
