import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Mistakes in edited settings", .timeLimit(.aHang))
struct CommandMistakeTests {
  private let example: ExampleProgram

  init() throws { example = try ExampleProgram() }

  @Test("A mistake in edited settings is shown below its line until it is fixed")
  func mistakes() async throws {
    let terminal = try PseudoTerminal()
    try terminal.type("y\n\nYES\n")
    let outcome = try await example.edit(
      with:
        #"""
        count=$(cat "$FOLDER/count" 2>/dev/null || echo 0)
        echo $((count + 1)) > "$FOLDER/count"
        cp "$1" "$FOLDER/seen.$count"
        case $count in
          0) sed -i 's/"volume": 0.8/"volume": 9/' "$1" ;;
          1) sed -i 's/"volume": 9,/"volume": 9/' "$1" ;;
          2) sed -i 's/"volume": 9/"volme": 0.25,/' "$1" ;;
          3) sed -i 's/"volme"/"volume"/' "$1" ;;
        esac
        """#, on: terminal
    ).outcome()
    #expect(outcome.lines == ["volume = 0.25"])
    #expect(outcome.status == 0)
    let screen = try terminal.everything()
    #expect(screen.contains("Example: volume: 9.0 isn't in 0.0...1.0\nEdit again? [Y/n] "))
    #expect(try example.storedEntries() == ["volume": 0.25])
    func reason(_ number: Int) throws -> [String] {
      let lines = try example.folder.text(of: "seen.\(number)").split(separator: "\n")
      let marks = lines.indices.filter { lines[$0].hasPrefix("// ^^^") }
      #expect(marks.count == 1)
      return marks.map { "\(lines[$0 - 1])\(lines[$0])" }
    }
    #expect(try reason(1) == [#"  "volume": 9,// ^^^ volume: 9.0 isn't in 0.0...1.0"#])
    #expect(try reason(2)[0].contains("windowFrame"))
    #expect(
      try reason(3) == [#"  "volme": 0.25,// ^^^ there is no setting volme (did you mean volume?)"#]
    )
  }

  /// Makes another mistake each time, and counts.
  private static let mistaken = #"echo "$RANDOM$$" >> "$1"; echo again >> "$FOLDER/count""#

  @Test("Without a terminal, an editor that always leaves a mistake is started twice")
  func endlessMistakes() async throws {
    try example.folder.makeFolder("temporary")
    let outcome = try await example.edit(
      with:
        Self.mistaken, environment: ["TMPDIR": example.folder["temporary"]]
    ).end()
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains("nothing was changed; your text is kept in "))
    #expect(try example.folder.text(of: "count") == "again\nagain\n")
    let kept = try #require(example.folder.names(in: "temporary").first)
    #expect(outcome.error.hasSuffix("/temporary/\(kept)/settings.json\n"))
    #expect(try example.folder.mode(of: "temporary/\(kept)/settings.json") == 0o600)
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test("At a terminal, the user decides how often a mistake is edited again")
  func declinedMistakes() async throws {
    try example.folder.makeFolder("temporary")
    let terminal = try PseudoTerminal()
    try terminal.type("y\ny\ny\nno\n")
    let outcome = try await example.edit(
      with:
        Self.mistaken, on: terminal, environment: ["TMPDIR": example.folder["temporary"]]
    ).outcome()
    #expect(outcome.status == 64)
    #expect(try example.folder.text(of: "count") == String(repeating: "again\n", count: 4))
    let kept = try #require(example.folder.names(in: "temporary").first)
    let screen = try terminal.everything()
    #expect(
      screen.hasSuffix(
        "your text is kept in \(example.folder["temporary/\(kept)/settings.json"])\n"))
  }

  @Test("A mistake that the editor leaves unchanged ends the edit, and the edited text is kept")
  func givingUp() async throws {
    try example.folder.makeFolder("temporary")
    let outcome = try await example.edit(
      with: #"sed -i 's/"volume": 0.8/"volume": 9/' "$1""#,
      environment: ["TMPDIR": example.folder["temporary"]]
    ).end()
    #expect(outcome.status == 64)
    let kept = try #require(example.folder.names(in: "temporary").first)
    let name = "temporary/\(kept)/settings.json"
    #expect(
      outcome.errorLines == [
        "Example: volume: 9.0 isn't in 0.0...1.0; nothing was changed; your text is kept in "
          + example.folder[name]
      ])
    #expect(try example.folder.text(of: name).contains(#""volume": 9"#))
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test("If the reason for a mistake can't be written to the edited file, the user's text is kept")
  func unwritableReason() async throws {
    try example.folder.makeFolder("temporary")
    let outcome = try await example.edit(
      with: #"sed -i 's/"volume": 0.8/"volume": 9/' "$1"; mkdir -p "$1.new/folder""#,
      environment: ["TMPDIR": example.folder["temporary"]]
    ).end()
    #expect(outcome.status == 74 && outcome.errorLines.count == 1)
    let kept = try #require(example.folder.names(in: "temporary").first)
    let name = "temporary/\(kept)/settings.json"
    #expect(outcome.error.hasSuffix("; your text is kept in \(example.folder[name])\n"))
    #expect(try example.folder.text(of: name).contains(#""volume": 9"#))
  }

  @Test("An edit continues after a mistake although the editor left a file with the suffix .new")
  func leftFile() async throws {
    let outcome = try await example.edit(
      with:
        #"""
        [ -e "$1.new" ] && exit 1
        grep -q '"volume": 9' "$1" && value=0.25 || value=9
        sed "s/\"volume\": [0-9.]*/\"volume\": $value/" "$1" > "$1.copy"
        cp "$1.copy" "$1"; mv "$1.copy" "$1.new"
        """#
    ).end()
    #expect(outcome.lines == ["volume = 0.25"] && outcome.error == "")
    #expect(outcome.status == 0)
  }
}
