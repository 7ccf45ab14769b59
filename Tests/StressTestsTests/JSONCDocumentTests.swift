import Defaults
import DefaultsText
import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import StressTests

@Suite("Editing JSON with comments")
struct JSONCDocumentTests {
  typealias Entries = [String: Defaults.PropertyListValue]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The text after a change of its entries.
  private func edit(
    _ text: String, about: (String) -> String? = { _ in nil }, _ change: (inout Entries) -> Void
  ) throws -> String {
    let document = try Defaults.JSONCDocument(Data(text.utf8))
    var entries = document.entries
    change(&entries)
    return String(decoding: try document.edited(to: entries, about: about), as: UTF8.self)
  }

  static let settings = """
    // Settings of the team.
    {
      // --- Editor ---

      // In points.
      "editor.size": 12, // 14 on small screens
      "editor.rulers": [80, /* wide */ 120],

      /* --- Files --- */

      "files.exclude": {
        "build": true, // made by CI
        "tmp": true
      },
      "zoom": 1.50
    }

    """

  @Test("An edit without a change keeps the JSON text the same")
  func unchanged() throws {
    #expect(try edit(Self.settings) { _ in } == Self.settings)
  }

  @Test("An edit of JSON replaces only the text of the changed value")
  func values() throws {
    let edited = try edit(Self.settings) {
      $0["editor.size"] = 13
      $0["editor.rulers"] = [80, 100]
      $0["files.exclude"] = ["build": false, "tmp": true]
      $0["zoom"] = 2.0
    }
    let meant = Self.settings.replacing("12, //", with: "13, //").replacing("120]", with: "100]")
      .replacing("\"build\": true", with: "\"build\": false").replacing("1.50", with: "2.0")
    #expect(edited == meant)
  }

  @Test("A new JSON entry follows its group, with its description above it")
  func additions() throws {
    let edited = try edit(Self.settings, about: { $0 == "editor.tabs" ? "Width\nof tabs" : nil }) {
      $0["editor.tabs"] = 4
      $0["net.proxy"] = "host"
      $0["files.exclude"] = ["build": true, "tmp": true, "logs": [1]]
      $0["editor.rulers"] = [80, 120, 140]
    }
    let meant = Self.settings
      .replacing(
        "120],\n",
        with: "120, 140],\n  // Width\n  // of tabs\n  \"editor.tabs\": 4,\n"
      )
      .replacing(
        "\"tmp\": true\n",
        with: "\"tmp\": true,\n    \"logs\": [\n      1\n    ]\n"
      )
      .replacing("1.50\n", with: "1.50,\n  \"net.proxy\": \"host\"\n")
    #expect(edited == meant)
  }

