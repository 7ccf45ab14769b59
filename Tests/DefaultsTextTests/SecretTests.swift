import Defaults
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
  private static let value = "hunter2-4711"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Collects everything that a program might show.
  private final class Shown {
    private(set) var texts: [String] = []

    func show(_ value: Any) {
      texts += ["\(value)", String(reflecting: value)]
    }

    func dump(_ value: Any) {
      var text = ""
      Swift.dump(value, to: &text)
      texts.append(text)
    }

    func error(_ body: () throws -> Void) {
      do { try body() } catch { show(error) }
    }
  }

  struct Preferences: Defaults.Schema {
    @Stored(name: "SecretTests.password", .secret, .count(...40), .about("For the server"))
    var password = ""
    @Stored(name: "SecretTests.shown") var shown = 1
  }

  @Test("A secret isn't in any text that is printed, thrown, reported or exported")
  func nowhere() async throws {
    let secret = Self.value
    let shown = Shown()
    let issues = IssueLog()
    let changes = Log<String>()
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("s.plist"), onIssue: { issues.append($0) })
    let token = Defaults.Key<String?>(
      "SecretTests.token", suite: suite, .secret, .count(4...), .renamed(from: "SecretTests.old"))
    let pin = Defaults.Key("SecretTests.pin", default: 0, suite: suite, .secret, .in(0...9_999))
    let page = Defaults.Key<URL?>("SecretTests.page", suite: suite, .secret)
    let list = Defaults.Key(
      "SecretTests.list", default: [String](), suite: suite, .each(.count(1...20)), .each(.secret))
    let preferences = Preferences(suite: suite)

    // Observed in all ways.
    let observations: [any Defaults.Observation] = [
      Defaults.observe(token, options: [.initial, .prior]) { changes.append("\($0) \([$0])") },
      suite.observe(nil) { changes.append("\($0) \([$0])") },
    ]
    suite.set(.string(secret), forKey: "SecretTests.old")
    _ = Defaults[token]
    Defaults[token] = secret + "2"
    Defaults[token] = secret
    preferences.password = secret
    Defaults[list] = [secret]
    for observation in observations { observation.invalidate() }

    // Values that are invalid, unreadable or can't be stored.
    Defaults[token] = "x"
    suite.set(.string(secret + " "), forKey: page.name)
    shown.error { _ = try suite.value(for: page) }
    shown.show(Defaults[page] as Any)
    suite.set(4_711_000, forKey: pin.name)
    shown.error { _ = try suite.value(for: pin) }
    shown.error { try suite.set(4_711_001, for: pin) }
    shown.error { try pin.set(text: secret) }
    shown.error { try token.set(text: "abc") }
    shown.error { try list.set(text: "\(secret),\(secret)\(secret)") }
    shown.error { try page.set(text: "\(secret) \(secret)") }
    shown.error { try suite.set([secret, secret + secret], for: list) }
    shown.error { try suite.importEntries(from: [pin.name: 47_110]) }
    shown.error { try suite.increment(pin, by: .max) }
    let large: Int128 = 47_110_000_000_000_000_000_000_000
    suite.set(large as Any, forKey: pin.name)
    suite.set(["x": large] as Any, forKey: pin.name)
    suite.register(defaults: [pin.name: large] as [String: Any])
    try suite.transaction { draft in
      try draft.set(secret + "3", for: token)
      shown.show(draft)
      draft[pin] = 4_711_002
    }

    // Descriptions.
    for key in [token, pin, page, list] as [Defaults.AnyKey] {
      shown.show(key)
      shown.dump(key)
      shown.show([key.acceptedValues, key.defaultText ?? "", key.choices ?? []])
    }
    shown.show(suite)
    shown.show(try suite.fileSizes())
    for property in preferences.storedProperties { shown.show(property) }
    shown.show(preferences)
    shown.show(Defaults.Selection.keys(token))
    shown.show(suite.unknownNames(declaring: [pin]))

    // Exports.
    let binary = try suite.exportData(as: .plist(.binary))
    shown.show(String(decoding: binary, as: UTF8.self))
    shown.show(try suite.exportString(as: .json))
    shown.show(try suite.exportString(.keys(token, pin, page), as: .plist))
    try suite.export(to: folder.url("export.json"), as: .json)
    shown.show(try String(contentsOf: folder.url("export.json"), encoding: .utf8))
    shown.show(Defaults.jsonSchema(of: [token, pin, page, list]))
    shown.show(Preferences.jsonSchema())
    let report = try suite.importEntries(
      from: [token.name: .string(secret), page.name: .string(secret + " ")])
    shown.show(report)
    shown.show(issues.all)
    shown.show(changes.all)

    let text = shown.texts.joined(separator: "\n")
    #expect(!text.contains(secret))
    #expect(!text.contains("4711"))
    #expect(changes.all.contains { $0.contains("(secret)") })
    #expect(text.contains("SecretTests.token"))
    #expect(issues.codes.contains(.secretsLeftOut))
    #expect(
      issues.all.contains {
        $0.error.reason.hasPrefix("5 secret settings were left out of an export")
      })

    // An explicit request returns the value.
    #expect(token.text == secret + "3" || token.text == secret)
    #expect(try suite.exportString(.all.includingSecrets, as: .json).contains(secret))
  }

  @Test("A secret that is used in another suite is secret there, too")
  func otherSuite() throws {
    let token = Defaults.Key<String?>(
      "SecretTests.elsewhere", suite: Defaults.MemorySuite(), .secret)
    let suite = Defaults.MemorySuite(onIssue: { _ in })
    suite[token] = Self.value
    suite.set(1, forKey: "SecretTests.open")
    #expect(try suite.exportString(as: .compactJSON) == #"{"SecretTests.open":1}"#)
    // A suite that the key wasn't used with has another setting of this name.
    let other = Defaults.MemorySuite(["SecretTests.elsewhere": 5])
    #expect(try other.exportString(as: .compactJSON) == #"{"SecretTests.elsewhere":5}"#)
  }

  @Test("A suite that imports or reads a secret of another suite redacts the secret")
  func imported() throws {
    let token = Defaults.Key<String?>(
      "SecretTests.imported", suite: Defaults.MemorySuite(), .secret)
    let (one, other) = (Defaults.MemorySuite(onIssue: { _ in }), Defaults.MemorySuite())
    try one.importEntries(.keys(token), from: [token.name: .string(Self.value)])
    #expect(try one.exportString(as: .compactJSON) == "{}")
    // The entry is stored after the first read.
    #expect(other[token] == nil)
    other.set(.string(Self.value), forKey: token.name)
    #expect(try other.exportString(as: .compactJSON) == "{}")
  }

  @Test("The error for an invalid text doesn't repeat it if a secret of the suite has the name")
  func invalidText() throws {
    let suite = Defaults.MemorySuite(onIssue: { _ in })
    for name in ["SecretTests.number", "SecretTests.ids", "SecretTests.pairs"] {
      _ = Defaults.Key<String?>(name, suite: suite, .secret)
    }
    // These keys aren't secret.
    let number = Defaults.Key<Int?>("SecretTests.number", suite: suite)
    let ids = Defaults.Key<Set<UUID>>("SecretTests.ids", default: [], suite: suite)
    let pairs = Defaults.Key<[String: UUID]>("SecretTests.pairs", default: [:], suite: suite)
    let shown = Shown()
    shown.error { try suite.set(text: Self.value, for: number) }
    shown.error { _ = try ids.edit(ofEntry: [.string(Self.value)], in: suite) }
    for change in [Defaults.ElementChange.replacing, .adding, .removing] {
      shown.error { _ = try ids.edit(ofElements: [Self.value], change, in: suite) }
      shown.error { _ = try pairs.edit(ofElements: [Self.value], change, in: suite) }
      shown.error { _ = try pairs.edit(ofElements: ["a=\(Self.value)"], change, in: suite) }
    }
    #expect(shown.texts.count == 2 * 11)
    #expect(!shown.texts.joined(separator: "\n").contains("hunter"))
  }

  @Test("The names in a secret dictionary are redacted as part of the value")
  func dictionary() throws {
    let key = Defaults.Key<[String: String]>(
      "SecretTests.map", default: [:], suite: Defaults.MemorySuite(), .secret, .each(.count(...3)))
    #expect {
      try key.suite.set([Self.value: "long"], for: key)
    } throws: {
      "\($0)".hasSuffix(": an element: the value must have at most 3 characters")
    }
  }

  @Test("A dump of changes and drafts redacts secrets")
  func dumps() throws {
    let suite = Defaults.MemorySuite()
    let token = Defaults.Key<String?>("SecretTests.dumped", suite: suite, .secret)
    let shown = Shown()
    let texts = Log<String>()
    @Sendable func dumped(_ value: Any) -> String {
      var text = ""
      Swift.dump(value, to: &text)
      return text
    }
    let observations: [any Defaults.Observation] = [
      Defaults.observe(token, options: [.prior]) { texts.append(dumped($0)) },
      suite.observe(nil) { texts.append(dumped($0)) },
    ]
    try suite.transaction { draft in
      draft[token] = Self.value
      shown.dump(draft)
    }
    for observation in observations { observation.invalidate() }
    #expect(texts.all.count == 3)
    #expect(!(texts.all + shown.texts).joined().contains(Self.value))
  }

  @Test("Two keys of one name, only one of them secret, are reported as an issue")
  func disagreement() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(onIssue: { issues.append($0) })
    _ = Defaults.Key<String?>("SecretTests.twice", suite: suite, .secret)
    _ = Defaults.Key<String?>("SecretTests.twice", suite: suite, .secret)
    #expect(issues.all.isEmpty)
    _ = Defaults.Key<String?>("SecretTests.twice", suite: suite)
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.all.first?.error.reason.contains("one is secret") == true)
  }

  @Test("The file of a secret is private to its owner")
  func fileMode() throws {
    let url = folder.url("new/s.plist")
    let suite = try Defaults.PropertyListSuite(url: url)
    suite[Defaults.Key<String?>("SecretTests.mode", suite: suite, .secret)] = Self.value
    try suite.flush(.snapshot)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
