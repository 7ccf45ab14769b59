import Foundation

/// A scheduler that decides which of its threads runs, as the deterministic simulation in
/// `Tests/Torture` has one. It is asked only where a thread would wait.
package protocol ThreadScheduler: AnyObject, Sendable {
  /// Lets other threads run until a mutex may be free.
  ///
  /// - Returns: False if none of the scheduler's other threads holds the mutex: the caller waits in
  ///   the system then, or finds that it holds the mutex itself.
  func wait(for mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Bool

  /// Lets other threads run, in place of a wait for a time.
  func sleep()
}

/// A thread that belongs to a scheduler.
package enum ScheduledThread {
  /// The scheduler of the calling thread; nil for every thread of a program.
  @TaskLocal package static var scheduler: (any ThreadScheduler)?
}
