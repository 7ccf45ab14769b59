import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The file tool's exports, imports and formats", .timeLimit(.aHang))
struct FileToolExchangeTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  @Test(
    "An export of the file tool can be imported in each format",
    arguments: ["json", "plist", "binary"])
  func roundTrip(format: String) async throws {
    let entries: [String: Defaults.PropertyListValue] = ["theme": "dark", "tags": [1, "a"]]
    try tool.write(entries)
    let file = tool.folder["export"]
    #expect(try await tool("export", file, "--as", format).status == 0)
    let other = tool.folder["other.plist"]
    let outcome = try await tool.start([other, "import", file, "--as=\(format)"]).end()
    #expect(outcome.lines == ["tags: taken", "theme: taken"])
    let copy = try await tool.start([other, "list", "--json"]).end()
    #expect(try Defaults.JSONFormat().decode(Data(copy.output.utf8)) == entries)
    #expect(try await tool("diff", file, "--as", format).status == 0)
  }

  @Test("The file tool exports, compares, imports and restores the entries of profiles, too")
  func profiles() async throws {
    let name = "Defaults.profiles.work.volume"
    let entries: [String: Defaults.PropertyListValue] = [
      "volume": 1, "Defaults.profile": "work", "Defaults.profiles.work": true, name: 2,
    ]
    // The entries that aren't copied are about this installation.
    try tool.write(entries.merging([Defaults.importedName: 1, "Defaults.sync": "id"]) { $1 })
    let file = tool.folder["export.json"]
    #expect(try await tool("export", file).status == 0)
    #expect(try Defaults.JSONFormat().decode(Data(contentsOf: URL(filePath: file))) == entries)
    #expect(try await tool("diff", file).status == 0)
    let other = tool.folder["other.plist"]
    func stored() throws -> [String: Defaults.PropertyListValue] {
      try Defaults.PropertyListFormat.decode(Data(contentsOf: URL(filePath: other))).entries
    }
    #expect(try await tool.start([other, "import", file, "--dry-run"]).end().lines.count == 4)
    #expect(try await tool.start([other, "import", file]).end().lines.count == 4)
    #expect(try stored() == entries)
    let names = entries.keys.filter { $0 != "volume" }
    #expect(try await tool.start([other, "unset"] + names).end().status == 0)
    #expect(try await tool.start([other, "diff", file]).end().lines.count == 3)
    let named = try await tool.start([other, "restore", "--from", file, "--yes", name]).end()
    #expect(named.lines == ["\(name): (none) -> 2"])
    let all = try await tool.start([other, "restore", "--from", file, "--yes", "--all"]).end()
    #expect(all.lines.count == 2)
    #expect(try stored() == entries)
    try tool.folder.write("{}", to: "empty.json")
    let empty = tool.folder["empty.json"]
    #expect(try await tool.start([other, "import", empty, "--replace"]).end().status == 0)
    #expect(try stored() == [:])
  }

  @Test("The file tool's import previews its changes and replaces only on request")
  func importing() async throws {
    try tool.write(["theme": "dark", "volume": 7])
    try tool.folder.write(#"{"theme": "light", "new": 1.5}"#, to: "import.json")
    let file = tool.folder["import.json"]
    let dry = try await tool("import", file, "--dry-run", "--replace")
    #expect(
      dry.lines == ["new: (none) -> 1.5", #"theme: "dark" -> "light""#, "volume: 7 -> (none)"])
    #expect(try tool.entries() == ["theme": "dark", "volume": 7])
    #expect(try await tool("diff", file).status == 1)
    #expect(try await tool("import", file).lines == ["new: taken", "theme: taken"])
    #expect(try tool.entries() == ["theme": "light", "volume": 7, "new": 1.5])
    #expect(try await tool("import", file, "--replace").status == 0)
    #expect(try tool.entries() == ["theme": "light", "new": 1.5])
  }

  @Test("The file tool's import, diff and restore read a pipe")
  func pipe() async throws {
    try tool.folder.write(#"{"theme": "light"}"#, to: "other.json")
    for arguments in [["import"], ["diff"], ["restore", "--from"]] {
      let process = try tool.start(
        [tool.path] + arguments + ["/dev/stdin"], script: #"cat "$FOLDER/other.json" | "$0" "$@""#,
        environment: ["FOLDER": tool.folder.path])
      let outcome = try await process.end()
      #expect(outcome.status == 0 && outcome.error == "")
    }
    #expect(try tool.entries() == ["theme": "light"])
  }

  @Test(
    "The file tool rejects importing or restoring a file of another version, also in a dry run",
    arguments: [
      (#"{"volume": 1}"#, "hold no version"),
      (#"{"volume": 1, "Defaults.version": 1}"#, "version 1"),
      (#"{"volume": 1, "Defaults.version": 3}"#, "version 3"),
    ])
  func otherVersion(content: String, words: String) async throws {
    try tool.write(["volume": 100, Defaults.versionName: 2])
    try tool.folder.write(content, to: "other.json")
    let file = tool.folder["other.json"]
    for arguments in [
      ["import", file], ["import", "--dry-run", file], ["restore", "--from", file],
      ["restore", "--from", file, "--all", "--yes"],
      ["restore", "volume", "--from", file, "--yes"],
    ] {
      let outcome = try await tool.start([tool.path] + arguments).end()
      #expect(outcome.status == 65 && outcome.lines == [])
      #expect(outcome.errorLines.count == 1 && outcome.error.contains(words))
    }
    #expect(try tool.entries() == ["volume": 100, Defaults.versionName: 2])
    let diff = try await tool("diff", file)
    #expect(diff.lines == ["volume: 100 -> 1"] && diff.status == 1)
    #expect(diff.errorLines.count == 1 && diff.error.contains("the settings have version 2"))
  }

  @Test(
    "The file tool restores a whole file from settings of an older version", arguments: [1, nil])
  func olderWhole(version: Int64?) async throws {
    try tool.write(["volume": 100, "theme": "dark", Defaults.versionName: 2])
    let entry = version.map { #", "Defaults.version": \#($0)"# } ?? ""
    try tool.folder.write(#"{"volume": 1\#(entry)}"#, to: "old.json")
    let file = tool.folder["old.json"]
    let dry = try await tool("restore", "--from", file, "--replace")
    #expect(dry.lines.dropLast() == [#"theme: "dark" -> (none)"#, "volume: 100 -> 1"])
    #expect(try await tool("restore", "--from", file, "--all", "--replace", "--yes").status == 0)
    #expect(try tool.entries() == ["volume": 1, Defaults.versionName: .integer(version ?? 0)])
  }

  @Test("A dry run of the file tool's import rejects values that the file's format can't hold")
  func rejectedImport() async throws {
    try tool.write(["volume": 1], as: .xml)
    try tool.folder.write(#"{"bell": "\u0007", "volume": 2}"#, to: "other.json")
    for options in [[], ["--dry-run"]] {
      let outcome = try await tool.start(
        [tool.path, "import", tool.folder["other.json"]] + options
      ).end()
      #expect(outcome.status == 65 && outcome.lines == [])
      #expect(outcome.errorLines.count == 1 && outcome.error.contains("bell"))
    }
    #expect(try tool.entries() == ["volume": 1])
  }

  @Test("The file tool reports an unreadable or malformed file with its path")
  func badFile() async throws {
    try tool.write(["theme": "dark"])
    try tool.folder.write("{\n  \"a\": 1,\n]", to: "bad.json")
    for verb in ["import", "diff"] {
      let missing = try await tool(verb, tool.folder["no.json"])
      #expect(missing.status == 66)
      #expect(missing.errorLines.count == 1)
      let bad = try await tool(verb, tool.folder["bad.json"])
      #expect(bad.status == 65)
      #expect(bad.errorLines.count == 1)
      #expect(bad.error.contains("bad.json: line 3"))
    }
    #expect(try tool.entries() == ["theme": "dark"])
  }

  @Test("The file tool converts to XML and back, and running programs keep their entries")
  func convert() async throws {
    let entries: [String: Defaults.PropertyListValue] = ["theme": "dark", "tags": [1, "a"]]
    try tool.write(entries)
    let open = try Defaults.PropertyListSuite(url: tool.folder.url(FileToolProgram.file))
    let converted = try await tool("convert", "--xml")
    #expect(converted.status == 0)
    #expect(converted.lines == ["\(tool.path) is XML now"])
    #expect(try tool.folder.text(of: FileToolProgram.file).hasPrefix("<?xml"))
    #expect(try tool.entries() == entries)
    try open.refresh()
    #expect(open.entries == entries)
    #expect(try await tool("convert", "--binary").status == 0)
    #expect(try Data(contentsOf: tool.folder.url(FileToolProgram.file)).starts(with: "bplist".utf8))
    #expect(try tool.entries() == entries)
    #expect(try await tool("convert").status == 64)
    #expect(try await tool("convert", "--xml", "--binary").status == 64)
  }

  @Test("The file tool rejects converting a value that XML can't hold, and keeps the file")
  func unrepresentable() async throws {
    try tool.write(["bell": "\u{7}"])
    let before = try Data(contentsOf: tool.folder.url(FileToolProgram.file))
    let outcome = try await tool("convert", "--xml")
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains("bell"))
    #expect(outcome.error.contains("U+0007"))
    #expect(try Data(contentsOf: tool.folder.url(FileToolProgram.file)) == before)
  }

  @Test(
    "An XML export of a value that XML can't hold suggests a command that works",
    arguments: [[], ["--as", "plist"]])
  func exactExport(options: [String]) async throws {
    let date = Date(timeIntervalSinceReferenceDate: 0.5)
    try tool.write(["when": .date(date)])
    let file = tool.folder["it's a file"]
    for operands in [[], [file]] {
      let outcome = try await tool.start([tool.path, "export"] + operands + options).end()
      #expect(outcome.status == 65)
      #expect(outcome.output == "" && outcome.errorLines.count == 1)
      let quoted = operands.isEmpty ? "" : " '\(file.replacing("'", with: #"'\''"#))'"
      let command = "defaults-file \(tool.path) export\(quoted) --as "
      #expect(outcome.error.contains("when"))
      #expect(outcome.error.hasSuffix("`\(command)binary` or `--as json` exports it exactly\n"))
    }
    for format in ["binary", "json"] {
      #expect(try await tool("export", file, "--as", format).status == 0)
      let copy = tool.folder["copy.plist"]
      #expect(try await tool.start([copy, "import", file, "--as", format]).end().status == 0)
      #expect(
        try Defaults.PropertyListFormat.decode(Data(contentsOf: URL(filePath: copy))).entries
          == ["when": .date(date)])
    }
  }

  @Test(
    "The file tool never exports over the settings file or its journal",
    arguments: ["settings.plist", "settings.plist.journal"])
  func exportOverItself(name: String) async throws {
    try tool.write(["theme": "dark"])
    for volume in ["1", "2"] { #expect(try await tool("set", "volume", volume).status == 0) }
    let before = try tool.everything()
    #expect(before[name] != nil)
    let outcome = try await tool("export", tool.folder[name])
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.count == 1)
    #expect(try tool.everything() == before)
  }

  @Test(
    "If the file tool can't read standard input, it prints a one-line error",
    arguments: ["<&-", "<\"$FOLDER\""])
  func badInput(redirection: String) async throws {
    let process = try tool.start(
      [tool.path, "import", "-"], script: #"exec "$0" "$@" \#(redirection)"#,
      environment: ["FOLDER": tool.folder.path])
    let outcome = try await process.end()
    #expect(outcome.status == 66 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains("standard input"))
    #expect(try tool.folder.names() == [])
  }
}
