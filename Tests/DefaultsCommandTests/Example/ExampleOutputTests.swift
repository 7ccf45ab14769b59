import Foundation
import TestSupport
import Testing

@Suite("Output errors of the example", .timeLimit(.aHang))
struct ExampleOutputTests {
  private let example: ExampleProgram

  init() throws {
    example = try ExampleProgram()
  }

  /// An output that accepts nothing.
  enum Output: CaseIterable {
    case full, closed, brokenPipe

    /// The script that runs the program with this output.
    var script: String {
      switch self {
      case .full: #"exec "$0" "$@" >/dev/full"#
      case .closed: #"exec "$0" "$@" >&-"#
      // Its only reader is the shell, which closes it before the program runs.
      case .brokenPipe: #"exec 3<>"$NAMED_PIPE" 4>"$NAMED_PIPE" 3<&-; exec "$0" "$@" >&4 4>&-"#
      }
    }

    var status: Int32 { self == .brokenPipe ? 128 + SIGPIPE : 74 }

    var errorLines: [String] {
      switch self {
      case .full: ["Example: standard output can't be written: No space left on device"]
      case .closed: ["Example: standard output is closed"]
      case .brokenPipe: []
      }
    }

    /// The outputs that this system has.
    static let present = allCases.filter {
      $0 != .full || FileManager.default.fileExists(atPath: "/dev/full")
    }
  }

  private static let commands: [[String]] = [
    [], ["get", "theme"], ["set", "theme", "dark"], ["reset", "theme"], ["path"], ["export"],
    ["watch"],
    ["help"], ["--version"], ["get", "--help"], ["list", "--json"], ["explain", "theme"],
    ["schema"],
    ["unset", "--all", "--yes"], ["doctor"], ["completion", "bash"],
  ]

  private func run(_ arguments: [String], into output: Output) async throws -> ChildProcess.Outcome
  {
    let pipe = example.folder["pipe"]
    if output == .brokenPipe, mkfifo(pipe, 0o600) < 0, errno != EEXIST { throw POSIXError(.EIO) }
    let process = try example.start(
      arguments, script: output.script, environment: ["NAMED_PIPE": pipe])
    // Its standard input stays open: the output ends the program.
    return await process.outcome()
  }

  @Test(
    "A command of the example reports an output error in one line, or ends on a broken pipe",
    arguments: commands, Output.present)
  func failingOutput(arguments: [String], output: Output) async throws {
    let outcome = try await run(arguments, into: output)
    #expect(outcome.errorLines == output.errorLines)
    #expect(outcome.status == output.status)
    #expect(!outcome.wasKilled)
  }

  @Test("A change by the example is stored although its output fails", arguments: Output.present)
  func changesStay(output: Output) async throws {
    _ = try await run(["set", "theme", "dark"], into: output)
    #expect(try example.storedEntries() == ["theme": "dark"])
    _ = try await run([], into: output)
    #expect(try example.storedEntries() == ["theme": "dark", "launchCount": 1])
    _ = try await run(["reset", "theme"], into: output)
    #expect(try example.storedEntries() == ["launchCount": 1])
  }

  @Test("If its standard streams are closed, the example prints nothing into its settings file")
  func everythingClosed() async throws {
    let script = #"exec "$0" "$@" <&- >&- 2>&-"#
    let set = try await example.start(["set", "theme", "dark"], script: script).end()
    #expect(set.status == 74)
    #expect(!set.wasKilled)
    #expect(try example.storedEntries() == ["theme": "dark"])
    let mistake = try await example.start(["set", "theme", "pink"], script: script).end()
    #expect(mistake.status == 64)
    #expect(try example.storedEntries() == ["theme": "dark"])
  }

  @Test("The example's watch ends when the reader of its output ends, even if nothing changes")
  func watchWithoutReader() async throws {
    let watch = try example.start(
      ["watch", "theme"], script: #"{ "$0" "$@"; echo "status $?" >&2; } | head -n 1"#)
    let outcome = await watch.outcome()
    #expect(outcome.lines == ["theme = system"])
    #expect(outcome.errorLines == ["status \(128 + SIGPIPE)"])
  }

  @Test("An interrupt ends the example's watch while its output is blocked in a full pipe")
  func stuckOutput() async throws {
    let path = example.folder["pipe"]
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
    let pipe = open(path, O_RDWR | O_CLOEXEC)
    defer { close(pipe) }
    let watch = try example.start(
      ["watch", "nickname"], script: #"exec "$0" "$@" >"$NAMED_PIPE""#,
      environment: ["NAMED_PIPE": path])
    // More than a pipe holds.
    try watch.send("nickname \(String(repeating: "x", count: 200_000))\n")
    // Once the long line has begun to arrive, its writer is blocked.
    var text = ""
    var byte: UInt8 = 0
    while !text.hasSuffix("= x"), read(pipe, &byte, 1) == 1 {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    watch.signal(SIGTERM)
    let outcome = await watch.outcome()
    #expect(outcome.status == 0)
    #expect(!outcome.wasKilled)
  }

  @Test("An export of the example that is larger than a pipe is complete")
  func largeExport() async throws {
    let name = String(repeating: "x", count: 100_000)
    _ = try await example("set", "nickname", name)
    let export = try await example("export")
    #expect(export.output.contains("<string>\(name)</string>"))
    #expect(export.output.hasSuffix("</plist>\n"))
    #expect(export.status == 0)
  }
}
