import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Imports of the settings command", .prompt, .timeLimit(.aHang))
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
    @Stored(.renamed(from: "nick")) var nickname: String?
    @Stored var size = 12
  }

  private struct Outcome {
    var status: Int32
    var lines: [String]
    var errorLines: [String]
    /// The final entries of the writable layer.
    var stored: String
  }

  /// Runs commands one after another in a process of its own, on a migrated suite with a managed
  /// theme; returns the output of the last one.
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
      setenv("TMPDIR", folder, 1)
      let user = Defaults.MemorySuite()
      try user.importEntries(from: stored, as: .json)
      let suite = try Defaults.LayeredSuite(
        Defaults.Layer("policy", Policy(entries: ["theme": "dark"]), isManaged: true),
        .environment(prefix: "APP_", ["APP_SIZE": "14"]), .writable(user))
      let command = Defaults.Command(Settings.self, suite: suite, name: "tool settings")
      Defaults.Command.prepare()
      var status: Int32 = 0
      for arguments in commands {
        // The process prints its own lines before the first command.
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
      let end = try user.exportString(as: .compactJSON)
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
    "The import verb migrates a file of an older version with the schema's migrations",
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
    "The import and diff verbs reject a file of a newer version and change nothing",
    arguments: [["import"], ["import", "--dry-run"], ["import", "--replace"], ["diff"]])
  func newer(verb: [String]) async throws {
    try folder.write(#"{"volume": 70, "Defaults.version": 3}"#, to: "new.json")
    let outcome = try await run(verb + ["new.json"])
    #expect(outcome.status == 65 && outcome.lines == [] && outcome.errorLines.count == 1)
    #expect(outcome.errorLines.first?.contains("new.json") == true)
    #expect(outcome.errorLines.first?.contains("version 3") == true)
    #expect(outcome.stored == Self.before)
  }

  @Test("The import verb migrates settings that the program hasn't migrated yet")
  func unmigrated() async throws {
    try folder.write(#"{"nickname": "Ada", "Defaults.version": 2}"#, to: "new.json")
    let outcome = try await run(["import", "new.json"], stored: #"{"loudness": 5}"#)
    #expect(outcome.status == 0)
    #expect(outcome.stored == #"{"Defaults.version":2,"nickname":"Ada","volume":50}"#)
  }

  @Test("The JSON of the list verb has the version and can be imported unchanged")
  func list() async throws {
    let list = try await run(["list", "--json", "volume"])
    try folder.write(list.lines.joined(separator: "\n"), to: "list.json")
    let outcome = try await run(["import", "list.json"])
    #expect(outcome.status == 0 && outcome.stored == Self.before)
  }

  // MARK: - What an import rejects or skips

  @Test(
    "A dry run of import rejects what import rejects, with the same status and no changes",
    arguments: [
      (#"{"theme": "light", "volume": 70, "Defaults.version": 2}"#, "theme", 77),
      (#"{"volume": 700, "nickname": "x", "Defaults.version": 2}"#, "volume", 64),
      (#"{"volume": "loud", "nickname": "x", "Defaults.version": 2}"#, "volume", 65),
    ])
  func rejected(content: String, name: String, status: Int32) async throws {
    try folder.write(content, to: "new.json")
    for options in [[], ["--dry-run"]] {
      let outcome = try await run(["import"] + options + ["new.json"])
      #expect(outcome.status == status && outcome.lines == [] && outcome.errorLines.count == 1)
      #expect(outcome.errorLines.first?.contains("new.json") == true)
      #expect(outcome.errorLines.first?.contains("\"\(name)\"") == true)
      #expect(outcome.stored == Self.before)
    }
  }

  @Test(
    "An import prints everything that it rejects, one per line, also in a dry run",
    arguments: [["import"], ["import", "--dry-run"]])
  func allRejected(verb: [String]) async throws {
    try folder.write(
      #"{"theme": "light", "volume": 700, "size": "x", "Defaults.version": 2}"#, to: "new.json")
    let outcome = try await run(verb + ["new.json"])
    #expect(outcome.lines == [] && outcome.errorLines.count == 3)
    #expect(outcome.stored == Self.before)
    for (line, name) in zip(outcome.errorLines, ["size", "theme", "volume"]) {
      #expect(line.contains("\"\(name)\"") && line.contains("new.json"))
    }
    #expect(outcome.status == 65)
  }

  @Test("An import accepts an entry of a managed setting that has the managed value")
  func sameAsManaged() async throws {
    try folder.write(#"{"theme": "dark", "volume": 70, "Defaults.version": 2}"#, to: "new.json")
    let dry = try await run(["import", "--dry-run", "new.json"])
    #expect(dry.lines == ["volume: 50 -> 70"] && dry.status == 0)
    let outcome = try await run(["import", "new.json"])
    #expect(outcome.stored == #"{"Defaults.version":2,"volume":70}"#)
    #expect(try await run(["import", "new.json"], ["diff", "new.json"]).status == 0)
  }

  @Test("The import verb reports an overridden setting, with the source that overrides it")
  func shadowed() async throws {
    try folder.write(#"{"size": 16, "Defaults.version": 2}"#, to: "new.json")
    for options in [[], ["--dry-run"]] {
      let outcome = try await run(["import"] + options + ["new.json"])
      #expect(outcome.status == 0)
      #expect(outcome.errorLines.contains { $0.contains("size is overridden by APP_SIZE") })
    }
  }

  @Test("Import with --replace removes only entries of the writable layer")
  func replaced() async throws {
    try folder.write(#"{"nickname": "Ada", "Defaults.version": 2}"#, to: "new.json")
    let dry = try await run(["import", "--replace", "--dry-run", "new.json"])
    #expect(dry.lines == ["nickname: (none) -> Ada", "volume: 50 -> (none)"])
    let outcome = try await run(["import", "--replace", "new.json"])
    #expect(outcome.lines == ["nickname: taken", "volume: removed"])
    #expect(outcome.stored == #"{"Defaults.version":2,"nickname":"Ada"}"#)
  }

  @Test("After an import that skipped an entry, diff shows the entry with the reason")
  func skipped() async throws {
    try folder.write(#"{"volume": 70, "volme": 7, "Defaults.version": 2}"#, to: "new.json")
    let outcome = try await run(["import", "new.json"], ["diff", "new.json"])
    #expect(outcome.status == 1 && outcome.errorLines == [])
    #expect(
      outcome.lines == [
        "volme: (none) -> 7 (skipped: no setting has this name (did you mean volume?))"
      ])
  }

  @Test("The diff verb shows the settings that import would reject, with the reason")
  func rejectedByDiff() async throws {
    try folder.write(
      #"{"theme": "light", "volume": 700, "Defaults.version": 2}"#, to: "new.json")
    let diff = try await run(["diff", "new.json"])
    #expect(diff.status == 1 && diff.errorLines == [] && diff.lines.count == 2)
    #expect(diff.lines.first?.hasPrefix("theme: dark -> light (rejected: ") == true)
    #expect(diff.lines.last?.hasPrefix("volume: 50 -> 700 (rejected: ") == true)
  }

  @Test("The diff verb compares an entry under a previous name with the current setting")
  func previousName() async throws {
    try folder.write(#"{"nick": "Ada", "volume": 50, "Defaults.version": 2}"#, to: "new.json")
    let diff = try await run(["diff", "new.json"])
    #expect(diff.lines == ["nickname: (none) -> Ada"] && diff.status == 1)
    #expect(try await run(["import", "new.json"], ["diff", "new.json"]).status == 0)
  }

  @Test("The diff verb accepts the decimal numbers that the import verb accepts for a Float")
  func decimals() throws {
    try folder.write(#"{"gain": 0.30000000000000004}"#, to: "new.json")
    let gain = Defaults.Key("gain", default: Float(1))
    let suite = Defaults.MemorySuite()
    let command = Defaults.Command([gain], suite: suite, name: "tool")
    try command.run(["import", folder["new.json"]])
    #expect(suite[gain] == 0.3)
    try command.run(["diff", folder["new.json"]])
  }

  @Test("The import, diff and export verbs accept the format name of the sample verb")
  func jsonc() throws {
    try folder.write("{ // Loud.\n\"gain\": 0.5, }", to: "new.txt")
    let gain = Defaults.Key("gain", default: 1.0)
    let suite = Defaults.MemorySuite()
    let command = Defaults.Command([gain], suite: suite, name: "tool")
    for verb in ["import", "diff", "export"] {
      try command.run([verb, "--as", "jsonc", folder["new.txt"]])
    }
    #expect(suite[gain] == 0.5)
  }

  // MARK: - Managed settings

  @Test(
    "The unset verb rejects a managed setting with the same status as set and changes nothing",
    arguments: [["unset", "theme"], ["unset", "volume", "theme"], ["reset", "theme"]])
  func unset(arguments: [String]) async throws {
    let set = try await run(["set", "theme", "light"])
    let outcome = try await run(arguments)
    #expect(outcome.status == 77 && set.status == 77 && outcome.lines == [])
    #expect(outcome.errorLines.first?.contains("\"theme\"") == true)
    #expect(outcome.errorLines.first?.contains("Policy") == true)
    #expect(outcome.stored == Self.before)
  }

  @Test("The unset verb removes unmanaged settings although another setting is managed")
  func unsetOther() async throws {
    let outcome = try await run(["unset", "volume"])
    #expect(outcome.status == 0 && outcome.stored == #"{"Defaults.version":2}"#)
  }

  @Test("Removing a managed setting in the editor is reported as a mistake")
  func edit() async throws {
    try folder.write(#"sed -i '/"theme"/d' "$1""#, to: "editor")
    let outcome = try await run(["edit"], editor: "sh '\(folder["editor"])'")
    #expect(outcome.status == 64 && outcome.lines == [])
    #expect(outcome.errorLines.last?.contains("theme: The setting is managed by") == true)
    #expect(outcome.errorLines.last?.contains("; your text is kept in \(folder.path)") == true)
    #expect(outcome.stored == Self.before)
  }
}
