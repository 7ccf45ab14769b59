import Defaults
import Foundation
import Synchronization

/// Live output that lasts until the program is interrupted or the output has no reader anymore.
package final class Following: Sendable {
  private let firstError = Mutex<OutputError?>(nil)
  private let hasEnded = DispatchSemaphore(value: 0)

  private init() {}

  /// Observes until the end, and returns the output error that caused it, if any. The body gets a
  /// closure to call after each output.
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
    // An observation ends when its token is released.
    return withExtendedLifetime((interrupts, observation)) { following.wait() }
  }

  /// Ends the output. Several threads may call it; the first error is kept.
  private func end(_ error: OutputError? = nil) {
    firstError.withLock { $0 = $0 ?? error }
    hasEnded.signal()
  }

  /// Waits for the end, and returns its error.
  private func wait() -> OutputError? {
    hasEnded.wait()
    return firstError.withLock { $0 }
  }
}
