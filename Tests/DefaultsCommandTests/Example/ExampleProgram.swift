import Defaults
import Foundation
import TestSupport

/// The built `Example`, with a configuration folder of the test.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`.
struct ExampleProgram {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The first line of the table while the window's frame is the default.
  static func launchLine(_ count: Int) -> String {
    let value = "\(count)".padding(toLength: 38, withPad: " ", startingAt: 0)
    return "launchCount  \(value)             how often the program was launched"
  }

  /// The path of the settings relative to the folder.
  static let file = "Example/Defaults.plist"

  /// Starts the program for interaction.
  func start(_ arguments: String...) throws -> ChildProcess {
    try start(arguments)
  }

  /// Runs the program to its end, with standard input closed.
  func callAsFunction(
    _ arguments: String...
  ) async throws -> ChildProcess.Outcome {
    try await start(arguments).end()
  }

  /// Starts the program with standard input and standard error on a terminal.
  func start(
    _ arguments: [String], on terminal: PseudoTerminal, environment: [String: String] = [:]
  ) throws -> ChildProcess {
    try start(
      arguments, script: #"exec "$0" "$@" <"$TERMINAL" 2>"$TERMINAL""#,
      environment: environment.merging(["TERMINAL": terminal.path]) { $1 })
  }

  /// Starts `edit` with an editor that is a script for `sh`, with the file as its argument. It
  /// isn't an executable: a process that another test starts meanwhile would keep it open.
  func edit(
    with script: String, on terminal: PseudoTerminal? = nil, environment: [String: String] = [:]
  ) throws -> ChildProcess {
    try folder.write(script, to: "editor")
    let environment = [
      "EDITOR": "sh \(folder["editor"])", "FOLDER": folder.path, "TMPDIR": folder.path,
    ].merging(environment) { $1 }
    if let terminal { return try start(["edit"], on: terminal, environment: environment) }
    return try start(["edit"], environment: environment)
  }

  /// The entries in the file; throws if it is missing or damaged.
  func storedEntries() throws -> [String: Defaults.PropertyListValue] {
    let data = try Data(contentsOf: folder.url(Self.file))
    // Foundation checks that it is a property list before the library would quarantine a damaged
    // one.
    _ = try PropertyListSerialization.propertyList(from: data, format: nil)
    let copy = folder.url("copy-\(UUID().uuidString).plist")
    try data.write(to: copy)
    return try Defaults.PropertyListSuite(url: copy).entries
  }

  /// Starts the program, with its configuration in the given folder. A shell starts it if a script
  /// is given, in which `"$0" "$@"` is the program with its arguments.
  func start(
    _ arguments: [String], configuration: String? = nil, script: String? = nil,
    environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let program = ChildProcess.product("Example")
    let environment = environment.merging(["XDG_CONFIG_HOME": configuration ?? folder.path]) { $1 }
    guard let script else {
      return try ChildProcess(program, arguments, environment: environment)
    }
    return try ChildProcess(
      URL(filePath: "/bin/sh"), ["-c", script, program.path] + arguments, environment: environment)
  }
}
