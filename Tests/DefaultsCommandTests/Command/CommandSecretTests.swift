import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let token = Key<String?>(
    "CommandSecretTests.token", .secret, .renamed(from: "CommandSecretTests.old"))
  fileprivate static let headers = Key(
    "CommandSecretTests.headers", default: [String: String](), .secret)
  fileprivate static let identifiers = Key(
    "CommandSecretTests.identifiers", default: Set<UUID>(), .secret)
  fileprivate static let volume = Key("CommandSecretTests.volume", default: 3)
}

@Suite("Secrets in the settings command", .prompt, .timeLimit(.aHang))
struct CommandSecretTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Outcome {
    var output: String
    /// The thrown error, the status, and whether the secret is still stored.
    var error: String
  }

  /// Runs a command in a process of its own, on a suite with a secret.
  private func run(_ arguments: [String]) async -> Outcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [arguments = arguments as [String]] in
      let suite = Defaults.MemorySuite([
        "CommandSecretTests.token": "hunter2", "CommandSecretTests.volume": 5,
      ])
      let command = Defaults.Command(
        [.token, .headers, .identifiers, .volume], suite: suite, name: "tool")
      var words = "status 0"
      do throws(Defaults.CommandError) {
        try command.run(arguments)
      } catch {
        words = "\(error)\nstatus \(error.status)"
      }
      let isStored = suite.entry(named: "CommandSecretTests.token") != nil
      words += isStored ? "\nit is stored\n" : "\nit was removed\n"
      FileHandle.standardError.write(Data(words.utf8))
      exit(7)
    }
    func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
    return Outcome(
      output: text(result?.standardOutputContent), error: text(result?.standardErrorContent))
  }

  @Test(
    "The error for an invalid secret doesn't repeat the secret",
    arguments: [
      ["set", "CommandSecretTests.token", "hunter3\nhunter4"],
      ["add", "CommandSecretTests.headers", "hunter3"],
      ["set", "CommandSecretTests.headers", "hunter3", "hunter4"],
      ["remove", "CommandSecretTests.headers", "hunter3"],
      ["add", "CommandSecretTests.identifiers", "hunter3"],
      ["set", "CommandSecretTests.identifiers", "hunter3", "hunter4"],
    ])
  func refusal(arguments: [String]) async {
    let outcome = await run(arguments)
    #expect(outcome.error.contains("status 64"))
    #expect(!outcome.output.contains("hunter") && !outcome.error.contains("hunter"))
  }

  @Test(
    "A value in a file under a secret's previous name is redacted",
    arguments: [["diff"], ["import", "--dry-run"], ["import"]])
  func earlierName(arguments: [String]) async throws {
    try folder.write(#"{"CommandSecretTests.old": "hunter3"}"#, to: "old.json")
    let outcome = await run(arguments + [folder["old.json"]])
    #expect(!outcome.output.contains("hunter") && !outcome.error.contains("hunter"))
    #expect(outcome.output.contains("CommandSecretTests."))
  }

  @Test(
    "The line about secrets that an export leaves out agrees with their number", arguments: 1...2)
  func leftOut(count: Int) async {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
    ) { [count = count as Int] in
      let suite = Defaults.MemorySuite(["CommandSecretTests.token": "hunter2"])
      if count > 1 { suite[.headers] = ["a": "hunter3"] }
      CommandOutcome.report(
        of: Defaults.Command([.token, .headers], suite: suite, name: "tool"), ["export"])
      exit(7)
    }
    let words =
      count == 1
      ? "1 secret setting was left out of an export; use --show-secrets to export it"
      : "2 secret settings were left out of an export; use --show-secrets to export them"
    #expect(CommandOutcome(result).error.contains(words))
  }

  @Test("The diff verb redacts the value under a misspelled name of a secret")
  func misspelledName() async throws {
    try folder.write(
      #"{"CommandSecretTests.tokne": "hunter3", "CommandSecretTests.volum": 7}"#, to: "new.json")
    let outcome = await run(["diff", folder["new.json"]])
    #expect(!outcome.output.contains("hunter") && !outcome.error.contains("hunter"))
    #expect(outcome.output.contains("CommandSecretTests.tokne: (none) -> (secret) (skipped"))
    #expect(outcome.output.contains("CommandSecretTests.volum: (none) -> 7 (skipped"))
  }

  @Test("Importing or comparing a file without secrets ignores the stored secrets")
  func replacing() async throws {
    try folder.write(#"{"CommandSecretTests.volume": 5}"#, to: "export.json")
    let file = folder["export.json"]
    #expect(await run(["diff", file]).error == "status 0\nit is stored\n")
    let preview = await run(["import", "--replace", "--dry-run", file])
    #expect(!preview.output.contains("->") && preview.error == "status 0\nit is stored\n")
    #expect(await run(["import", "--replace", file]).error == "status 0\nit is stored\n")
  }
}
