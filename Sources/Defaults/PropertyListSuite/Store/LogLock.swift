import Foundation

/// The lock of a journal, as this process has it, wants it, or doesn't.
///
/// It is taken at once where it is free. Where another process has it, one thread of this process
/// waits in the system's queue (a blocking `flock`, so that all processes have their turn), and
/// those who need the lock wait for that thread, each as long as it can.
final class LogLock: Sendable {
  private enum Phase {
    case free
    /// A thread waits in the system's queue.
    case queued
    /// This process has it, and none of its threads has taken it so far.
    case granted
    case taken
  }

  private struct State {
    var phase = Phase.free
    /// How many threads wait for the one that is in the queue.
    var waiting = 0
    /// Why waiting was in vain.
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

  /// Takes the lock if no other process has it; returns whether it was taken. Threads of this
  /// process agree among themselves before.
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

  /// Releases the lock, which this thread took.
  func giveBack() {
    let isAwaited = monitor.lock.withLock { state in
      // First, for threads that see the lock free.
      file.letGo()
      state.phase = .free
      return state.waiting > 0
    }
    if isAwaited { monitor.wakeAll() }
  }

  /// Releases what was granted if no thread waits for it anymore.
  func giveBackUnclaimed() {
    monitor.lock.withLock { state in
      guard state.phase == .granted, state.waiting == 0 else { return }
      file.letGo()
      state.phase = .free
    }
  }

  /// Waits until the lock is worth another try; returns whether it is. Throws what keeps the
  /// system from queueing.
  ///
  /// A point in time that has passed is no reason not to get in the queue: `whenUnclaimed` is
  /// called, on a thread of the library, when the lock is granted and no thread waits.
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
    // A thread of its own: it may be there for as long as the other process is stopped.
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
      giveBackUnclaimed()
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
  /// Releases the lock, which fails for no open file.
  func letGo() { try? unlock() }
}

/// How long is waited for a process that has the lock.
package struct LockPatience: Sendable {
  /// By a setter, before its change waits in memory. Those that come after it don't wait.
  var setter: Duration
  /// By what is made on what is committed, or not at all; so that it outlasts whoever honestly
  /// has the lock, and many of them in turn.
  var exact: Duration
  /// At exit, for what waits in memory.
  var exit: Duration

  /// What programs have.
  package static let standard = Self()

  package init(
    setter: Duration = .seconds(1), exact: Duration = .seconds(30), exit: Duration = .seconds(5)
  ) {
    self.setter = setter
    self.exact = exact
    self.exit = exit
  }
}
