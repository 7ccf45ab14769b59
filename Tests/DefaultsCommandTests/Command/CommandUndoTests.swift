import Defaults
import DefaultsCommand
import DefaultsHistory
import Foundation
import TestSupport
import Testing

@Suite("History and undo by the settings command", .prompt, .timeLimit(.aHang))
struct CommandUndoTests {
  private let example: ExampleProgram

  init() throws { example = try ExampleProgram() }

  private func run(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let outcome = try await example.start(arguments).end()
    #expect(outcome.status == 0 && outcome.error == "", sourceLocation: sourceLocation)
    return outcome.lines
  }

  private func expect(
    _ arguments: String..., fails message: String, status: Int32 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await example.start(arguments).end()
    #expect(outcome.lines == [], sourceLocation: sourceLocation)
    #expect(outcome.error == "Example: \(message)\n", sourceLocation: sourceLocation)
    #expect(outcome.status == status, sourceLocation: sourceLocation)
  }

  /// Opens the settings of the example as another program.
  private func suite() throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(url: example.folder.url(ExampleProgram.file))
  }

  private func times(of name: String) async throws -> [String] {
    try await run("history", name).map { String($0.prefix(24)) }
  }

  @Test("The history verb prints the changes of all or the named settings with their programs")
  func history() async throws {
    #expect(try await run("history") == [])
    #expect(try await run("history", "--json") == ["[]"])
    _ = try await run("set", "theme", "dark")
    _ = try await run("set", "volume", "0.5")
    try Defaults.withOrigin("sync") { try suite().set("light", forKey: "theme") }
    try suite().set(1, forKey: "unknown")
    let lines = try await run("history")
    let program = try #require(try suite().program)
    #expect(
      lines.map { $0.dropFirst(26) } == [
        "theme: system -> dark  (Example)", "volume: 0.8 -> 0.5  (Example)",
        "theme: dark -> light  (\(program), sync)",
      ])
    #expect(lines.allSatisfy { $0.prefix(2) == "20" && $0.dropFirst(23).prefix(3) == "Z  " })
    #expect(try await run("history", "volume") == [lines[1]])
    let json = try await run("history", "--json", "volume").joined()
    #expect(json.contains(#"{"name":"volume","new":0.5,"program":"Example","time":"20"#))
  }

  @Test("The history verb prints an invalid entry as it is stored, not as the default")
  func invalidEntry() async throws {
    let suite = try suite()
    for theme in ["pink", "dark"] { suite.set(theme, forKey: "theme") }
    #expect(
      try await run("history").map { $0.dropFirst(26).prefix { $0 != "(" } } == [
        "theme: system -> \"pink\"  ", "theme: \"pink\" -> dark  ",
      ])
  }

  @Test("The history verb prints only the changes since a given time or within a given duration")
  func since() async throws {
    _ = try await run("set", "theme", "dark")
    for time in ["1h", "2d", "0.5w", "600s", "10min", "2020-01-31", "2020-01-31T12:00:00Z"] {
      #expect(try await run("history", "--since", time).count == 1)
    }
    for time in ["0s", "2400-01-31", "2400-01-31T12:00:00Z"] {
      #expect(try await run("history", "--since=\(time)").isEmpty)
    }
    try await expect(
      "history", "--since", "soon",
      fails: #""soon" isn't a time such as 2026-01-31, 2026-01-31T12:00:00Z, 1h or 2d"#, status: 64)
  }

  @Test("The undo verb undoes the latest change, then the one before it, and is a change itself")
  func undo() async throws {
    try await expect("undo", fails: "there is no change to undo")
    _ = try await run("set", "theme", "dark")
    _ = try await run("set", "volume", "0.5")
    #expect(try await run("undo") == ["volume = 0.8"])
    #expect(try await run("undo") == ["theme = system"])
    try await expect("undo", fails: "there is no change to undo")
    #expect(try example.storedEntries() == [:])
    #expect(
      try await run("history").map { $0.dropFirst(26) }.suffix(2) == [
        "volume: 0.5 -> 0.8  (Example, undo)", "theme: dark -> system  (Example, undo)",
      ])
    _ = try await run("set", "theme", "light")
    #expect(try await run("undo") == ["theme = system"])
  }

  @Test("The undo verb skips a change that another program undid after a later change")
  func interleavedUndo() async throws {
    let suite = try suite()
    let stack = Defaults.UndoStack(suite)
    suite.set("dark", forKey: "theme")
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "nickname", "Al")
    try stack.undo()
    #expect(try await run("undo") == ["nickname = (none)"])
    #expect(try await run("undo") == ["volume = 0.8"])
    #expect(try example.storedEntries() == [:])
    try await expect("undo", fails: "there is no change to undo")
  }

  @Test("An undo of several changes undoes them all, even if some of them cancel each other")
  func canceledChanges() async throws {
    _ = try await run("set", "nickname", "Al")
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "theme", "dark")
    _ = try await run("unset", "volume")
    #expect(try await run("undo", "3") == ["theme = system"])
    #expect(try await run("undo") == ["nickname = (none)"])
  }

  @Test("The undo verb undoes all of the latest N changes or none, and a transaction is one change")
  func several() async throws {
    _ = try await run("set", "theme", "dark")
    try suite().transaction { draft in
      try draft.setEntry("light", named: "theme")
      try draft.setEntry(0.5, named: "volume")
      try draft.setEntry(1, named: "unknown")
    }
    _ = try await run("set", "nickname", "Al")
    try await expect(
      "undo", "4", fails: "nothing was changed: only 3 of the 4 changes can be undone")
    #expect(try await run("undo", "2") == ["theme = dark", "volume = 0.8", "nickname = (none)"])
    #expect(try example.storedEntries() == ["theme": "dark"])
    #expect(try await run("undo") == ["theme = system"])
    for count in ["0", "-1", "x"] {
      let outcome = try await example("undo", "--", count)
      #expect(
        outcome.error
          == "Example: undo takes a positive number of changes, not \"\(count)\"\n")
      #expect(outcome.status == 64)
    }
  }

  @Test("The undo verb undoes the change of a running program, which observes it")
  func running() async throws {
    let suite = try suite()
    let theme = Defaults.Key("theme", default: "system", suite: suite)
    suite[theme] = "dark"
    let values = Defaults.updates(theme)
    #expect(try await run("undo") == ["theme = system"])
    for await value in values where value == "system" { break }
    #expect(suite.entries.isEmpty)
  }

  @Test("The revert verb undoes the change of a setting that history lists with the given time")
  func revert() async throws {
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "volume", "0.7")
    _ = try await run("set", "theme", "dark")
    let times = try await times(of: "volume")
    #expect(try await run("revert", "volume@\(times[1])") == ["volume = 0.5"])
    #expect(try example.storedEntries() == ["volume": 0.5, "theme": "dark"])
    #expect(try await run("history").last?.hasSuffix("(Example, revert)") == true)
    #expect(try await run("undo") == ["volume = 0.7"])
    #expect(try await run("revert", "--yes", "volume@\(times[0].dropLast())") == ["volume = 0.8"])
  }

  @Test("The revert verb restores a value that was stored under a previous name")
  func previousName() throws {
    let suite = try suite()
    let volume = Defaults.Key("volume", default: 0, .renamed(from: "loudness"))
    for change in [
      { suite.set(3, forKey: "loudness") }, { suite.set(7, forKey: "loudness") },
      { suite[volume] = 9 },
    ] {
      change()
      // The command takes a time in milliseconds.
      let time = Date.now
      while Date.now.timeIntervalSince(time) < 0.002 {}
    }
    let date = try #require(try suite.history().first { $0.old == 3 }).date
    let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let command = Defaults.Command([volume], suite: suite, name: "tool")
    try command.run(["revert", "--yes", "volume@\(time)"])
    #expect(suite.entries == ["volume": 3])
  }

  @Test("A revert after a later change of the setting requires --yes without a terminal")
  func laterChange() async throws {
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "volume", "0.7")
    let time = try #require(try await times(of: "volume").first)
    try await expect(
      "revert", "volume@\(time)",
      fails: "volume was changed later, so nothing was done; use --yes to revert anyway")
    #expect(try example.storedEntries() == ["volume": 0.7])
    #expect(try await run("revert", "--yes", "volume@\(time)") == ["volume = 0.8"])
    #expect(try example.storedEntries() == [:])
  }

  @Test(
    "At a terminal, a revert after a later change asks for confirmation",
    arguments: [("y\n", true), ("n\n", false), ("\u{4}", false)])
  func question(answer: String, isReverted: Bool) async throws {
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "volume", "0.7")
    let time = try #require(try await times(of: "volume").first)
    let terminal = try PseudoTerminal()
    try terminal.type(answer)
    let outcome = try await example.start(["revert", "volume@\(time)"], on: terminal).outcome()
    let screen = try terminal.everything()
    #expect(screen.contains("volume was changed later; revert anyway? [y/N] "))
    #expect(screen.contains("nothing was changed") == !isReverted)
    #expect(outcome.status == (isReverted ? 0 : 1))
    #expect(try example.storedEntries() == (isReverted ? [:] : ["volume": 0.7]))
  }

  @Test("A revert asks again if a setting is changed while its question is open")
  func changeDuringQuestion() async throws {
    _ = try await run("set", "volume", "0.5")
    _ = try await run("set", "volume", "0.7")
    let time = try #require(try await times(of: "volume").first)
    let terminal = try PseudoTerminal()
    let suite = try suite()
    async let typed: Void = terminal.converse { terminal in
      _ = try terminal.text(through: "[y/N] ")
      suite.set(0.6, forKey: "volume")
      try suite.flush(.snapshot)
      try terminal.type("y\n")
      _ = try terminal.text(through: "[y/N] ")
      try terminal.type("n\n")
    }
    let outcome = try await example.start(["revert", "volume@\(time)"], on: terminal).outcome()
    try await typed
    #expect(outcome.status == 1)
    #expect(try example.storedEntries() == ["volume": 0.6])
  }

  @Test("The revert verb fails without a time, a known setting or a matching change")
  func misuse() async throws {
    _ = try await run("set", "volume", "0.5")
    try await expect(
      "revert", "volume", fails: "revert takes NAME@TIME, with a time from `history`",
      status: 64)
    try await expect(
      "revert", "volume@noon",
      fails: #""noon" isn't a time such as 2026-01-31, 2026-01-31T12:00:00Z, 1h or 2d"#, status: 64)
    try await expect(
      "revert", "volume@2026-01-31",
      fails: "volume has no change at 2026-01-31; `Example history volume` prints its "
        + "changes")
    let unknown = try await example("revert", "volune@2026-01-31")
    #expect(unknown.status == 64 && unknown.error.contains("did you mean volume?"))
  }

  @Test("The history verb prints no values of a secret, and the command can't undo its changes")
  func secret() async throws {
    let suite = try suite()
    suite[.commandUndoToken] = "hunter2"
    suite[.commandUndoToken] = "hunter3"
    try await expectSecret(in: suite.url)
  }

  private func expectSecret(in url: URL?) async throws {
    let path = try #require(url).path
    let result = await #expect(
      processExitsWith: .exitCode(77),
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [path = path as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      let command = Defaults.Command([.commandUndoToken], suite: suite, name: "tool")
      try command.run(["history"])
      command.main(["undo", "--yes"])
    }
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      .split(separator: "\n").map { $0.dropFirst(26).prefix(30) }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasPrefix("token: (secret), changed") })
    let error = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      error.hasSuffix(
        ": nothing was changed: token is secret, so its earlier value isn't kept\n"))
  }
}

extension Defaults.Keys {
  fileprivate static let commandUndoToken = Key<String?>("token", .secret)
}

extension Defaults.Suite {
  /// The program of the latest change.
  fileprivate var program: String? { get throws { try history().last?.program } }
}
