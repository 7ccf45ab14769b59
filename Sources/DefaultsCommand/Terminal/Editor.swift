import Defaults
import Foundation
import Synchronization

/// A person's editor.
enum Editor {
  /// Runs it by the shell, since it may have arguments, on this terminal, and returns its status.
  ///
  /// Not by `Process`, which gives a program a process group of its own: one that isn't in the
  /// foreground is stopped as soon as it wants something from the terminal.
  static func run(_ editor: String, _ path: String) throws -> Int32 {
    // Where that is possible the editor takes the shell's place, and so gets the shell's signals.
    let isPlain = editor.allSatisfy { $0.isLetter || $0.isNumber || " -_./+,".contains($0) }
    let script = (isPlain ? "exec " : "") + editor + #" "$1""#
    let child = Mutex<pid_t?>(nil)
    // Control-C is the editor's; who is asked to end asks the editor.
    let signals = [
      Interrupts([SIGINT]) { _ in },
      Interrupts([SIGTERM]) { _ in child.withLock { _ = $0.map { kill($0, SIGTERM) } } },
    ]
    defer { withExtendedLifetime(signals) {} }
    let id = try child.withLock { id in
      let new = try spawn("/bin/sh", ["-c", script, "sh", path])
      id = new
      return new
    }
    var status: CInt = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    // The low bits have the signal that ended it, else the next byte its status (`wait(2)`).
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Starts a program with the environment and the terminal of this one.
  private static func spawn(_ program: String, _ arguments: [String]) throws -> pid_t {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this program doesn't want to hear of is for the editor as it is for others.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
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
