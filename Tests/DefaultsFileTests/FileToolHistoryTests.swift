import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The file tool's history", .timeLimit(.aHang))
struct FileToolHistoryTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  @Test("The file tool's history lists each change in the journal with its time")
  func history() async throws {
    #expect(try await tool("set", "theme", "dark").status == 0)
    #expect(try await tool("set", "theme", "light").status == 0)
    let past = try await tool("history")
    #expect(
      past.lines.map { String($0.dropFirst(22)) } == [
        #"theme: (none) -> "dark"  (defaults-file)"#,
        #"theme: "dark" -> "light"  (defaults-file)"#,
      ])
    #expect(past.lines.allSatisfy { $0.hasPrefix("20") })
    let suite = try Defaults.PropertyListSuite(url: tool.folder.url(FileToolProgram.file))
    try suite.transaction { draft in
      try draft.setEntry(1, named: "volume")
      draft.removeEntry(named: "theme")
    }
    let json = try await tool("history", "--json")
    let program = FileLocation.identifier
    #expect(
      json.output.contains(#""added":true,"name":"volume","new":1,"program":"\#(program)""#))
    #expect(
      json.output.contains(
        #""name":"theme","old":"light","program":"\#(program)","removed":true"#))
    let lines = try await tool("history").lines.map { String($0.dropFirst(22)) }
    #expect(
      Set(lines.suffix(2)) == [
        "volume: (none) -> 1  (\(program))", #"theme: "light" -> (none)  (\#(program))"#,
      ])
    #expect(lines.first == #"theme: (none) -> "dark"  (defaults-file)"#)
  }

  @Test("The file tool's restore reverts a setting in a profile")
  func restoreInProfile() async throws {
    let name = "Defaults.profiles.work.volume"
    #expect(try await tool("set", name, "--integer", "1").status == 0)
    #expect(try await tool("set", name, "--integer", "2").status == 0)
    #expect(try await tool("restore", "--yes", name).lines == ["\(name): 2 -> 1"])
  }

  @Test("The file tool's restore brings a removed profile back, with its marker and its choice")
  func removedProfile() async throws {
    let entries: [String: Defaults.PropertyListValue] = [
      "Defaults.profile": "work", "Defaults.profiles.work": true,
      "Defaults.profiles.work.volume": 2,
    ]
    try tool.write(entries)
    #expect(try await tool.start([tool.path, "unset"] + entries.keys).end().status == 0)
    #expect(try tool.entries() == [:])
    #expect(try await tool("restore", "--all", "--yes").lines.count == 3)
    #expect(try tool.entries() == entries)
  }

  @Test("The file tool's restore previews and then reverts all or the named changes")
  func restore() async throws {
    try tool.write(["theme": "dark", "volume": 1])
    #expect(try await tool("import", "--replace", json(#"{"theme":"light","new":5}"#)).status == 0)
    let now = try tool.entries()
    let preview = try await tool("restore")
    #expect(
      preview.lines == [
        #"theme: "light" -> "dark""#, "volume: (none) -> 1",
        "Nothing was changed; use --all --yes to restore.",
      ])
    #expect(preview.status == 0)
    #expect(try tool.entries() == now)
    #expect(try await tool("restore", "--yes", "volume").lines == ["volume: (none) -> 1"])
    #expect(try tool.entries() == ["theme": "light", "new": 5, "volume": 1])
    #expect(try await tool("restore", "nothing").status == 64)
  }

  @Test("The file tool's restore undoes an edit of the file that no program has recorded yet")
  func restoreEdit() async throws {
    for value in ["3", "5"] { _ = try await tool("set", "volume", "--integer", value) }
    try tool.write(["volume": 9])
    let preview = try await tool("restore", "volume")
    #expect(preview.lines.first == "volume: 9 -> 5")
    #expect(try await tool("restore", "--yes", "volume").lines == ["volume: 9 -> 5"])
    #expect(try tool.entries() == ["volume": 5])
  }

  @Test("The file tool's history reports a damaged journal")
  func damagedHistory() async throws {
    _ = try await tool("set", "volume", "--integer", "3")
    let url = tool.folder.url("settings.plist.journal")
    var bytes = try Data(contentsOf: url)
    bytes[12] ^= 1
    try bytes.write(to: url)
    for verb in ["history", "restore"] {
      let outcome = try await tool(verb)
      #expect(outcome.status == 65)
      #expect(outcome.error.contains("its header is damaged; `recover`"))
    }
  }

  @Test("The file tool's restore names the secrets whose earlier values aren't kept")
  func restoreSecret() async throws {
    let suite = try Defaults.PropertyListSuite(url: tool.folder.url(FileToolProgram.file))
    let token = Defaults.Key("token", default: "", suite: suite, .secret)
    for text in ["hunter2", "hunter3"] { suite[token] = text }
    try await suite.flush(.snapshot)
    let reason = "token is secret, so its earlier value isn't kept\n"
    let onlySecret = try await tool("restore")
    #expect(onlySecret.lines == ["Nothing would change."])
    #expect(onlySecret.error == "defaults-file: \(reason)" && onlySecret.status == 0)
    #expect(try await tool("set", "theme", "dark").status == 0)
    #expect(try await tool("set", "theme", "light").status == 0)
    let named = try await tool("restore", "--yes", "theme", "token")
    #expect(named.error == "defaults-file: nothing was changed: \(reason)")
    #expect(named.status == 77 && named.lines == [])
    let whole = try await tool("restore", "--all", "--yes")
    #expect(whole.lines == [#"theme: "light" -> "dark""#] && whole.status == 0)
    #expect(whole.error == "defaults-file: \(reason)")
    #expect(suite[token] == "hunter3")
  }

  @Test("The file tool restores entries from another file, and with --replace removes the others")
  func restoreFrom() async throws {
    try tool.write(["theme": "dark", "volume": 1])
    let file = json(#"{"theme":"light"}"#)
    let outcome = try await tool("restore", "--from", file, "--replace", "--all", "--yes")
    #expect(outcome.lines == [#"theme: "dark" -> "light""#, "volume: 1 -> (none)"])
    #expect(try tool.entries() == ["theme": "light"])
    #expect(try await tool("restore", "--from", tool.folder["no.plist"]).status == 66)
  }

  @Test("The file tool's restore without names requires --all", arguments: [[], ["--replace"]])
  func restoreAll(options: [String]) async throws {
    try tool.write(["theme": "dark"])
    #expect(try await tool("set", "theme", "light").status == 0)
    let mistake = try await tool.start([tool.path, "restore", "--yes"] + options).end()
    #expect(mistake.status == 64)
    #expect(
      mistake.errorLines
        == ["defaults-file: no entries are named; name entries or use --all"])
    #expect(try await tool("restore", "--all", "--yes", "theme").status == 64)
    #expect(try tool.entries() == ["theme": "light"])
    let outcome = try await tool.start([tool.path, "restore", "--all", "--yes"] + options).end()
    #expect(outcome.lines == [#"theme: "light" -> "dark""#])
    #expect(try tool.entries() == ["theme": "dark"])
  }

  private func json(_ text: String) -> String {
    let url = tool.folder.url("other.json")
    try? Data(text.utf8).write(to: url)
    return url.path
  }

  @Test(
    "The file tool's history reports a file that it can't read",
    arguments: ["settings.plist", "settings.plist.journal"])
  func unreadable(name: String) async throws {
    try tool.write(["theme": "dark"])
    try? FileManager.default.removeItem(atPath: tool.folder[name])
    try tool.folder.makeFolder(name)
    let outcome = try await tool("history")
    #expect(outcome.status == 66)
    #expect(
      outcome.error == "defaults-file: \(tool.folder[name]): it can't be read: it is a folder\n")
  }
}
