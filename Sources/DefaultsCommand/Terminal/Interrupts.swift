import Foundation

/// Handles signals that would end the program, as long as the object lives.
///
/// A signal in `ignorable` that was ignored when the program started stays ignored, such as SIGHUP
/// under `nohup`.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]
  private let old: [(number: Int32, action: sighandler_t?)]

  init(
    _ numbers: [Int32] = [SIGINT, SIGTERM], ignorable: Set<Int32> = [SIGHUP],
    _ handler: @escaping @Sendable (_ number: Int32) -> Void
  ) {
    let isReady = DispatchGroup()
    let all = numbers.map { (number: $0, action: signal($0, SIG_IGN)) }
    old = all.filter { !ignorable.contains($0.number) || !Self.isIgnored($0.action) }
    sources = old.map { number, _ in
      isReady.enter()
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { handler(number) }
      source.setRegistrationHandler { isReady.leave() }
      source.activate()
      return source
    }
    isReady.wait()
  }

  deinit {
    for source in sources { source.cancel() }
    for (number, action) in old {
      // Discards a control-C for the editor that no handler has received yet.
      if number == SIGINT || number == SIGQUIT { signal(number, SIG_IGN) }
      signal(number, action)
    }
  }

  /// The signals that have a handler.
  var numbers: [Int32] { old.map(\.number) }

  /// Ends the program by a signal, as the default action does.
  static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Threads of dispatch queues block signals.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    exit(128 + number)
  }

  private static func isIgnored(_ action: sighandler_t?) -> Bool {
    unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN as sighandler_t?, to: Int.self)
  }
}
