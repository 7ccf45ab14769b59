import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import Testing

@Suite("The settings command's imports, of older versions and on layers", .timeLimit(.aHang))
struct CommandImportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Settings: Defaults.Schema {
    static let migrations: [Defaults.Migration] = [
      .init(1) { draft in try draft.renameEntry("loudness", to: "volume") },
      .init(2) { draft in
        guard case .integer(let volume) = draft.entry(named: "volume") else { return }
        try draft.setEntry(.integer(volume * 10), named: "volume")
        draft.removeEntry(named: "cache")
      },
    ]
    @Stored(.in(0...100)) var volume = 30
    @Stored var theme = "light"
    @Stored(previousNames: ["nick"]) var nickname: String?
    @Stored var size = 12
  }

  private struct Outcome {
    var status: Int32
    var lines: [String]
    var errorLines: [String]
    /// What the writable layer has in the end.
    var stored: String
  }

  /// Runs commands one after the other in a process of its own, on a suite that was migrated, with a
  /// managed theme; returns what the last one prints.
  private func run(
    _ commands: [String]..., stored: String = #"{"volume": 50, "Defaults.version": 2}"#,
    editor: String = ""
  ) async throws -> Outcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [
        commands = commands as [[String]], stored = stored as String,
        folder = folder.path as String, editor = editor as String
      ] in
      setenv("EDITOR", editor, 1)
      let user = Defaults.MemorySuite()
      try user.importEntries(from: stored, as: .json)
      let suite = try Defaults.LayeredSuite(
        Defaults.Layer("policy", Policy(entries: ["theme": "dark"]), isForced: true),
        .environment(prefix: "APP_", ["APP_SIZE": "14"]), .writable(user))
      let command = Defaults.Command(Settings.self, in: suite, name: "tool settings")
      Defaults.Command.prepare()
      var status: Int32 = 0
      for arguments in commands {
        // The process has its own lines before the first command.
        FileHandle.standardOutput.write(Data("---\n".utf8))
        FileHandle.standardError.write(Data("---\n".utf8))
        do throws(Defaults.CommandError) {
          try command.run(
            arguments.map { $0.hasSuffix(".json") ? "\(folder)/\($0)" : $0 })
          status = 0
        } catch {
          status = error.status
          if !error.description.isEmpty {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
          }
        }
      }
      let end = try user.exportString(as: .json(.compact))
      FileHandle.standardOutput.write(Data("===\n\(status)\n\(end)\n".utf8))
      exit(7)
    }
    func lines(_ bytes: [UInt8]?) -> [String] {
      String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
    let parts = lines(result?.standardOutputContent).split(
      separator: "===", omittingEmptySubsequences: false)
    let end = Array(try #require(parts.last))
    return Outcome(
      status: try #require(Int32(end[0])),
      lines: parts[0].split(separator: "---", omittingEmptySubsequences: false).last.map(Array.init)
        ?? [],
      errorLines: lines(result?.standardErrorContent)
        .split(separator: "---", omittingEmptySubsequences: false).last.map(Array.init) ?? [],
      stored: end[1])
  }

  private static let before = #"{"Defaults.version":2,"volume":50}"#

  // MARK: - Versions

  @Test(
    "A file of an older version is migrated by the schema's migrations",
    arguments: [
      #"{"loudness": 7, "cache": 1}"#, #"{"volume": 7, "Defaults.version": 1}"#,
      #"{"volume": 70, "Defaults.version": 2}"#,
    ])
  func older(content: String) async throws {
    try folder.write(content, to: "old.json")
    let dry = try await run(["import", "--dry-run", "old.json"])
    #expect(dry.lines == ["volume: 50 -> 70"] && dry.errorLines == [] && dry.status == 0)
    #expect(dry.stored == Self.before)
    let diff = try await run(["diff", "old.json"])
    #expect(diff.lines == ["volume: 50 -> 70"] && diff.errorLines == [] && diff.status == 1)
    let imported = try await run(["import", "old.json"])
    #expect(imported.lines == ["volume: taken"] && imported.errorLines == [])
    #expect(imported.stored == #"{"Defaults.version":2,"volume":70}"#)
    let after = try await run(["import", "old.json"], ["diff", "old.json"])
    #expect(after.lines == [] && after.errorLines == [] && after.status == 0)
  }

  @Test(
    "A file of a newer version is rejected with an error that names it, and nothing is changed",
    arguments: [["import"], ["import", "--dry-run"], ["import", "--replace"], ["diff"]])
  func newer(verb: [String]) async throws {
    try folder.write(#"{"volume": 70, "Defaults.version": 3}"#, to: "new.json")
    let outcome = try await run(verb + ["new.json"])
    #expect(outcome.status == 65 && outcome.lines == [] && outcome.errorLines.count == 1)
    #expect(outcome.errorLines.first?.contains("new.json") == true)
    #expect(outcome.errorLines.first?.contains("version 3") == true)
    #expect(outcome.stored == Self.before)
  }

  @Test("An import migrates settings that the program hasn't migrated yet")
  func unmigrated() async throws {
    try folder.write(#"{"nickname": "Ada", "Defaults.version": 2}"#, to: "new.json")
    let outcome = try await run(["import", "new.json"], stored: #"{"loudness": 5}"#)
    #expect(outcome.status == 0)
    #expect(outcome.stored == #"{"Defaults.version":2,"nickname":"Ada","volume":50}"#)
  }

  @Test("What list prints as JSON has the version, so that it comes back as it was")
  func list() async throws {
    let list = try await run(["list", "--json", "volume"])
    try folder.write(list.lines.joined(separator: "\n"), to: "list.json")
    let outcome = try await run(["import", "list.json"])
    #expect(outcome.status == 0 && outcome.stored == Self.before)
  }
}
