import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The file tool's entries", .timeLimit(.aHang))
struct FileToolEntryTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  private static let entries: [String: Defaults.PropertyListValue] = [
    "theme": "dark", "volume": 7, "ratio": 0.5, "on": true, "tags": ["a", 1],
    "when": .date(Date(timeIntervalSinceReferenceDate: 0)), "blob": .data(Data([0, 1, 2])),
  ]

  @Test("The file tool lists names, types and values, with or without the list verb")
  func list() async throws {
    try tool.write(Self.entries)
    let list = try await tool("list")
    #expect(
      list.lines == [
        "blob    data     AAEC", "on      bool     true", "ratio   real     0.5",
        #"tags    array    ["a",1]"#, "theme   string   dark", "volume  integer  7",
        "when    date     2001-01-01T00:00:00Z",
      ])
    #expect(list.status == 0)
    #expect(try await tool().lines == list.lines)
    let json = try await tool("list", "--json")
    #expect(try Defaults.JSONFormat().decode(Data(json.output.utf8)) == Self.entries)
    // Listing changes nothing.
    #expect(try tool.folder.names() == [FileToolProgram.file])
  }

  @Test("The file tool prints an entry as text and as JSON and suggests the nearest name")
  func get() async throws {
    try tool.write(Self.entries)
    #expect(try await tool("get", "theme").output == "dark\n")
    #expect(try await tool("get", "theme", "--json").output == "\"dark\"\n")
    #expect(
      try await tool("get", "when", "--json").output == "{\"$date\":\"2001-01-01T00:00:00Z\"}\n")
    let unknown = try await tool("get", "volum")
    #expect(unknown.status == 64)
    #expect(
      unknown.errorLines
        == [#"defaults-file: there is no entry "volum"; did you mean "volume"?"#])
  }

  struct Setting: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var value: Defaults.PropertyListValue

    var testDescription: String { arguments.description }
  }

  private static let settings: [Setting] = [
    .init(arguments: ["theme", "7"], value: "7"), .init(arguments: ["volume", "-8"], value: -8),
    .init(arguments: ["ratio", "5"], value: 5.0), .init(arguments: ["on", "no"], value: false),
    .init(arguments: ["tags", "[]"], value: []),
    .init(arguments: ["blob", ""], value: .data(Data())),
    .init(arguments: ["new", "5"], value: "5"),
    .init(arguments: ["new", "--integer", "5"], value: 5),
    .init(arguments: ["--integer", "new", "-5"], value: -5),
    .init(arguments: ["new", "--real", "-inf"], value: .real(-.infinity)),
    .init(arguments: ["new", "--bool", "on"], value: true),
    .init(arguments: ["new", "--string", "--", "--x"], value: "--x"),
    .init(
      arguments: ["new", "--date", "2001-01-01T00:00:01Z"],
      value: .date(Date(timeIntervalSinceReferenceDate: 1))),
    .init(arguments: ["new", "--data", "AQ=="], value: .data(Data([1]))),
    .init(arguments: ["new", "--json", #"{"a":[1,2.5]}"#], value: ["a": [1, 2.5]]),
    .init(arguments: ["volume", "--string", "loud", "--force"], value: "loud"),
    .init(arguments: ["theme", #"two\u{A}lines"#], value: "two\nlines"),
  ]

  @Test("The file tool's set keeps the type of an entry, or uses a given type", arguments: settings)
  func set(_ setting: Setting) async throws {
    try tool.write(Self.entries)
    let outcome = try await tool.start([tool.path, "set"] + setting.arguments).end()
    #expect(outcome.errorLines == [])
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    let name = setting.arguments.first { !$0.hasPrefix("-") } ?? ""
    var expected = Self.entries
    expected[name] = setting.value
    #expect(try tool.entries() == expected)
  }

  @Test("The file tool creates a private file with its folders")
  func newFile() async throws {
    let path = tool.folder["a/b/new.plist"]
    #expect(try await tool.start([path, "set", "x", "--integer", "1"]).end().status == 0)
    #expect(try await tool.start([path, "get", "x"]).end().output == "1\n")
    #expect(try tool.folder.mode(of: "a/b/new.plist") == 0o600)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var hint: String
    var status: Int32 = 64

    var testDescription: String { arguments.description }
  }

  private static let mistakes: [Mistake] = [
    .init(arguments: ["volume", "loud"], hint: "volume: it must be an integer, not \"loud\""),
    .init(arguments: ["volume", "7.5"], hint: "an integer"),
    .init(arguments: ["volume", "--string", "7"], hint: "use --force to change it"),
    .init(arguments: ["tags", "{}"], hint: "an array as JSON"),
    .init(arguments: ["tags", "[1,"], hint: "it isn't JSON"),
    .init(arguments: ["ratio", "--json", "5"], hint: "its type is real"),
    .init(arguments: ["new", "--json", "null"], hint: "it isn't JSON"),
    .init(arguments: ["new", "--integer", "--real", "5"], hint: "a value has one type"),
    .init(arguments: ["new", "--float", "5"], hint: "choose one of --integer"),
    .init(arguments: ["new", "-h"], hint: "option"),
    .init(arguments: ["theme", "--help"], hint: "option"),
    .init(arguments: ["new"], hint: "usage: defaults-file PATH|PROGRAM set"),
    .init(arguments: ["", "5"], hint: "the name of an entry is empty"),
  ]

  @Test(
    "A mistake in the arguments of the file tool's set prints one line and changes nothing",
    arguments: mistakes)
  func mistake(_ mistake: Mistake) async throws {
    try tool.write(Self.entries)
    let outcome = try await tool.start([tool.path, "set"] + mistake.arguments).end()
    #expect(outcome.status == mistake.status)
    #expect(outcome.output == "")
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.contains(mistake.hint))
    #expect(try tool.entries() == Self.entries)
  }

  @Test("The file tool removes all named entries or none")
  func unset() async throws {
    try tool.write(Self.entries)
    let mistake = try await tool("unset", "theme", "them")
    #expect(mistake.status == 64)
    #expect(mistake.error.contains("did you mean \"theme\"?"))
    #expect(try tool.entries() == Self.entries)
    let outcome = try await tool("unset", "theme", "on")
    #expect(outcome.lines == ["theme = (none)", "on = (none)"])
    #expect(try tool.entries() == Self.entries.filter { !["theme", "on"].contains($0.key) })
  }

  @Test("Without a settings file, the file tool's verbs report an error and create nothing")
  func noFile() async throws {
    for verb in [
      ["list"], ["get", "x"], ["unset", "x"], ["watch"], ["export"], ["history"],
      ["convert", "--xml"], ["restore"], ["diff", "-"],
    ] {
      let outcome = try await tool.start([tool.path] + verb).end()
      #expect(outcome.status == 66 || verb[0] == "diff" && outcome.status == 65)
      #expect(outcome.errorLines.count == 1)
    }
    #expect(try tool.folder.names() == [])
  }

  @Test("The file tool leaves a damaged file unchanged and suggests how to recover it")
  func damagedFile() async throws {
    try tool.folder.write("bplist00 damaged", to: FileToolProgram.file)
    for verb in [
      ["list"], ["get", "x"], ["set", "x", "1"], ["unset", "x"], ["convert", "--xml"],
    ] {
      let outcome = try await tool.start([tool.path] + verb).end()
      #expect(outcome.status == 65)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.error.contains("recover"))
    }
    #expect(try tool.folder.text(of: FileToolProgram.file) == "bplist00 damaged")
    #expect(try tool.folder.names().filter { $0.contains("corrupt") } == [])
  }

  @Test("The file tool accepts the name of a program in place of a path")
  func program() async throws {
    #expect(try await tool.start(["Player", "set", "volume", "--real", "1"]).end().status == 0)
    #expect(try await tool.start(["Player", "get", "volume"]).end().output == "1.0\n")
    #expect(
      try await tool.start(["Player", "path"]).end().output
        == tool.folder["Player/Defaults.plist"] + "\n")
    #expect(try await tool.start(["..", "list"]).end().status == 74)
  }

  @Test("Text that isn't UTF-8 is rejected by the file tool's set and not stored")
  func notText() async throws {
    for arguments in [#"name "$(printf 'a\377')""#, #""$(printf 'a\377')" value"#] {
      let outcome = try await tool.start([tool.path], script: #""$0" "$1" set \#(arguments)"#).end()
      #expect(outcome.status == 64)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.error.contains("isn't UTF-8"))
    }
    #expect(try tool.folder.names() == [])
  }
}
