import Defaults
import Foundation

/// Prints settings now and at each change, until the program is interrupted or standard input
/// closes. Lines of the form `NAME VALUE` on standard input change settings meanwhile.
func watch(_ settings: [any NamedSetting]) throws {
  let end = DispatchSemaphore(value: 0)
  let interrupts = onInterrupt { end.signal() }
  let observations = settings.map { $0.observe { Console.print($0) } }

  Thread.detachNewThread {
    Console.readLines { line in
      do { try set(fromLine: line) } catch { Console.printError(error) }
    }
    end.signal()
  }

  // An observation lasts as long as its token.
  withExtendedLifetime((interrupts, observations)) { end.wait() }
  try SettingsFile.save()
}

private func set(fromLine line: String) throws {
  let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
  try setting(named: String(words[0])).set(words.count > 1 ? String(words[1]) : "")
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
