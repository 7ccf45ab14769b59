import Defaults
import Foundation
import TestSupport

/// The built `defaults-file`, with a folder of the test that has `settings.plist`.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`.
struct FileToolProgram {
  typealias Value = Defaults.PropertyListValue

  let folder: TemporaryFolder
  static let file = "settings.plist"

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder[Self.file] }

  /// Runs the program on the file to its end, with standard input closed.
  func callAsFunction(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await start([path] + arguments).end()
  }

  /// Starts the program with these arguments. A shell starts it if a script is given, in which
  /// `"$0" "$@"` is the program with its arguments.
  func start(
    _ arguments: [String], script: String? = nil, environment: [String: String] = [:]
  ) throws -> ChildProcess {
    let program = ChildProcess.product("defaults-file")
    let environment = environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }
    guard let script else {
      return try ChildProcess(program, arguments, environment: environment)
    }
    return try ChildProcess(
      URL(filePath: "/bin/sh"), ["-c", script, program.path] + arguments, environment: environment)
  }

  /// Writes only the file, as an installer would.
  func write(_ entries: [String: Value], as format: Defaults.PropertyListFormat = .binary) throws {
    try format.encode(entries).write(to: folder.url(Self.file))
  }

  /// The entries in the file itself; throws if it is missing or damaged.
  func entries() throws -> [String: Value] {
    try Defaults.PropertyListFormat.decode(Data(contentsOf: folder.url(Self.file))).entries
  }

  /// The bytes of everything in the folder, by name.
  func everything() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try folder.names() { content[name] = try? Data(contentsOf: folder.url(name)) }
    return content
  }
}
