import Foundation

/// A scheduler that decides which of its threads runs. The library calls it only where a thread
/// would wait. The deterministic simulation in `Tests/StressTests` has such a scheduler.
package protocol ThreadScheduler: AnyObject, Sendable {
  /// Lets other threads run until a mutex may be free.
  ///
  /// - Returns: False if no other thread of the scheduler holds the mutex. The caller then waits in
  ///   the system, or finds that it holds the mutex itself.
  func wait(for mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Bool

  /// Lets other threads run instead of waiting for a time.
  func sleep()
}

/// A thread that belongs to a scheduler.
package enum ScheduledThread {
  /// The scheduler of the calling thread; nil outside the simulation.
  @TaskLocal package static var scheduler: (any ThreadScheduler)?
}
