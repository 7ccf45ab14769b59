import Defaults
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("The file tool on JSON with comments", .timeLimit(.aHang))
struct FileToolJSONTests {
  private static let text =
    "{\n  // How it looks\n  \"theme\": \"dark\", // or light\n  \"size\": 5\n}\n"

  private let tool: FileToolProgram
  private let path: String

  init() throws {
    tool = try FileToolProgram()
    path = tool.folder["settings.jsonc"]
    try tool.folder.write(Self.text, to: "settings.jsonc")
  }

  private func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await tool.start([path] + arguments).end()
  }

  private func text() throws -> String { try tool.folder.text(of: "settings.jsonc") }

  @Test("The file tool shows, changes and removes entries of a JSON file and keeps its comments")
  func entries() async throws {
    #expect(try await run("get", "theme").output == "dark\n")
    #expect(try await run("set", "theme", "light").status == 0)
    #expect(try text() == Self.text.replacing("dark", with: "light"))
    #expect(try await run("unset", "size").status == 0)
    #expect(
      try text() == "{\n  // How it looks\n  \"theme\": \"light\" // or light\n}\n")
    let outcome = try await run("doctor")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
    #expect(outcome.lines.contains("  file: it holds 1 entry as JSON"))
  }

  @Test("A JSON file with comments can be exported as a property list but not converted")
  func conversion() async throws {
    let outcome = try await run("convert", "--xml")
    #expect(outcome.status == 65)
    #expect(outcome.error.contains("export --as plist"))
    #expect(try text() == Self.text)
    #expect(try await run("export", "--as", "plist").output.contains("<string>dark</string>"))
  }

  @Test("Each verb of the file tool shows a mistake in JSON with its line and keeps the file")
  func mistake() async throws {
    let text = Self.text.replacing(", //", with: " //")
    try tool.folder.write(text, to: "settings.jsonc")
    for arguments in [["list"], ["set", "a", "1"], ["recover"], ["doctor"]] {
      let words = arguments[0] == "recover" ? arguments + [path] : [path] + arguments
      let outcome = try await tool.start(words).end()
      #expect(outcome.status != 0)
      #expect((outcome.error + outcome.output).contains("line 4, column 3"), "\(outcome.error)")
    }
    #expect(try self.text() == text)
  }

  @Test("The file tool creates a new file with the extension jsonc as JSON")
  func newFile() async throws {
    let path = tool.folder["new.jsonc"]
    #expect(try await tool.start([path, "set", "a", "x"]).end().status == 0)
    #expect(try tool.folder.text(of: "new.jsonc") == "{\n  \"a\": \"x\"\n}\n")
  }
}
