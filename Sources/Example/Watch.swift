import Defaults
import DefaultsText
import Foundation
import Synchronization

/// Prints settings now and at each change, until the program is interrupted or nobody reads what it
/// prints. Lines of the form `NAME VALUE` on standard input change settings meanwhile.
func watch(_ keys: [Defaults.AnyKey]) throws {
  let end = End()
  let interrupts = onInterrupt { end.come() }
  let suite = Defaults.PropertyListSuite.standard
  let observation = suite.observe(Set(keys.map(\.name)), options: [.initial]) { change in
    for key in keys {
      guard let entry = change.entries[key.name] else { continue }
      let (old, new) = (key.visibleText(of: entry.old), key.visibleText(of: entry.new))
      if change.isInitial {
        Console.print("\(key.name) = \(new)")
      } else if old != new {
        Console.print("\(key.name) = \(new), was \(old)", inColour: true)
      }
    }
    do throws(OutputError) { try Console.flush() } catch { end.come(error) }
  }

  Thread.detachNewThread {
    if Console.waitUntilNobodyReads() { end.come(.brokenPipe) }
  }
  Thread.detachNewThread {
    readLines { line in
      do { try set(fromLine: line) } catch { Console.printError(error) }
    }
    // The end of the lines isn't the end of watching: there may be none from the beginning.
  }

  // An observation lasts as long as its token.
  let error = withExtendedLifetime((interrupts, observation)) { end.wait() }
  try SettingsFile.save()
  if let error { throw error }
}

/// The end of watching, which several threads may bring about.
private final class End: Sendable {
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

private func set(fromLine line: String) throws {
  let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
  try setting(named: String(words[0])).set(line: words.count > 1 ? String(words[1]) : "")
}

/// Calls a closure with each line of standard input until its end.
private func readLines(_ body: (String) -> Void) {
  // Not `readLine`: a thread that waits in it holds a lock that `exit` may want.
  var buffer = [UInt8](repeating: 0, count: 4096)
  var unread: [UInt8] = []
  while true {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { break }
    unread += buffer.prefix(count)
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      body(String(decoding: unread[..<end], as: UTF8.self))
      unread.removeSubrange(...end)
    }
  }
  if !unread.isEmpty { body(String(decoding: unread, as: UTF8.self)) }
}

/// Calls a handler instead of being killed when the user presses control-C, or a manager asks the
/// program to end.
private func onInterrupt(
  _ handler: @escaping @Sendable () -> Void
) -> [any DispatchSourceSignal] {
  let isReady = DispatchGroup()
  defer { isReady.wait() }
  return [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    isReady.enter()
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler(handler: handler)
    source.setRegistrationHandler { isReady.leave() }
    source.activate()
    return source
  }
}
