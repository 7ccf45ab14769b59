import DefaultsCommand
import DefaultsText
import Foundation
import Harness
import TestSupport
import Testing

@Suite("The settings command on a narrow terminal", .timeLimit(.aHang))
struct CommandTerminalTests {
  private let example: ExampleProgram
  private let terminal: PseudoTerminal

  init() throws {
    example = try ExampleProgram()
    terminal = try PseudoTerminal()
  }

  @Test("Tables fit into the terminal's columns with complete names", arguments: [60, 80, 132])
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

  @Test("Tables written to a pipe have their full width")
  func pipe() async throws {
    let list = try await example("list", "--about")
    #expect(list.output.contains(#"{"height":600,"width":800,"x":0,"y":0}"#))
  }

  @Test("A table cell wider than any screen is printed completely and doesn't pad other rows")
  func wideCell() {
    let name = String(repeating: "n", count: 1_000_000)
    let lines = table([[name, "1"], ["a", "2"]])
    #expect(lines[0] == name + "  1")
    #expect(lines[1].utf8.count < 1_000)
  }

  private static let widths: [(text: String, columns: Int)] = [
    ("", 0), ("abc", 3), ("日本語", 6), ("ｱﾊﾟ", 3), ("Ａ", 2), ("한글", 4),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("e\u{301}", 1), ("\u{301}", 0), ("नी", 1), ("a\u{200B}b", 2), ("👩‍💻", 2), ("❤️", 2), ("❤", 1),
    ("1️⃣", 2), ("🇩🇪", 2), ("👍🏽", 2), ("🏴\u{E0067}\u{E0062}\u{E007F}", 2), ("é…→", 3), ("\u{3000}", 2),
    ("㋿", 2), ("\u{20000}", 2), ("𝒳", 1),
  ]

  @Test(
    "The computed width of text equals its number of columns in terminals",
    arguments: widths.indices)
  func columns(index: Int) {
    let (text, columns) = Self.widths[index]
    #expect(TerminalColumns.count(of: text) == columns, "\(text)")
  }

  @Test(
    "The characters that take two columns are those that Unicode lists as wide",
    .enabled(if: ChildProcess.python != nil))
  func unicode() async throws {
    let python = try #require(ChildProcess.python)
    // Without unassigned characters, and without marks, which have no column.
    let script = """
      import unicodedata as u
      for c in range(0x110000):
          if u.category(chr(c)) not in ('Cn', 'Cs', 'Cc', 'Mn', 'Mc', 'Me'):
              print(c, int(u.east_asian_width(chr(c)) in 'WF'))
      """
    let outcome = try await ChildProcess.run(python, ["-c", script])
    // Characters that later versions of Unicode made wide (hexagrams and counting rods), flags, and
    // invisible fillers.
    let others: [ClosedRange<UInt32>] = [
      0x2630...0x2637, 0x268a...0x268f, 0x3164...0x3164, 0x4dc0...0x4dff, 0x1d300...0x1d376,
      0x1f1e6...0x1f1ff,
    ]
    var count = 0
    for line in outcome.lines {
      let words = line.split(separator: " ")
      let number = try #require(UInt32(words[0]))
      guard let scalar = Unicode.Scalar(number), !others.contains(where: { $0 ~= number }) else {
        continue
      }
      count += 1
      if (TerminalColumns.count(of: String(scalar)) == 2) != (words[1] == "1") {
        Issue.record("U+\(String(number, radix: 16)) isn't as wide as Unicode has it")
      }
    }
    #expect(count > 200_000)
  }

  @Test("Columns of a table are aligned for any characters")
  func wideCells() throws {
    let cells = ["日本語", "e\u{301}", "👩‍💻", "plain"]
    for lines in [
      table(cells.map { [$0, "|"] }), table(cells.map { [$0 + "日本語日本語", "|"] }, width: 14),
      Columns(of: cells.map { [$0] }, rightAligned: 1...1).pad(["日本語"]) + ["plain "],
    ] {
      let columns = lines.map { TerminalColumns.count(of: String($0.prefix { $0 != "|" })) }
      #expect(Set(columns).count == 1, "\(lines)")
    }
    #expect(table([["a", "日本語日本語"]], width: 10) == ["a  日本語…"])
  }
}
