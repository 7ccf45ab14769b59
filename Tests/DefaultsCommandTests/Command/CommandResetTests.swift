import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

@Suite("Resets by the settings command", .timeLimit(.aHang))
struct CommandResetTests {
  private let example: ExampleProgram
  private static let entries: [String: Defaults.PropertyListValue] = [
    "theme": "dark", "volume": 0.5,
  ]

  init() throws { example = try ExampleProgram() }

  private func prepare() async throws {
    _ = try await example("set", "theme", "dark")
    _ = try await example("set", "volume", "0.5")
  }

  @Test("The unset verb restores the defaults of the named settings")
  func names() async throws {
    try await prepare()
    let unset = try await example("unset", "theme")
    #expect(unset.lines == ["theme = system"] && unset.status == 0)
    #expect(try example.storedEntries() == ["volume": 0.5])
  }

  @Test(
    "The unset verb without names, or with names and --all, fails and changes nothing",
    arguments: [["unset"], ["reset"], ["unset", "--yes"], ["unset", "--all", "--yes", "theme"]])
  func misuse(arguments: [String]) async throws {
    try await prepare()
    let outcome = try await example.start(arguments).end()
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("--all"))
    #expect(try example.storedEntries() == Self.entries)
  }

  @Test("Without a terminal, unset --all requires --yes")
  func script() async throws {
    try await prepare()
    let outcome = try await example("unset", "--all")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains("use --yes"))
    #expect(try example.storedEntries() == Self.entries)
    let reset = try await example("unset", "--all", "--yes")
    #expect(reset.lines.count == 6 && reset.status == 0)
    #expect(try example.storedEntries() == [:])
  }

  @Test(
    "At a terminal, unset --all asks and resets only after a yes",
    arguments: [
      ("y\n", true), ("Yes\n", true), ("maybe\ny\n", true), ("n\n", false), ("\n", false),
      ("\u{4}", false),
    ])
  func question(answer: String, isReset: Bool) async throws {
    try await prepare()
    let terminal = try PseudoTerminal()
    try terminal.type(answer)
    let outcome = try await example.start(["unset", "--all"], on: terminal).outcome()
    let screen = try terminal.everything()
    #expect(screen.contains("Reset all 6 settings of Example? [y/N] "))
    #expect(screen.contains("nothing was changed") == !isReset)
    #expect(outcome.status == (isReset ? 0 : 1))
    #expect(try example.storedEntries() == (isReset ? [:] : Self.entries))
  }

  @Test(
    "The unset verb fails as the set verb does if the suite is read-only",
    arguments: [
      ["set", "volume", "7"], ["unset", "volume"], ["reset", "volume"],
      ["unset", "--all", "--yes"],
    ])
  func readOnly(arguments: [String]) throws {
    try example.folder.write(
      "<plist version=\"1.0\"><dict><key>volume</key><integer>5</integer></dict></plist>",
      to: "read.plist")
    let suite = try Defaults.PropertyListSuite(
      url: example.folder.url("read.plist"), readOnly: true, onIssue: { _ in })
    let volume = Defaults.Key("volume", default: 3)
    let command = Defaults.Command([volume], suite: suite, name: "tool")
    let error = #expect(throws: Defaults.CommandError.self) { try command.run(arguments) }
    #expect(error?.status == 74)
    #expect(error?.description.contains("readOnly") == true)
    #expect(suite.integer(forKey: "volume") == 5)
  }
}
