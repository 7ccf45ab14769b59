import Foundation

@testable import Defaults

/// Calls a closure when its thread would wait for a lock, or for a time.
final class Waiter: ThreadScheduler {
  private let atLock: @Sendable () -> Void
  private let atSleep: @Sendable () -> Void

  init(
    atLock: @escaping @Sendable () -> Void = {}, atSleep: @escaping @Sendable () -> Void = {}
  ) {
    self.atLock = atLock
    self.atSleep = atSleep
  }

  func wait(for mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Bool {
    atLock()
    return false
  }

  func sleep() { atSleep() }
}
