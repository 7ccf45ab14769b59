import Foundation

/// Restores a signal's default action for this process, which is to end it.
///
/// For the body of an exit test: it may run on a thread of a queue, where signals are blocked, and
/// the parent process may ignore the signal. Must not be followed by an `await`.
package func letSignalKill(_ number: CInt) {
  signal(number, SIG_DFL)
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}

/// Runs a closure that starts a child. Tests in the background may ignore signals that a test sends
/// to a child, and the child would inherit that.
func withDefaultSignals(_ start: () throws -> Void) rethrows {
  let signals = [SIGHUP, SIGINT, SIGQUIT]
  let handlers = signals.map { signal($0, SIG_DFL) }
  defer { for (number, handler) in zip(signals, handlers) { _ = signal(number, handler) } }
  try start()
}
