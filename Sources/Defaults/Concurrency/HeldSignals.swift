import Foundation

/// Protects the program from signals that a failing system call raises.
///
/// The program's own handling of the signal is unaffected: the signal is blocked only on this
/// thread and only during the call, and is discarded before it is unblocked.
enum HeldSignals {
  /// Runs the body while the signals are blocked on this thread, and discards signals that it
  /// raised. A signal that was pending before stays pending.
  static func hold<Result>(_ signals: CInt..., during body: () -> Result) -> Result {
    var waiting = sigset_t()
    sigpending(&waiting)
    var held = sigset_t()
    sigemptyset(&held)
    // A signal that is pending is blocked already, and raising it again has no effect.
    let raisable = signals.filter { sigismember(&waiting, $0) != 1 }
    for signal in raisable { sigaddset(&held, signal) }
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &held, &before)
    // Restore the mask but keep the errno that the body has set.
    defer {
      let number = errno
      sigpending(&waiting)
      for signal in raisable where sigismember(&waiting, signal) == 1 {
        var one = sigset_t()
        sigemptyset(&one)
        sigaddset(&one, signal)
        #if canImport(Darwin)
          var taken: CInt = 0
          sigwait(&one, &taken)
        #else
          var atOnce = timespec()
          while sigtimedwait(&one, nil, &atOnce) < 0, errno == EINTR {}
        #endif
      }
      pthread_sigmask(SIG_SETMASK, &before, nil)
      errno = number
    }
    return body()
  }
}