  @Test("Removing an entry from JSON also removes its comments, but not the header of its group")
  func removals() throws {
    let edited = try edit(Self.settings) {
      $0["editor.size"] = nil
      $0["files.exclude"] = ["tmp": true]
      $0["zoom"] = nil
    }
    let meant = Self.settings
      .replacing("  // In points.\n  \"editor.size\": 12, // 14 on small screens\n", with: "")
      .replacing("    \"build\": true, // made by CI\n", with: "")
      .replacing("  },\n  \"zoom\": 1.50\n", with: "  }\n")
    #expect(edited == meant)
    let empty = try edit(Self.settings) { $0 = [:] }
    #expect(
      empty == "// Settings of the team.\n{\n  // --- Editor ---\n\n\n  /* --- Files --- */\n\n}\n")
    #expect(
      try edit(empty) { $0["zoom"] = 1 }
        == empty.replacing("\n\n}\n", with: "\n\n  \"zoom\": 1\n}\n"))
  }

  @Test(
    "Elements of a JSON array that stay in order keep their comments",
    arguments: [
      (["b", "d"], ["b\", // second", "d\" // fourth"]),
      (["b", "x", "d"], ["b\", // second", "x\", // third", "d\" // fourth"]),
      (["b", "c", "x", "d"], ["b\", // second", "c\", // third", "x\",", "d\" // fourth"]),
      (["a", "d", "b"], ["a\", // first", "d\", // fourth", "b\""]),
      (
        ["x", "b", "y", "z"],
        ["x\", // first", "b\", // second", "y\", // third", "z\" // fourth"]
      ),
      (["c", "d", "b", "e"], ["c\", // third", "d\", // fourth", "b\",", "e\""]),
      ([], []),
    ])
  func arrayComments(elements: [String], lines: [String]) throws {
    func text(_ lines: [String]) -> String {
      "{\n  \"list\": [\n" + lines.map { "    \"\($0)\n" }.joined() + "  ]\n}\n"
    }
    let before = text(["a\", // first", "b\", // second", "c\", // third", "d\" // fourth"])
    let edited = try edit(before) { $0["list"] = .array(elements.map { .string($0) }) }
    #expect(edited == text(lines))
  }

  @Test("Changed elements of a JSON array beyond the limit of comparisons are edited in place")
  func longArray() throws {
    let old = (0..<1_500).map { Defaults.PropertyListValue.integer($0) }
    let text = "{\"list\": [\(old.map { "\($0)" }.joined(separator: ", "))]}"
    let new = [-1] + old[2...].dropLast(3) + [-2]
    let edited = try edit(text) { $0["list"] = .array(Array(new)) }
    #expect(
      try Defaults.JSONCDocument(Data(edited.utf8)).entries == ["list": .array(Array(new))])
  }

  @Test(
    "An edit of JSON keeps commas, line breaks, indentation and byte order mark",
    arguments: [
      ("{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":[1,2]}"),
      ("{ \"a\": 1, \"b\": 2 }\n", "{ \"b\": 2, \"c\": [1, 2] }\n"),
      ("{ \"b\": 2, \"a\": 1, }", "{ \"b\": 2, \"c\": [1, 2], }"),
      (
        "\u{feff}{\r\n\t\"a\": 1,\r\n\t\"b\": 2,\r\n}\r\n",
        "\u{feff}{\r\n\t\"b\": 2,\r\n\t\"c\": [\r\n\t\t1,\r\n\t\t2\r\n\t],\r\n}\r\n"
      ),
      ("{ \"a\": 1\n, \"b\": 2\n}", "{\n \"b\": 2,\n  \"c\": [\n    1,\n    2\n  ]\n}"),
      (
        "{ \"b\": 2 // two\n, \"a\": 1 // one\n}",
        "{ \"b\": 2, // two\n  \"c\": [\n    1,\n    2\n  ]\n}"
      ),
      ("{\"a\": 1}", "{\"b\": 2, \"c\": [1, 2]}"),
    ])
  func style(text: String, meant: String) throws {
    #expect(try edit(text) { $0 = ["b": 2, "c": [1, 2]] } == meant)
  }

  @Test("Tagged values, escaped names and the file's schema are handled like any other")
  func conventions() throws {
    let text = """
      {
        "$schema": "a.json",
        "\\u0061": {"$date": "2026-01-01T00:00:00Z"}, // the day
        "$$b": {"$data": /* none */ ""}
      }
      """
    let edited = try edit(text) {
      $0["a"] = .date(Date(timeIntervalSinceReferenceDate: 0))
      $0["$c"] = .unsignedInteger(.max)
    }
    let meant = text.replacing("2026", with: "2001").replacing(
      "\"\"}\n", with: "\"\"},\n  \"$$c\": {\"$integer\": \"18446744073709551615\"}\n")
    #expect(edited == meant)
    #expect(try edit(text) { $0 = [:] } == "{\n  \"$schema\": \"a.json\"\n}")
  }

  @Test("A new JSON text has each entry below its description")
  func newText() throws {
    let text = try Defaults.JSONCDocument.text(of: ["b": 1, "a": ["x": true]]) { "About \($0)" }
    #expect(
      String(decoding: text, as: UTF8.self)
        == "{\n  // About a\n  \"a\": {\n    \"x\": true\n  },\n  // About b\n  \"b\": 1\n}\n")
    #expect(try Defaults.JSONCDocument.text(of: [:]) == Data("{}\n".utf8))
  }

  @Test("Text that isn't JSON with comments throws with the position of the mistake")
  func mistakes() {
    let error = #expect(throws: Defaults.ConversionError.self) {
      try Defaults.JSONCDocument(Data("{\"a\": 1 \"b\": 2}".utf8))
    }
    #expect(error?.offset == 8)
  }

  @Test("The deepest value is edited on a thread with a small stack")
  func deepest() async throws {
    let depth = Defaults.PropertyListValue.maximumDepth - 1
    let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let text = "{\"a\": \(value)}"
    let meant = (1..<depth).reduce(Defaults.PropertyListValue.array([1])) { value, _ in [value] }
    let edited = try await Task.detached { try self.edit(text) { $0["a"] = meant } }.value
    #expect(edited == text.replacing("[]", with: "[1]"))
  }

  @Test(
    "Editing thousands of entries in one line or in lines takes linear time",
    .timeLimit(.minutes(3)))
  func large() throws {
    for separator in [",", ",\n"] {
      let members = (0..<20_000).map { "\"group\($0 % 7).n\($0)\": \($0)" }
      let text = "{" + members.joined(separator: separator) + "}"
      let edited = try edit(text) { entries in
        for number in 0..<20_000 {
          let name = "group\(number % 7).n\(number)"
          switch number % 3 {
          case 0: entries[name] = nil
          case 1: entries[name] = [true]
          default: entries["group\(number % 7).new\(number)"] = 1
          }
        }
      }
      #expect(edited.utf8.count > 100_000)
    }
  }

  // MARK: - Generated files

  @Test("A parser in Python finds only the intended changes in generated files")
  func judged() throws {
    guard let python = Python() else { return }
    // A sample: `StressTests` tries 10,000 files, and 750 with `--short`.
    let result = try JSONCCampaign.judge(60, seed: 32, python, in: folder.url(""))
    #expect(result.failures.isEmpty, "\(result.failures.prefix(3).joined(separator: "\n"))")
    #expect(result.edits > 200)
  }

  @Test("A check without Python finds the changed value as the only difference in a generated file")
  func oneValue() throws {
    for seed in 0..<100 as Range<UInt64> {
      var sample = JSONCSample(seed: seed)
      let text = sample.file()
      let document = try Defaults.JSONCDocument(Data(text.utf8))
      #expect(try edit(text) { _ in } == text)
      guard let name = document.entries.keys.sorted().first else { continue }
      let edited = try edit(text) { $0[name] = "a new value that no file has" }
      // One range differs, and it is exactly the new value.
      let new = "\"a new value that no file has\""
      let parts = edited.components(separatedBy: new)
      #expect(parts.count == 2)
      #expect(text.hasPrefix(parts[0]) && text.hasSuffix(parts[1]))
      // All comments outside of that value remain.
      let reset = try edit(edited) { $0[name] = document.entries[name] }
      #expect(try Defaults.JSONCDocument(Data(reset.utf8)).entries == document.entries)
    }
  }
}
