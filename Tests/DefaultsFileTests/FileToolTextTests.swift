import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Names, standard input and JSON in the file tool", .timeLimit(.aHang))
struct FileToolTextTests {
  @Test("The file tool accepts names with the escapes that it prints")
  func name() async throws {
    let tool = try FileToolProgram()
    try tool.write(["a\nb": 1, #"c\u{9}"#: 2])
    #expect(
      try await tool("list").lines == [#"a\u{A}b      integer  1"#, #"c\u{5C}u{9}  integer  2"#])
    for name in ["a\nb", #"a\u{A}b"#, #"a\nb"#] {
      #expect(try await tool("get", name).output == "1\n")
    }
    for name in [#"c\u{9}"#, #"c\u{5C}u{9}"#] {
      #expect(try await tool("get", name).output == "2\n")
    }
    #expect(try await tool("set", #"a\u{A}b"#, "3").lines == [#"a\u{A}b = 3"#])
    #expect(try await tool("unset", #"c\u{5C}u{9}"#).status == 0)
    #expect(try tool.entries() == ["a\nb": 3])
  }

  @Test("A dash in the file tool reads the value from standard input")
  func standardInput() async throws {
    let tool = try FileToolProgram()
    let outcome = try await tool.start(
      [tool.path, "set", "token", "-"], script: #"printf 'hunter3\n' | "$0" "$@""#
    ).end()
    #expect(outcome.status == 0)
    #expect(try tool.entries() == ["token": "hunter3"])
  }

  @Test("The file tool imports, compares and restores JSON with a $schema reference")
  func schemaReference() async throws {
    let tool = try FileToolProgram()
    try tool.write(["volume": 5])
    try tool.folder.write(
      ##"{"$schema": "settings.schema.json", "volume": 7}"##, to: "settings.json")
    let file = tool.folder["settings.json"]
    #expect(try await tool("diff", file).lines == ["volume: 5 -> 7"])
    #expect(try await tool("restore", "--from", file, "--all", "--yes").lines == ["volume: 5 -> 7"])
    #expect(try await tool("import", file, "--replace").status == 0)
    #expect(try tool.entries() == ["volume": 7])
    try await #expect(tool("diff", file).status == 0)
    try await #expect(tool("export", file).status == 0)
    let entries = try Defaults.JSONFormat().decode(
      Data(contentsOf: tool.folder.url("settings.json")))
    #expect(entries[Defaults.schemaName] != nil)
  }
}
