import Foundation
import TestSupport
import Testing

@Suite("The example on a terminal", .timeLimit(.aHang))
struct ExampleTerminalTests {
  private let example: ExampleProgram
  private let terminal: PseudoTerminal

  init() throws {
    example = try ExampleProgram()
    terminal = try PseudoTerminal()
  }

  private static let script = #"exec "$0" "$@" >"$TERMINAL""#

  private func start(
    _ arguments: [String], configuration: String? = nil, environment: [String: String]
  ) throws -> ChildProcess {
    try example.start(
      arguments, configuration: configuration, script: Self.script,
      environment: environment.merging(["TERMINAL": terminal.path]) { $1 })
  }

  /// The terminal's content after a run.
  private func run(
    _ arguments: [String], configuration: String? = nil, environment: [String: String] = [:]
  ) async throws -> String {
    let process = try start(arguments, configuration: configuration, environment: environment)
    #expect(try await process.end().status == 0)
    return try terminal.everything()
  }

  /// Waits for the next line on the terminal.
  private func nextLine() async throws -> String {
    try await terminal.converse { try $0.text(through: "\n") }
  }

  @Test("The example colors only the settings that differ from their defaults")
  func color() async throws {
    _ = try await example("set", "theme", "dark")
    let text = try await run([], environment: ["TERM": "xterm"])
    #expect(
      text.hasPrefix(
        """
        \u{1B}[36m\(ExampleProgram.launchLine(1))\u{1B}[0m
        \u{1B}[36mtheme        dark                                              \
         the colors of the window\u{1B}[0m
        volume       0.8                                     (default)  how loud it is
        windowFrame  {"height":600,"width":800,"x":0,"y":0}  (default)  where the window is
        nickname     (none)                                  (default)  what to call you
        tags         (empty)                                 (default)  search words

        """))
    #expect(text.components(separatedBy: "\u{1B}").count == 5)
  }

  @Test(
    "The example uses color unless NO_COLOR or the terminal type excludes it",
    arguments: [
      (["TERM": "xterm-256color"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
      (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false), (["TERM": ""], false),
      ([:], false),
    ])
  func decision(environment: [String: String], isColored: Bool) async throws {
    let text = try await run([], environment: environment)
    #expect(text.contains("\u{1B}") == isColored)
    #expect(text.contains("launchCount  1"))
  }

  @Test("The example uses no color if standard output isn't a terminal")
  func pipe() async throws {
    let launch = try await example.start([], environment: ["TERM": "xterm"]).end()
    #expect(launch.lines.first == ExampleProgram.launchLine(1))
    #expect(!launch.output.contains("\u{1B}"))
  }

  @Test("The example's watch shows changes in color")
  func watch() async throws {
    let watch = try start(["watch", "theme"], environment: ["TERM": "xterm"])
    do {
      #expect(try await nextLine() == "theme = system\n")
      try watch.send("theme dark\n")
      #expect(try await nextLine() == "\u{1B}[36mtheme = dark, was system\u{1B}[0m\n")
    } catch {
      watch.signal(SIGKILL)
      throw error
    }
    watch.signal(SIGINT)
    #expect(await watch.outcome().status == 0)
  }

  @Test("On a terminal, the output of the example's export and path verbs is escaped")
  func exactOutput() async throws {
    _ = try await example("set", "nickname", "\u{9B}m")
    let export = try await run(["export"])
    #expect(export.contains(#"<string>\u{9B}m</string>"#))
    let path = try await run(["path"], configuration: example.folder["\u{1B}[7m"])
    #expect(path.hasSuffix("/\\u{1B}[7m/\(ExampleProgram.file)\n"))
  }
}
