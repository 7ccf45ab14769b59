import Defaults
import DefaultsCommand
import Foundation
import Synchronization

extension Verb {
  static let watch = Verb(
    name: "watch", operands: "[NAME…]", count: 0...Int.max,
    summary: "print entries and each change, until interrupted or nobody reads"
  ) { place, invocation in
    let suite = try place.read()
    let ending = Ending()
    let interrupts = Interrupts.take { ending.come() }
    let names = invocation.operands.isEmpty ? nil : Set(invocation.operands)
    let observation = suite.observe(names, options: [.initial]) { change in
      for (name, entry) in change.entries.sorted(by: { $0.key < $1.key }) {
        Console.print(
          change.isInitial
            ? "\(name) = \(entry.new.shown)"
            : "\(name) = \(entry.new.shown), was \(entry.old.shown)",
          inColour: !change.isInitial)
      }
      do throws(OutputError) { try Console.flush() } catch { ending.come(error) }
    }
    Thread.detachNewThread {
      if Console.waitUntilNobodyReads() { ending.come(.brokenPipe) }
    }
    // An observation lasts as long as its token.
    let error = withExtendedLifetime((interrupts, observation)) { ending.wait() }
    if let error { throw error }
  }
}

/// The end of watching, which several threads may bring about.
private final class Ending: Sendable {
  private let firstError = Mutex<OutputError?>(nil)
  private let hasCome = DispatchSemaphore(value: 0)

  func come(_ error: OutputError? = nil) {
    firstError.withLock { $0 = $0 ?? error }
    hasCome.signal()
  }

  /// Waits for the end, and returns the error that it came with.
  func wait() -> OutputError? {
    hasCome.wait()
    return firstError.withLock { $0 }
  }
}
