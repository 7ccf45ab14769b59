import Defaults
import DefaultsText
import Foundation
import FuzzInputs
import TestSupport
import Testing

@Suite("A file of JSON with comments whose objects hold settings", .timeLimit(.aHang))
struct NestingFormatTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func suite(
    _ format: Defaults.EditableFormat = .jsonc(nesting: ["limits", "editor.font"])
  ) throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: folder.url("app.jsonc"), format: format, onIssue: { [issues] in issues.append($0) })
  }

  private func text() throws -> String { try folder.text(of: "app.jsonc") }

  private static let text = """
    {
      // For each client.
      "limits": {
        "requests": 60, // a minute
        "burst": 5
      },
      "colors": {"red": 1},
      "editor": {"font": {"size": 12}, "tabs": 4},
    }

    """

  @Test("Members of an object of a group are settings, and other objects are dictionaries")
  func reading() throws {
    try folder.write(Self.text, to: "app.jsonc")
    #expect(
      try suite().entries == [
        "limits.requests": 60, "limits.burst": 5, "colors": ["red": 1], "editor.font.size": 12,
        "editor.tabs": 4,
      ])
  }

  @Test("A dictionary under the name of a group is rejected, since it would become its members")
  func dictionaryOfGroup() throws {
    try folder.write(Self.text, to: "app.jsonc")
    let suite = try suite()
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { try $0.setEntry(["a": 1], named: "limits") }
    }
    #expect(error?.code == .unrepresentable)
    suite.set(["a": 1], forKey: "limits")
    #expect(issues.codes == [.unrepresentable])
    #expect(suite.entry(named: "limits") == nil && suite.entry(named: "limits.requests") == 60)
  }

  @Test("A nested setting is changed in its object, and all other bytes of the file stay the same")
  func writing() throws {
    try folder.write(Self.text, to: "app.jsonc")
    let suite = try suite()
    let delay = Defaults.Key("limits.delay", default: 0, suite: suite, .about("In seconds."))
    suite.set(70, forKey: "limits.requests")
    suite.set(13, forKey: "editor.font.size")
    suite.removeObject(forKey: "limits.burst")
    suite[delay] = 2
    suite.set("dark", forKey: "theme.name")
    try suite.flush(.snapshot)
    let expected = """
      {
        // For each client.
        "limits": {
          "requests": 70, // a minute
          // In seconds.
          "delay": 2
        },
        "colors": {"red": 1},
        "editor": {"font": {"size": 13}, "tabs": 4},
        "theme.name": "dark",
      }

      """
    #expect(try text() == expected)
    #expect(issues.count == 0)
  }

  @Test("If a setting is both nested and written with its full name, the full name is used")
  func ambiguity() throws {
    try folder.write(#"{"limits.requests": 1, "limits": {"requests": 2}}"#, to: "app.jsonc")
    let suite = try suite()
    #expect(suite.entries == ["limits.requests": 1])
    suite.set(3, forKey: "limits.requests")
    try suite.flush(.snapshot)
    #expect(try text() == #"{"limits.requests": 3, "limits": {"requests": 2}}"#)
    suite.removeObject(forKey: "limits.requests")
    try suite.flush(.snapshot)
    #expect(try text() == #"{"limits": {}}"#)
  }

  @Test("A text editor's change in an object is merged setting by setting")
  func merging() throws {
    try folder.write(Self.text, to: "app.jsonc")
    let suite = try suite()
    suite.set(70, forKey: "limits.requests")
    try folder.write(Self.text.replacing("\"burst\": 5", with: "\"burst\": 6"), to: "app.jsonc")
    try suite.refresh()
    try suite.flush(.snapshot)
    #expect(suite.entries["limits.requests"] == 70 && suite.entries["limits.burst"] == 6)
    #expect(
      try text()
        == Self.text.replacing("\"burst\": 5", with: "\"burst\": 6").replacing("60", with: "70"))
  }

  @Test("A dictionary that a program without the groups has stored is read as settings")
  func olderProgram() throws {
    try folder.write(Self.text, to: "app.jsonc")
    do {
      let older = try suite(.jsonc)
      #expect(older.entries["limits"] == ["requests": 60, "burst": 5])
      older.set("dark", forKey: "theme")
      try older.flush(.snapshot)
    }
    let suite = try suite()
    #expect(suite.entries["limits.requests"] == 60 && suite.entries["limits"] == nil)
    try suite.flush(.snapshot)
    #expect(try text().contains("\"requests\": 60, // a minute"))
    #expect(issues.count == 0)
  }

  @Test("Random changes of nested settings are all in the file, and no comment is lost")
  func randomChanges() throws {
    var random = SplitMix64(state: 32)
    // A sample: `StressTests` changes 50,000 files, and 3,750 with `--short`.
    for _ in 0..<200 { #expect(try NestingSample.tryChanges(&random) == nil) }
  }
}
