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
    let interrupts = Interrupts { following.end() }
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

/// What happens when the user presses control-C, or a manager asks the program to end: a handler is
/// called instead of the program being killed, as long as this is kept.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]
  private let old: [(number: Int32, action: sighandler_t?)]

  init(_ numbers: [Int32] = [SIGINT, SIGTERM], _ handler: @escaping @Sendable () -> Void) {
    let isReady = DispatchGroup()
    old = numbers.map { ($0, signal($0, SIG_IGN)) }
    sources = numbers.map { number in
      isReady.enter()
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      source.setRegistrationHandler { isReady.leave() }
      source.activate()
      return source
    }
    isReady.wait()
  }

  deinit {
    for source in sources { source.cancel() }
    for (number, action) in old { signal(number, action) }
  }
}
