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
