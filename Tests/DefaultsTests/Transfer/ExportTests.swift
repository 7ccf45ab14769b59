import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Exports")
struct ExportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let entries: [String: Defaults.PropertyListValue] = [
    "volume": 5, "quality": 0.5, "ui.theme": "dark", "ui.sizes": [1, 2], "on": true,
    "data": .data(Data([1])), "date": .date(Date(timeIntervalSinceReferenceDate: 1)),
    "nested": ["a": ["b": 1.0]],
  ]

  @Test("A suite is exported and read back in every format", arguments: SuiteKind.allCases)
  func everyFormat(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    try sample.suite.setEntries(Self.entries)
    // A registered default isn't an entry.
    sample.suite.register(defaults: ["registered": 1])
    let copies = [
      try copy { copy in
        let data = try sample.suite.exportData(as: .plist(.binary))
        try copy.importEntries(from: data, as: .plist)
      },
      try copy { copy in
        let text = try sample.suite.exportString(as: .plist)
        try copy.importEntries(from: text, as: .plist)
      },
      try copy { copy in
        let text = try sample.suite.exportString(as: .json)
        try copy.importEntries(from: text, as: .json)
      },
      try copy { copy in
        try sample.suite.export(to: folder.url("new/a.json"), as: .compactJSON)
        try copy.importEntries(from: folder.url("new/a.json"), as: .json)
      },
    ]
    for copy in copies { #expect(copy == Self.entries) }
    _ = sample
  }

  private func copy(
    _ body: (Defaults.MemorySuite) throws -> Void
  ) throws -> [String: Defaults.PropertyListValue] {
    let copy = Defaults.MemorySuite()
    try body(copy)
    return copy.entries
  }

  @Test("An export has only the selected entries")
  func selection() throws {
    let suite = Defaults.MemorySuite(Self.entries)
    let volume = Defaults.Key("volume", default: 1)
    let missing = Defaults.Key("missing", default: 1)
    func names(_ selection: Defaults.Selection) throws -> Set<String> {
      let data = try suite.exportData(selection, as: .json)
      return Set(try Defaults.JSONFormat().decode(data).keys)
    }
    #expect(try names(.all) == suite.names)
    #expect(try names(.names("on", "missing")) == ["on"])
    #expect(try names(.names(["on", "data"] as Set)) == ["on", "data"])
    #expect(try names(.keys(volume, missing)) == ["volume"])
    #expect(try names(.prefix("ui.")) == ["ui.theme", "ui.sizes"])
  }

  @Test("Equal entries are exported as equal text, sorted by name")
  func sorted() throws {
    let names = (0..<50).map { "name \($0)" }
    let one = Defaults.MemorySuite(
      Dictionary(uniqueKeysWithValues: names.map { ($0, ["b": 1, "a": 2]) }))
    let other = Defaults.MemorySuite()
    for name in names.shuffled() { other.set(["a": 2, "b": 1], forKey: name) }
    #expect(try one.exportString(as: .json) == other.exportString(as: .json))
    #expect(try one.exportString(as: .plist) == other.exportString(as: .plist))
    let text = try one.exportString(as: .plist)
    let positions = names.sorted().compactMap { text.range(of: "<key>\($0)</key>")?.lowerBound }
    #expect(positions == positions.sorted())
    #expect(positions.count == 50)
  }

  @Test("An export replaces a file safely, and a new file is private to its owner")
  func file() throws {
    let suite = Defaults.MemorySuite(["x": 1])
    try suite.export(to: folder.url("a.json"), as: .json)
    #expect(try folder.mode(of: "a.json") == 0o600)
    #expect(try folder.text(of: "a.json") == "{\n  \"x\": 1\n}\n")
    try folder.write("old", to: "b.json", mode: 0o640)
    try folder.link("link.json", to: "b.json")
    try suite.export(to: folder.url("link.json"), as: .json)
    #expect(try folder.type(of: "link.json") == .typeSymbolicLink)
    #expect(try folder.mode(of: "b.json") == 0o640)
    #expect(try folder.names() == ["a.json", "b.json", "link.json"])
  }

  @Test("An export with values that the format can't hold throws and writes no file")
  func unrepresentable() throws {
    let suite = Defaults.MemorySuite(["x": .real(-0.0)])
    try folder.write("old", to: "a.plist")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.export(to: folder.url("a.plist"), as: .plist)
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.reason.contains("x: XML loses the sign of -0.0") == true)
    #expect(try folder.text(of: "a.plist") == "old")
    let binary = #expect(throws: Defaults.SuiteError.self) {
      try suite.exportString(as: .plist(.binary))
    }
    #expect(binary?.code == .unrepresentable)
  }

  @Test("A suite can't be exported over its own files or to a path that isn't a file")
  func ownFile() throws {
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    suite.set(1, forKey: "x")
    try suite.flush(.snapshot)
    for name in ["suite.plist", "suite.plist.journal"] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.export(to: folder.url(name), as: .json)
      }
      #expect(error?.code == .unwritable)
    }
    let web = try #require(URL(string: "https://example.com/a.json"))
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.export(to: web, as: .json) }
    #expect(error?.code == .noLocation)
  }
}
