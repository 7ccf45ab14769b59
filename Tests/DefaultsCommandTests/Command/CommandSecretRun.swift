import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  static let commandRunToken = Key<String?>("CommandSecretRun.token", .secret)
  static let commandRunVolume = Key("CommandSecretRun.volume", default: 3, .in(0...11))
}

/// A settings command with a secret, in a process of its own.
struct CommandSecretRun {
  let folder: TemporaryFolder

  /// The result of a run: its output, and its errors followed by the status and the stored secret.
  struct Outcome {
    var output: String
    var error: String
    /// The last line of the errors: the stored secret.
    var secret: String? { error.split(separator: "\n").last.map(String.init) }
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["run", "temporary"] { try folder.makeFolder(name) }
  }

  /// Writes the editor, a script for `sh` with the file as its argument. It isn't an executable: a
  /// process that another test starts meanwhile would keep it open.
  func writeEditor(_ script: String) throws {
    try folder.write("ulimit -c 0\n\(script)\n", to: "editor")
  }

  /// Runs the command with standard input and standard error on the terminal, or with an empty
  /// standard input. The file `process` has its process ID.
  func callAsFunction(
    _ arguments: [String], on terminal: PseudoTerminal? = nil,
    endingWith end: ExitTest.Condition = .exitCode(7)
  ) async -> Outcome {
    let result = await #expect(
      processExitsWith: end, observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [
        arguments = arguments as [String], folder = folder.path as String,
        terminal = terminal?.path as String?
      ] in
      try Data("\(getpid())".utf8).write(to: URL(filePath: folder + "/process"))
      for (name, value) in [
        "FOLDER": "", "TMPDIR": "/temporary", "XDG_RUNTIME_DIR": "/run",
      ] { setenv(name, folder + value, 1) }
      setenv("EDITOR", "sh \(folder)/editor", 1)
      unsetenv("VISUAL")
      umask(0)
      let report = dup(STDERR_FILENO)
      let input = open(terminal ?? "/dev/null", O_RDWR | O_NOCTTY)
      dup2(input, STDIN_FILENO)
      if terminal != nil { dup2(input, STDERR_FILENO) }
      for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { signal(number, SIG_DFL) }
      let suite = Defaults.MemorySuite([
        "CommandSecretRun.token": "hunter2", "CommandSecretRun.volume": 5,
      ])
      let command = Defaults.Command(
        [.commandRunToken, .commandRunVolume], suite: suite, name: "tool")
      var words = "status 0"
      do throws(Defaults.CommandError) {
        try command.run(arguments)
      } catch {
        words = "\(error)\nstatus \(error.status)"
      }
      let secret = suite[.commandRunToken].map { $0.debugDescription } ?? "nil"
      FileHandle(fileDescriptor: report).write(Data("\(words)\n\(secret)\n".utf8))
      exit(7)
    }
    func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
    return Outcome(
      output: text(result?.standardOutputContent), error: text(result?.standardErrorContent))
  }

  /// Sends a signal to the process that runs the command.
  static func send(_ number: Int32, toProcessIn folder: TemporaryFolder) throws {
    guard let id = pid_t(try folder.text(of: "process")) else { throw POSIXError(.ESRCH) }
    kill(id, number)
  }
}
