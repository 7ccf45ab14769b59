import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The file tool's recover", .timeLimit(.aHang))
struct FileToolRecoverTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  @Test(
    "The file tool's recover prints readable entries as JSON, reports the rest, changes no file")
  func damaged() async throws {
    let text = """
      <plist version="1.0">
      <dict>
      \t<key>a</key>
      \t<integer>1</integer>
      \t<key>b</key>
      \t<integer>x</integer>
      \t<key>c</key>
      \t<true/>
      </dict>
      </plist>
      """
    try tool.folder.write(text, to: FileToolProgram.file)
    let outcome = try await tool.start(["recover", tool.path]).end()
    #expect(outcome.output == "{\n  \"a\": 1,\n  \"c\": true\n}\n")
    #expect(
      outcome.errorLines == [
        "defaults-file: \(tool.path): the entry of \"b\" is damaged, line 5",
        "defaults-file: \(tool.path): it is an XML property list; 2 entries could be read",
      ])
    #expect(outcome.status == 1)
    #expect(try await tool("recover").output == outcome.output)
    #expect(try tool.folder.text(of: FileToolProgram.file) == text)
    #expect(try tool.folder.names() == [FileToolProgram.file])
  }

  @Test("The file tool's recover prints an intact file completely, with status 0")
  func sound() async throws {
    try tool.write(["a": 1])
    let outcome = try await tool("recover")
    #expect(outcome.output == "{\n  \"a\": 1\n}\n")
    #expect(outcome.error == "")
    #expect(outcome.status == 0)
  }

  @Test("The file tool's recover with the output - prints the entries and creates no file")
  func standardOutput() async throws {
    try tool.write(["a": 1])
    let outcome = try await tool("recover", "--output", "-")
    #expect(outcome.output == "{\n  \"a\": 1\n}\n")
    #expect(outcome.status == 0)
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }

  @Test(
    "The file tool's recover replaces an existing file only with --force, and never the source",
    arguments: ["new.plist", "new.json"])
  func output(name: String) async throws {
    let data = try Defaults.PropertyListFormat.binary.encode(["a": 1, "b": "text"])
    try data.dropLast(20).write(to: tool.folder.url(FileToolProgram.file))
    let target = tool.folder[name]
    let first = try await tool("recover", "--output", target)
    #expect(first.status == 1)
    #expect(first.output == "")
    let format: any Defaults.ExchangeFormat = name == "new.json" ? .json : .plist
    #expect(try format.decode(Data(contentsOf: tool.folder.url(name))) == ["a": 1, "b": "text"])
    #expect(try tool.folder.mode(of: name) == 0o600)
    try tool.folder.write("mine", to: name)
    let second = try await tool("recover", "--output", target)
    #expect(second.status == 73)
    #expect(second.errorLines.count == 1)
    #expect(try tool.folder.text(of: name) == "mine")
    #expect(try await tool("recover", "--output", target, "--force").status == 1)
    #expect(try await tool("recover", "--output", tool.path, "--force").status == 64)
    #expect(try Data(contentsOf: tool.folder.url(FileToolProgram.file)) == data.dropLast(20))
  }

  @Test(
    "The file tool's recover writes every entry, also of the library, except the id of a sync",
    arguments: ["new.plist", "new.json", "new.jsonc"])
  func everyEntry(name: String) async throws {
    var entries: [String: Defaults.PropertyListValue] = [
      "volume": 1, "Defaults.profiles.work.volume": 2, "Defaults.sync": "id",
      Defaults.importedName: ["volume": 1],
    ]
    let data = try Defaults.PropertyListFormat.xml.encode(entries)
    try data.dropLast(12).write(to: tool.folder.url(FileToolProgram.file))
    entries["Defaults.sync"] = nil
    let printed = try await tool("recover").output
    #expect(try Defaults.JSONFormat().decode(Data(printed.utf8)) == entries)
    #expect(try await tool("recover", "--output", tool.folder[name]).status == 1)
    let format: any Defaults.ExchangeFormat = name == "new.plist" ? .plist : .json
    #expect(try format.decode(Data(contentsOf: tool.folder.url(name))) == entries)
  }

  @Test("The file tool's recover rejects files without entries and doesn't open a pipe")
  func nothing() async throws {
    try tool.folder.write("no settings at all", to: FileToolProgram.file)
    #expect(try await tool("recover").status == 65)
    try tool.folder.write("", to: FileToolProgram.file)
    #expect(try await tool("recover").status == 65)
    let pipe = tool.folder["pipe.plist"]
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try await tool.start(["recover", pipe]).end().status == 66)
    #expect(try await tool.start(["recover", tool.folder["no.plist"]]).end().status == 66)
    #expect(try await tool.start(["recover"]).end().status == 64)
  }

  @Test(
    "The file tool's recover soon rejects a small file whose table declares huge objects",
    arguments: [
      // A root of 2^31 entries.
      (objects: [0x00, 0x08], offsets: [8, 1 << 32 + 14], end: 1 << 32 + 15),
      // A name that lost 2^40 bytes.
      (objects: [0x00, 0x09], offsets: [8, 11, 1 << 40 - 1], end: 1 << 40),
    ] as [(objects: [UInt8], offsets: [UInt64], end: UInt64)])
  func hugeObjects(objects: [UInt8], offsets: [UInt64], end: UInt64) async throws {
    func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
    let trailer = [0, 0, 0, 0, 0, 0, 8, 1] + bytes(UInt64(offsets.count)) + bytes(0) + bytes(end)
    let file = Array("bplist00".utf8) + objects + offsets.flatMap(bytes) + trailer
    try Data(file).write(to: tool.folder.url(FileToolProgram.file))
    #expect(try await tool("recover").status == 65)
  }

  @Test("The file tool recovers the entries of a journal with a damaged header")
  func journal() async throws {
    let suite = try Defaults.PropertyListSuite(url: tool.folder.url(FileToolProgram.file))
    suite.set("dark", forKey: "theme")
    suite.set(2, forKey: "volume")
    var data = try Data(contentsOf: tool.folder.url("settings.plist.journal"))
    for index in 0..<60 { data[index] = 0 }
    try data.write(to: tool.folder.url("copy"))
    let outcome = try await tool.start(["recover", tool.folder["copy"]]).end()
    #expect(outcome.status == 1)
    #expect(
      try Defaults.JSONFormat().decode(Data(outcome.output.utf8)) == ["theme": "dark", "volume": 2])
  }

  @Test("The file tool's recover doesn't write through a dangling link or to the journal")
  func takenNames() async throws {
    let data = try Defaults.PropertyListFormat.binary.encode(["a": 1, "b": "text"])
    try data.dropLast(20).write(to: tool.folder.url(FileToolProgram.file))
    try tool.folder.link("new.plist", to: "elsewhere.plist")
    let linked = try await tool("recover", "--output", tool.folder["new.plist"])
    #expect(linked.status == 73)
    #expect(linked.errorLines.count == 1)
    let journal = tool.folder["settings.plist.journal"]
    let outcome = try await tool("recover", "--output", journal, "--force")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(try tool.folder.names().sorted() == ["new.plist", "settings.plist"])
  }
}
