import Defaults
import DefaultsText
import Foundation
import Testing

@Suite("Edits of large files with comments", .timeLimit(.minutes(1)))
struct JSONCSizeTests {
  @Test("The time in which the members of a group are removed is proportional to their number")
  func removedMembers() throws {
    let format = Defaults.EditableFormat.jsonc(nesting: ["g"])
    let members = (0..<40_000).map { "    \"k\($0)\": 1" }.joined(separator: ",\n")
    let text = Data("{\n  \"g\": {\n\(members)\n  }\n}\n".utf8)
    let edited = try format.encode(
      ["g.k7": 1], replacing: text, path: "settings.jsonc", about: { _ in nil })
    #expect(edited.problem == nil)
    let meant = "{\n  \"g\": {\n    \"k7\": 1\n  }\n}\n"
    #expect(String(decoding: edited.data, as: UTF8.self) == meant)
  }

  @Test("The time in which empty objects get members is proportional to their number")
  func emptyObjects() throws {
    let names = (0..<5_000).map { "o\($0)" }
    let lines = names.map { "  \"\($0)\": {}" }.joined(separator: ",\n")
    let document = try Defaults.JSONCDocument(Data("{\n\(lines)\n}\n".utf8))
    let edited = try document.edited(to: document.entries.mapValues { _ in ["a": 1] })
    let meant = lines.replacing("{}", with: "{\n    \"a\": 1\n  }")
    #expect(String(decoding: edited, as: UTF8.self) == "{\n\(meant)\n}\n")
  }

  @Test(
    "The time in which settings are added is proportional to the file, if lines begin with commas")
  func commasFirst() throws {
    let groups = (0..<5_000).map { "g\($0)" }
    let lines = groups.map { "\"\($0).a\": 1" }.joined(separator: "\n, ")
    let document = try Defaults.JSONCDocument(Data("{ \(lines)\n}\n".utf8))
    var entries = document.entries
    for group in groups { entries["\(group).b"] = 2 }
    let edited = try document.edited(to: entries)
    #expect(try Defaults.JSONCDocument(edited).entries == entries)
  }
}
