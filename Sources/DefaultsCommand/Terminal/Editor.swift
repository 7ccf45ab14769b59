import Defaults
import Foundation
import Synchronization

/// The user's editor, and the handling of signals while a file is edited.
///
/// Control-C and Control-\ are left to the running editor. SIGTERM is passed on to it, and the
/// editor gets 5 seconds to exit. SIGHUP means that the terminal no longer exists. Before a signal
/// ends the program, a closure removes the file.
final class Editor {
  private enum State {
    case idle
    case running(pid_t)
    /// The editor failed, so the program ends, too.
    case failed
  }

  /// The thread that ends the program holds the lock, so all other threads wait.
  private final class Shared: Sendable {
    let state = Mutex(State.idle)
    let cleanUp: @Sendable () -> Void

    init(_ cleanUp: @escaping @Sendable () -> Void) { self.cleanUp = cleanUp }

    func handle(_ number: Int32) {
      state.withLock { state in
        switch (number, state) {
        case (SIGHUP, .running(let id)):
          cleanUp()
          kill(id, SIGHUP)
          Interrupts.end(by: number)
        case (SIGHUP, _), (_, .idle):
          cleanUp()
          Interrupts.end(by: number)
        case (SIGTERM, .running(let id)):
          kill(id, SIGTERM)
          DispatchQueue.global().asyncAfter(deadline: .now() + 5) { self.end(waitingFor: id) }
        default:
          // The terminal sends its signals to the editor as well.
          break
        }
      }
    }

    /// Ends the program by SIGTERM if this editor is still running.
    private func end(waitingFor editor: pid_t) {
      state.withLock { state in
        guard case .running(editor) = state else { return }
        cleanUp()
        Interrupts.end(by: SIGTERM)
      }
    }
  }

  private let shared: Shared
  private let interrupts: Interrupts

  init(atEnd cleanUp: @escaping @Sendable () -> Void) {
    let shared = Shared(cleanUp)
    self.shared = shared
    interrupts = Interrupts([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) { shared.handle($0) }
  }

  /// Runs an editor on this terminal through the shell, since the command may have arguments.
  /// Returns its exit status.
  ///
  /// `Process` can't be used: it starts a program in a background process group, which the system
  /// stops when it accesses the terminal.
  func run(_ editor: String, _ path: String) throws -> Int32 {
    // With `exec` the editor replaces the shell and receives its signals.
    let isPlain = editor.allSatisfy { $0.isLetter || $0.isNumber || " -_./+,".contains($0) }
    let script = (isPlain ? "exec " : "") + editor + #" "$1""#
    let id = try shared.state.withLock { state in
      let id = try spawn("/bin/sh", ["-c", script, "sh", path])
      state = .running(id)
      return id
    }
    // `WNOWAIT` keeps the process ID valid until no thread can send a signal to it anymore.
    var info = siginfo_t()
    while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return shared.state.withLock { state in
      // A failure remains if the system has discarded the status, as it does for a program that was
      // started with SIGCHLD ignored.
      var status: CInt = 127 << 8
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      state = status == 0 ? .idle : .failed
      // The low bits are the signal that ended it, or else the next byte is its status (`wait(2)`).
      let signal = status & 0x7f
      return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
  }

  /// Starts a program with the environment and the terminal of this one.
  private func spawn(_ program: String, _ arguments: [String]) throws -> pid_t {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Signals that this program handles or ignores get their default action in the editor.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in interrupts.numbers + [SIGPIPE] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, program, nil, &attributes, &words, &settings)
    guard result == 0 else {
      throw Defaults.CommandError(
        "\(program) can't be started: \(String(cString: strerror(result)))", status: 71)
    }
    return child
  }
}
