import Defaults
import Foundation
import Synchronization

/// Something that a program prints until it is interrupted, or nobody reads what it prints.
package final class Following: Sendable {
  private let firstError = Mutex<OutputError?>(nil)
  private let hasEnded = DispatchSemaphore(value: 0)

  private init() {}

  /// Observes, and returns when that is over, with why it can't be printed if that is the reason.
  /// The body is given what to call when something was printed.
  package static func run(
    _ observe: (_ printed: @escaping @Sendable () -> Void) -> any Defaults.Observation
  ) -> OutputError? {
    let following = Following()
    let interrupts = Interrupts { _ in following.end() }
    let observation = observe {
      do throws(OutputError) { try Console.flush() } catch { following.end(error) }
    }
    Thread.detachNewThread {
      if Console.waitUntilNobodyReads() { following.end(.brokenPipe) }
    }
    // An observation lasts as long as its token.
    return withExtendedLifetime((interrupts, observation)) { following.wait() }
  }

  /// Several threads may bring it about.
  private func end(_ error: OutputError? = nil) {
    firstError.withLock { $0 = $0 ?? error }
    hasEnded.signal()
  }

  /// Waits for the end, and returns the error that it came with.
  private func wait() -> OutputError? {
    hasEnded.wait()
    return firstError.withLock { $0 }
  }
}
