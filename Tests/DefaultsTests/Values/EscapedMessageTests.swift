import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Escaping of control characters in messages", .prompt)
struct EscapedMessageTests {
  static let texts = ["a\nb", "a\rb", "a\u{1B}[31mb", "a\0b", "a\u{2028}b", "a\u{202E}b"]
  /// Without NUL, which no path can have.
  static let pathTexts = texts.filter { !$0.contains("\0") }

  private func check(_ message: String, names text: String, line: Int = #line) {
    let location = SourceLocation(
      fileID: #fileID, filePath: #filePath, line: line, column: 1)
    #expect(message.contains(escaped(text)), sourceLocation: location)
    #expect(escapedMessage(message) == message, sourceLocation: location)
  }

  /// The error that a closure throws, as text.
  private func message(of body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("An error about a long text quotes only its beginning and its end")
  func longText() {
    let text = "start" + String(repeating: "é", count: 1 << 20) + "end"
    let message = "\(Defaults.ConversionError("\"\(text)\" isn't a UUID"))"
    #expect(message.contains("\"starté"))
    #expect(message.contains("éend\" isn't a UUID"))
    #expect(message.utf8.count < 2_000)
  }

  @Test("An error is described in one line with its names escaped", arguments: texts)
  func errors(text: String) {
    let errors: [any Error] = [
      Defaults.SuiteError(.malformed, "it is wrong", path: text),
      Defaults.SuiteError(.invalid, "it isn't \(text)", suite: text, key: text),
      Defaults.ConversionError("it isn't \(text)", path: [text]),
      Defaults.ConversionError("the key \(text) stands twice", offset: 3),
    ]
    for error in errors { check("\(error)", names: text) }
    let error = Defaults.SuiteError(.invalid, "no", suite: text, key: text)
    check(Defaults.Issue(error).description, names: text)
    #expect(error.key == text && error.suite == text)
  }

  @Test("The text of an error inside another error isn't escaped twice", arguments: texts)
  func nested(text: String) {
    let inner = Defaults.ConversionError("no", path: [text])
    #expect(Defaults.SuiteError(.undecodable, "\(inner)").description == inner.description)
  }

  @Test(
    "A key with a control character is escaped in the messages of the key and its suite",
    arguments: texts)
  func keys(text: String) throws {
    let suite = Defaults.MemorySuite(label: text)
    let key = Defaults.Key(text, default: 5, suite: suite, .in(0...11))
    check(message { try suite.set(99, for: key) }, names: text)
    check("\(key)", names: text)
    check("\(suite)", names: text)
    try suite.transaction { draft in
      try draft.set(6, for: key)
      check("\(draft)", names: text)
    }
    check(key.problem(with: "text")?.description ?? "", names: text)
    check("\(Defaults.UnknownName.all(in: [text], declaring: []))", names: text)
  }

  @Test("A change of a key with a control character is described in one line", arguments: texts)
  func changes(text: String) throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key(text, default: "", suite: suite)
    var descriptions: [String] { seen.withLock { $0 } }
    let seen = Lock([String]())
    let observations: [any Defaults.Observation] = [
      suite.observe([text]) { change in seen.withLock { $0.append("\(change)") } },
      Defaults.observe(key, options: []) { change in
        seen.withLock { $0.append("\(text): \(change)".replacing(text, with: escaped(text))) }
      },
    ]
    try suite.set(text, for: key)
    withExtendedLifetime(observations) {}
    #expect(descriptions.count == 2)
    for description in descriptions {
      #expect(description.contains(escaped(text)))
      #expect(escapedMessage(description) == description)
    }
  }

  @Test("A rejected or skipped import has the escaped name of the entry", arguments: texts)
  func imports(text: String) throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key(text, default: 5, suite: suite, .in(0...11))
    let json = try JSONSerialization.data(withJSONObject: [text: 99])
    let words = String(decoding: json, as: UTF8.self)
    check(message { try suite.importEntries(from: words, as: .json) }, names: text)
    let twice = "{\(quoted(text)): 1, \(quoted(text)): 2}"
    check(message { try suite.importEntries(from: twice, as: .json) }, names: text)
    check(message { try suite.set(text: "loud", for: key) }, names: text)
  }

  private func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }

  private struct Profile: Codable, Defaults.Serializable, Sendable {
    var ages: [String: Int]
  }

  @Test("A path inside a structure is escaped", arguments: texts)
  func structures(text: String) throws {
    let key = Defaults.Key<Profile?>("profile", suite: Defaults.MemorySuite())
    let problem = key.problem(with: .string("{\"ages\": {\(quoted(text)): \"old\"}}"))
    check(problem?.description ?? "", names: text)
  }

  @Test("A path of a file is escaped in its errors and issues", arguments: pathTexts)
  func paths(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("not a property list", to: text)
    let issues = Lock([String]())
    let suite = try Defaults.PropertyListSuite(url: folder.url(text)) { issue in
      issues.withLock { $0.append("\(issue)") }
    }
    check("\(suite)", names: text)
    let all = issues.withLock { $0 }
    #expect(!all.isEmpty)
    for issue in all { check(issue, names: text) }
    try folder.write("not a property list", to: "layer" + text)
    let layers = try Defaults.LayeredSuite(.file(folder.url("layer" + text)), .writable(suite))
    for problem in layers.layerProblems(declaring: []) { check("\(problem.error)", names: text) }
    #expect(!layers.layerProblems(declaring: []).isEmpty)
  }

  @Test("The message of a trap escapes the key")
  func trap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key("a\nb\u{202E}", default: 99, suite: Defaults.MemorySuite(), .in(0...11))
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains(#"the default of "a\u{A}b\u{202E}" violates a rule"#))
  }
}
