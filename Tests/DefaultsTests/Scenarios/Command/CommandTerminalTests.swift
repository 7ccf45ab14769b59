import DefaultsCommand
import Foundation
import Testing

@Suite("The settings command on a narrow terminal", .timeLimit(.aHang))
struct CommandTerminalTests {
  private let example: ExampleProgram
  private let terminal: PseudoTerminal

  init() throws {
    example = try ExampleProgram()
    terminal = try PseudoTerminal()
  }

  @Test("Tables fit into 60 columns, and every name is whole", arguments: [60, 80, 132])
  func width(columns: Int) async throws {
    try terminal.setColumns(columns)
    for arguments in [["list", "--about"], ["help"], ["explain", "windowFrame"]] {
      let process = try example.start(
        arguments, script: #"exec "$0" "$@" >"$TERMINAL""#,
        environment: ["TERMINAL": terminal.path])
      #expect(try await process.end().status == 0)
      let lines = try terminal.everything().split(separator: "\n")
      let tables = lines.filter {
        !$0.hasPrefix("`") && !$0.hasPrefix("Control") && !$0.hasPrefix("    ")
      }
      #expect(tables.allSatisfy { $0.count <= columns }, "\(arguments)")
      if arguments[0] == "list" {
        #expect(lines.contains { $0.hasPrefix("windowFrame  ") })
        #expect(lines.contains { $0.contains("…") } == (columns < 88))
      }
    }
  }

  @Test("A pipe gets everything, however wide")
  func pipe() async throws {
    let list = try await example("list", "--about")
    #expect(list.output.contains(#"{"height":600,"width":800,"x":0,"y":0}"#))
  }

  @Test("A cell that is wider than any screen is printed whole, and not filled up elsewhere")
  func wideCell() {
    let name = String(repeating: "n", count: 1_000_000)
    let lines = table([[name, "1"], ["a", "2"]])
    #expect(lines[0] == name + "  1")
    #expect(lines[1].utf8.count < 1_000)
  }
}
