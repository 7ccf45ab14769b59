import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The file tool's output, help and mistakes", .timeLimit(.aHang))
struct FileToolOutputTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  private static let verbs = [
    "list", "get", "set", "unset", "watch", "export", "import", "diff", "path", "convert", "doctor",
    "history", "restore", "recover",
  ]

  @Test(
    "With closed or full output, the file tool still makes a change, and prints a one-line error",
    arguments: [">&-", ">/dev/full"], [["list"], ["set", "volume", "8"], ["doctor"], ["export"]])
  func failingOutput(redirection: String, arguments: [String]) async throws {
    try tool.write(["volume": 7])
    let outcome = try await tool.start(
      [tool.path] + arguments, script: "exec \"$0\" \"$@\" \(redirection)"
    ).end()
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains("standard output"))
    #expect(!outcome.wasKilled)
    #expect(try tool.entries() == ["volume": arguments[0] == "set" ? 8 : 7])
  }

  @Test("If the entries of a damaged file can't be printed, the file tool's error says that")
  func failingRecovery() async throws {
    let text = "<plist><dict><key>a</key><integer>1</integer><key>b</key><oops/>"
    try tool.folder.write(text, to: FileToolProgram.file)
    let words = "exec \"$0\" recover \"$1\""
    let printed = try await tool.start([tool.path], script: words).end()
    #expect(printed.status == 1 && printed.output.contains("\"a\""))
    let outcome = try await tool.start([tool.path], script: words + " >/dev/full").end()
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.last?.contains("standard output") == true)
  }

  @Test("If its standard streams are closed, the file tool prints nothing into the settings file")
  func everythingClosed() async throws {
    try tool.write(["volume": 7])
    let outcome = try await tool.start(
      [tool.path, "set", "volume", "8"], script: #"exec "$0" "$@" <&- >&- 2>&-"#
    ).end()
    #expect(outcome.status == 74)
    #expect(try tool.entries() == ["volume": 8])
  }

  @Test("Each verb of the file tool has help, in two spellings", arguments: verbs)
  func help(verb: String) async throws {
    let help = try await tool(verb, "--help")
    #expect(help.status == 0)
    #expect(help.lines.first?.hasPrefix("Usage: defaults-file ") == true)
    #expect(try await tool.start(["help", verb]).end().output == help.output)
    #expect(try await tool.start(["help"]).end().output.contains("  \(verb) "))
    #expect(try tool.folder.names() == [])
  }

  private static let mistakes: [(arguments: [String], hint: String)] = [
    ([], "defaults-file PATH|PROGRAM VERB"),
    (["x.plist", "lst"], "\"lst\" (did you mean list?); choose one of"),
    (["--frob"], "choose one of --help"), (["x.plist", "get"], "usage: "),
    (["x.plist", "list", "x"], "usage: "), (["x.plist", "path", "--json"], "no option"),
    ([""], "the path of the file is empty"), (["x.plist", "import"], "usage: "),
  ]

  @Test(
    "A mistake in the file tool's arguments prints one line and exits with status 64",
    arguments: mistakes.indices
  )
  func mistake(index: Int) async throws {
    let (arguments, hint) = Self.mistakes[index]
    let outcome = try await tool.start(arguments).end()
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains(hint))
  }

  @Test("The file tool's table fits into a terminal of 60 columns")
  func terminal() async throws {
    try tool.write(["name": .string(String(repeating: "x", count: 200)), "on": true])
    let terminal = try PseudoTerminal()
    let process = try tool.start(
      [tool.path, "list"], script: #"stty cols 60 <"$TERMINAL"; exec "$0" "$@" >"$TERMINAL""#,
      environment: ["TERMINAL": terminal.path])
    #expect(try await process.end().status == 0)
    let lines = try terminal.everything().split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.count <= 60 })
  }
}
