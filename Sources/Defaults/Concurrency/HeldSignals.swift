import Foundation

/// Keeps a system call that fails from killing the program by a signal.
///
/// What the program does about the signal stays its own affair: it is held back from this thread
/// alone, for the time of the call, and what the call raised is taken away before it is let through
/// again.
enum HeldSignals {
  /// Runs the body while this thread gets none of these signals, and takes away those that it
  /// raised. One that was waiting before stays.
  static func hold<Result>(_ signals: CInt..., during body: () -> Result) -> Result {
    var waiting = sigset_t()
    sigpending(&waiting)
    var held = sigset_t()
    sigemptyset(&held)
    // A signal that waits already is blocked already, and a second one of it is no more than it is.
    let raisable = signals.filter { sigismember(&waiting, $0) != 1 }
    for signal in raisable { sigaddset(&held, signal) }
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &held, &before)
    // The mask doesn't last longer than this; an errno of the body does.
    defer {
      let number = errno
      takeAway(raisable)
      pthread_sigmask(SIG_SETMASK, &before, nil)
      errno = number
    }
    return body()
  }

  /// Takes signals away that a blocked thread has waiting.
  private static func takeAway(_ signals: [CInt]) {
    var waiting = sigset_t()
    sigpending(&waiting)
    for signal in signals where sigismember(&waiting, signal) == 1 {
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
  }
}
