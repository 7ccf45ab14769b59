import Foundation

/// Lets a signal do to this process what it does by itself, which is to end it.
///
/// For the body of an exit test: it may run on a thread of a queue, where signals are blocked, and
/// whoever started the tests may have had the signal ignored. Mustn't be followed by an `await`.
func letSignalKill(_ number: CInt) {
  signal(number, SIG_DFL)
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, number)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}
