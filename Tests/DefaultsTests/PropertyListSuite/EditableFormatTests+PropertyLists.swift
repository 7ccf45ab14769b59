import DefaultsText
import Foundation
import TestSupport
import Testing

@testable import Defaults

/// Files of JSON where property lists are expected, and the reverse.
extension EditableFormatTests {
  @Test(
    "Opening a JSON file as a property list throws and changes nothing, also with a journal",
    arguments: [true, false])
  func openedAsPropertyList(hasJournal: Bool) throws {
    try folder.write(Self.text, to: Self.name)
    if hasJournal {
      let suite = try open()
      suite.write(.set(6), named: "sound.volume")
      try suite.flush(.snapshot)
    }
    let text = try text()
    for repairsDamage in [true, false] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try open(nil, repairsDamage: repairsDamage)
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains("`format: .jsonc`") == true)
    }
    #expect(try self.text() == text)
    #expect(try folder.names().count == (hasJournal ? 2 : 1))
  }

  @Test("A running property list suite doesn't replace a file that another program wrote as JSON")
  func becomesJSON() throws {
    let suite = try open(nil)
    suite.write(.set("dark"), named: "theme")
    try suite.flush(.snapshot)
    try Data(Self.text.utf8).write(to: folder.url(Self.name), options: .atomic)
    suite.write(.set("light"), named: "theme")
    #expect(throws: Defaults.SuiteError.self) { try suite.flush(.snapshot) }
    #expect(try text() == Self.text)
    // Nor when another process replaces it.
    let other = try open()
    other.write(.set(6), named: "sound.volume")
    try other.flush(.snapshot)
    let text = try text()
    #expect(text.contains("// not too loud"))
    suite.write(.set("blue"), named: "theme")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush(.snapshot) }
    #expect(error?.reason.contains("JSON") == true)
    #expect(try self.text() == text)
    #expect(try folder.names().count == 2)
    // The log has the change.
    try other.flush(.snapshot)
    #expect(
      try self.text() == text.replacing("dark", with: "blue").replacing("light", with: "blue"))
  }

  @Test("A JSON suite reads a property list in its file and replaces it at the next save")
  func conversion() throws {
    let entries: [String: PropertyListValue] = ["a": 1, "b": ["c": true]]
    try Defaults.PropertyListFormat.xml.encode(entries).write(to: folder.url(Self.name))
    let suite = try open()
    #expect(suite.entries == entries)
    suite.write(.set(2), named: "a")
    try suite.flush(.snapshot)
    #expect(try text() == "{\n  \"a\": 2,\n  \"b\": {\n    \"c\": true\n  }\n}\n")
    #expect(issues.all.isEmpty)
  }

  @Test("One process can't open a file as a property list and as JSON, but twice as JSON")
  func twice() throws {
    do {
      let first = try Defaults.PropertyListSuite(url: folder.url(Self.name))
      #expect(throws: Defaults.SuiteError.self) { try suite() }
      withExtendedLifetime(first) {}
    }
    let (first, second) = (try suite(), try suite())
    #expect(first.storage === second.storage)
  }

  @Test("A read-only suite on a JSON file follows the file and never writes")
  func readOnly() throws {
    try folder.write(Self.text, to: Self.name)
    let suite = try suite(readOnly: true)
    #expect(suite.entry(named: "theme") == "dark")
    #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { try $0.setEntry("light", named: "theme") }
    }
    #expect(try folder.names() == [Self.name])
  }

  @Test("JSON is recognized whatever character follows its first brace or comes before it")
  func spacesInJSON() {
    for text in ["{\u{2003}\"a\": 1}", "\u{FEFF}{}"] {
      #expect(Data(text.utf8).looksLikeJSON, "\(text)")
    }
  }
}
