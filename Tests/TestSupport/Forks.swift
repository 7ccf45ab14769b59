import Foundation
import Testing

/// fork(2), which Swift hides; a program that calls it has a C module for that. The child is killed
/// if it hangs, which no test would notice.
package func forked() throws -> pid_t {
  typealias Fork = @convention(c) () -> pid_t
  let child = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)()
  if child == 0 {
    // Signals may be blocked in the thread that forked.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    dieAtHang()
  }
  return child
}

/// The exit status of a child.
package func status(of child: pid_t) throws -> CInt {
  var status: CInt = 0
  try #require(waitpid(child, &status, 0) == child)
  return status
}
