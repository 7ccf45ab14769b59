import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Secret values outside the command line", .prompt, .timeLimit(.aHang))
struct CommandSecretInputTests {
  private let run: CommandSecretRun
  private let name = "CommandSecretRun.token"

  init() throws { run = try CommandSecretRun() }

  @Test("A dash reads the exact value from standard input, without one final line feed")
  func standardInput() async throws {
    let example = try ExampleProgram()
    func set(_ arguments: [String], _ input: String) async throws -> ChildProcess.Outcome {
      try await example.start(
        arguments, script: #"printf "$INPUT" | "$0" "$@""#, environment: ["INPUT": input]
      ).end()
    }
    let set1 = try await set(["set", "nickname", "-"], #"a\000b\\u{41}\r\nc\n\n"#)
    #expect(set1.status == 0 && set1.error == "")
    #expect(try example.storedEntries() == ["nickname": "a\0b\\u{41}\r\nc\n"])
    _ = try await set(["set", "nickname", "-"], "-")
    #expect(try example.storedEntries() == ["nickname": "-"])
    #expect(try await set(["add", "tags", "-"], "one, two\n").lines == [#"tags = "one, two""#])
    #expect(try await set(["remove", "tags", "-"], "one, two").status == 0)
    let bytes = try await set(["set", "nickname", "-"], #"\377"#)
    #expect(bytes.status == 65)
    #expect(bytes.errorLines.count == 1 && bytes.error.contains("isn't UTF-8 text"))
    let large = try await example.start(
      ["set", "nickname", "-"], script: #"head -c 70000000 /dev/zero 2>/dev/null | "$0" "$@""#
    ).end()
    #expect(large.status == 66)
    #expect(large.errorLines.count == 1 && large.error.contains("64 MiB"))
    #expect(try example.storedEntries() == ["nickname": "-", "tags": []])
  }

  @Test("Without a terminal, setting a secret without a value fails and suggests standard input")
  func noTerminal() async throws {
    let outcome = await run(["set", name])
    #expect(outcome.error.contains("pass the value on standard input: tool set NAME -"))
    #expect(outcome.error.hasSuffix("status 64\n\"hunter2\"\n"))
    #expect(await run(["set", "CommandSecretRun.volume"]).error.contains("usage: tool set"))
  }

  @Test(
    "At a terminal, a secret is asked for twice and not echoed",
    arguments: [["set", "CommandSecretRun.token"], ["set", "CommandSecretRun.token", "-"]])
  func terminal(arguments: [String]) async throws {
    let terminal = try PseudoTerminal()
    let name = name
    async let screen = terminal.converse { terminal in
      var screen = try terminal.text(through: "\(name): ")
      #expect(try !terminal.showsInput())
      try terminal.type("hunter three\n")
      screen += try terminal.text(through: "again: ")
      try terminal.type("hunter three\n")
      return screen
    }
    let outcome = await run(arguments, on: terminal)
    #expect(outcome.secret == "\"hunter three\"")
    #expect(outcome.output == "\(name) = (secret)\n")
    let text = try await screen + terminal.everything()
    #expect(!text.contains("hunter"))
    #expect(try terminal.showsInput())
  }

  @Test(
    "A secret is unchanged if the two answers differ or are empty", arguments: [["a", "b"], [""]])
  func difference(answers: [String]) async throws {
    let terminal = try PseudoTerminal()
    async let typed: Void = terminal.converse { terminal in
      for answer in answers {
        _ = try terminal.text(through: ": ")
        try terminal.type(answer + "\n")
      }
    }
    let outcome = await run(["set", name], on: terminal)
    try await typed
    #expect(outcome.error.contains("nothing was changed\nstatus 64"))
    #expect(outcome.secret == "\"hunter2\"")
    #expect(try terminal.showsInput())
  }

  @Test("If the terminal truncates a secret, set fails and changes nothing")
  func longAnswer() async throws {
    let terminal = try PseudoTerminal()
    let name = name
    async let typed: Void = terminal.converse { terminal in
      _ = try terminal.text(through: "\(name): ")
      for _ in 1...5 { try terminal.type(String(repeating: "x", count: 1_000)) }
      try terminal.type("\n")
    }
    let outcome = await run(["set", name], on: terminal)
    try await typed
    #expect(outcome.error.contains("4095 bytes") && outcome.error.contains("status 64"))
    #expect(outcome.secret == "\"hunter2\"")
  }

  @Test(
    "A signal during the prompt for a secret turns the terminal's echo on again",
    arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
  func signal(number: Int32) async throws {
    let terminal = try PseudoTerminal()
    let (name, folder) = (name, run.folder)
    async let asked: Void = terminal.converse { terminal in
      _ = try terminal.text(through: "\(name): ")
      #expect(try !terminal.showsInput())
      try CommandSecretRun.send(number, toProcessIn: folder)
    }
    _ = await run(["set", name], on: terminal, endingWith: .signal(number))
    try await asked
    #expect(try terminal.showsInput())
  }
}
