import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Schema references of JSON files")
struct SchemaReferenceTests {
  private let folder: TemporaryFolder
  private static let text = ##"{"$schema": "settings.schema.json", "volume": 7}"##

  init() throws { folder = try TemporaryFolder() }

  private func entries(in text: String) throws -> [String: Defaults.PropertyListValue] {
    try Defaults.JSONFormat().decode(Data(text.utf8))
  }

  private func text(of entries: [String: Defaults.PropertyListValue]) throws -> String {
    String(decoding: try Defaults.JSONFormat(isCompact: true).encode(entries), as: UTF8.self)
  }

  @Test(
    "A $schema reference is read anywhere at the top level and written first",
    arguments: [
      ##"{"$schema": "settings.schema.json", "volume": 7}"##,
      ##"{"volume": 7, "$schema": "settings.schema.json"}"##,
      ##"{"volume": 7, "\u0024schema": "settings.schema.json"}"##,
    ])
  func roundTrip(text: String) throws {
    let entries = try entries(in: text)
    #expect(entries == [Defaults.schemaName: "settings.schema.json", "volume": 7])
    #expect(try self.text(of: entries) == ##"{"$schema":"settings.schema.json","volume":7}"##)
  }

  @Test("A setting named $schema is written with two dollar signs")
  func declaredKey() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String?>("$schema", suite: suite)
    let text = ##"{"$$schema": "mine", "$schema": "settings.schema.json"}"##
    try suite.importEntries(from: text, as: .json)
    #expect(suite[key] == "mine")
    #expect(try suite.exportString(as: .compactJSON) == ##"{"$$schema":"mine"}"##)
    let entries = try entries(in: text)
    #expect(try self.entries(in: self.text(of: entries)) == entries)
  }

  @Test(
    "A $schema reference is a string, occurs once, and only at the top level",
    arguments: [
      (##"{"$schema": 1}"##, "$schema must be a string"),
      (##"{"$schema": "a", "$schema": "b"}"##, ##"the name "$schema" appears twice in the file"##),
      (##"{"a": {"$schema": "b"}}"##, ##"the name "$schema" isn't allowed here"##),
      (##"{"a": [{"$schema": "b"}]}"##, ##"the name "$schema" isn't allowed here"##),
    ])
  func misplaced(text: String, reason: String) {
    let error = #expect(throws: Defaults.ConversionError.self) { try entries(in: text) }
    #expect(error?.reason.hasPrefix(reason) == true)
  }

  @Test("An import from JSON reads the settings and not the $schema reference")
  func imported() throws {
    for mode in [Defaults.ImportMode.merge, .replace] {
      let suite = Defaults.MemorySuite(["volume": 5])
      let report = try suite.importEntries(from: Self.text, as: .json, by: mode)
      #expect(suite.entries == ["volume": 7])
      #expect(report.taken == ["volume"] && report.skipped.isEmpty)
    }
  }

  @Test("A layer from JSON reads the settings and not the $schema reference")
  func layer() throws {
    try folder.write(Self.text, to: "operator.json")
    let issues = Log<Defaults.Issue>()
    let suite = try Defaults.LayeredSuite(
      .writable(Defaults.MemorySuite()), .file(folder.url("operator.json")),
      onIssue: { issues.append($0) })
    #expect(suite[Defaults.Key("volume", default: 5, suite: suite)] == 7)
    #expect(suite.entries == ["volume": 7])
    #expect(issues.count == 0)
  }

  /// A suite's store in a JSON file, as the article shows it.
  private struct JSONFile: Defaults.Store {
    let url: URL

    func load() throws -> [String: Defaults.PropertyListValue] {
      try Defaults.JSONFormat().decode(Data(contentsOf: url))
    }

    func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
      try Defaults.JSONFormat().encode(entries).write(to: url, options: .atomic)
    }
  }

  @Test("A suite on a JSON file keeps its $schema reference, also without settings")
  func store() throws {
    try folder.write(Self.text, to: "settings.json")
    let suite = try Defaults.StoredSuite(JSONFile(url: folder.url("settings.json")))
    suite.set(8, forKey: "volume")
    try suite.flush()
    #expect(
      try folder.text(of: "settings.json") == """
        {
          "$schema": "settings.schema.json",
          "volume": 8
        }

        """)
    suite.removeAll()
    try suite.flush()
    #expect(try entries(in: folder.text(of: "settings.json")).count == 1)
    #expect(try suite.exportString(as: .compactJSON) == "{}")
  }

  @Test("An export to a JSON file keeps the file's $schema reference")
  func exported() throws {
    try folder.write(Self.text, to: "settings.json")
    let suite = Defaults.MemorySuite(["volume": 9])
    try suite.export(to: folder.url("settings.json"), as: .compactJSON)
    #expect(
      try folder.text(of: "settings.json")
        == ##"{"$schema":"settings.schema.json","volume":9}"##)
    try folder.write("not JSON", to: "damaged.json")
    try suite.export(to: folder.url("damaged.json"), as: .compactJSON)
    #expect(try folder.text(of: "damaged.json") == #"{"volume":9}"#)
  }
}
