import TestSupport
import Testing

/// Common mistakes and the compiler's messages.
@Suite("Compiler messages", .tags(.slow))
struct MistakesTests {
  private static let keys = """
    import Defaults
    import Foundation
    enum Plain { case on, off }
    enum Theme: String, Defaults.Serializable { case light, dark }
    struct Device: Codable, Sendable { var name = "" }
    func load() async -> Int { 5 }
    extension Defaults.Keys {
      static let volume = Key<Int>("volume", default: 5)
      static let isOn = Key<Bool>("isOn", default: false)
      static let nickname = Key<String?>("nickname")
      static let theme = Key("theme", default: Theme.light)
      static let device = Key("device", default: Device())
    }

    """

  private static let wrongValues: [String] = [
    #"Defaults[.volume] = "loud""#,
    "Defaults[.volume] = 5.5",
    "let text: String = Defaults[.volume]; _ = text",
    #"suite[.volume] = "x""#,
    #"memory[.volume] = "x""#,
    "let text: String = memory[.volume]; _ = text",
    "if Defaults[.volume] {}",
    #"Defaults[.volume] += "a""#,
    "let name: String = Defaults[.nickname]; _ = name",
    "Defaults[.theme] = 5",
    #"try memory.transaction { draft in draft[.volume] = "loud" }"#,
  ]

  private static let invalidKeys: [(String, String)] = [
    (#"Defaults.Key<Int>("volume")"#, "a key needs a default, `Key(\"volume\", default: 5)`"),
    (#"Defaults.Key<Plain>("a", default: .on)"#, "this type can't be stored: make it `Codable`"),
    (#"Defaults.Key("a", default: Plain.on)"#, "make an enum with a raw type `Defaults"),
    (#"Defaults.Key<Plain?>("a")"#, "this type can't be stored: make it `Codable`"),
    (#"Defaults.Key<[Plain]>("a", default: [])"#, "this type can't be stored"),
    (#"Defaults.Key<[String: Any]>("a", default: [:])"#, "this type can't be stored"),
    (#"Defaults.Key("a", default: Device(), coding: .text)"#, "`.text` stores a type that is"),
    (
      #"Defaults.Key<Device?>("a", coding: .propertyList.optional)"#,
      "write the coding of the wrapped type"
    ),
    (
      #"Defaults.Key<Device?>("a", coding: .json.optional)"#,
      "write the coding of the wrapped type"
    ),
    (
      #"Defaults.Key("a", default: 5, .in(0...5), suite: .standard)"#,
      "traits come last: `Key(\"volume\", default: 5, suite: suite, .in(0...11))`"
    ),
    (
      #"Defaults.Key("a", default: 5, .in(0...5), coding: .text)"#,
      "traits come last: `Key(\"volume\", default: 5, coding: .text, .in(0...11))`"
    ),
  ]

  private static let otherCalls: [(String, String)] = [
    (
      #"let x = Defaults["volume"]; print(x as Any)"#,
      "declare a key, and write `Defaults[.volume]`"
    ),
    (#"let x = suite["volume"]; print(x as Any)"#, "declare a key, and write `suite[.volume]`"),
    (#"memory["volume"] = 3"#, "declare a key, and write `suite[.volume]`"),
    ("_ = memory.updates(.volume)", "declare the key with the suite"),
    ("try suite.transaction { $0[.volume] = await load() }", "of a transaction can't await"),
    ("try memory.update(.volume) { $0 = await load() }", "of an update can't await"),
    ("try Defaults.transaction { $0[.volume] = await load() }", "of a transaction can't await"),
    ("try Defaults.update(.volume) { $0 = await load() }", "of an update can't await"),
    ("memory.synchronize()", "a setting survives a crash when its setter returns"),
    (#"_ = Defaults.Key("a", .in(0...11), default: 5)"#, "the default comes before the traits"),
    (#"_ = Defaults.Key("a")"#, "a key needs a default"),
    (
      #"_ = Defaults.Key<[Theme]>("a", default: [], coding: .rawValue)"#,
      "for an array write `.array(of: .rawValue)`"
    ),
  ]

  private static let uselessChanges: [String] = [
    "try Defaults.update(.volume) { $0 + 1 }", "try memory.update(.volume) { _ in 7 }",
    "try suite.update(.volume) { value in return value * 2 }",
    "try memory.transaction { $0[.volume] + 1 }",
  ]

  private static let invalidProperties: [(String, String)] = [
    ("@Stored var volume: Int", "needs an initial value or an optional"),
    ("@Stored(.in(0...11)) var volume: Int", "needs an initial value or an optional"),
    (#"@Stored(.about("x")) var plain: Plain"#, "needs an initial value or an optional"),
    ("@Stored(coding: .json) var device: Device", "needs an initial value or an optional"),
    ("@Stored var plain = Plain.on", "this type can't be stored: make it `Codable`"),
    (#"@Stored("name") var volume = 5"#, "the name has a label: `@Stored(name: \"volume\")`"),
    (#"@Stored("name", .secret) var token: String?"#, "the name has a label"),
    (#"@Stored(.in(0...5), name: "q") var volume = 5"#, "'name' must precede unnamed argument"),
    (
      #"@Stored(.in(0...5), previousNames: ["q"]) var volume = 5"#,
      "extra argument 'previousNames'"
    ),
  ]

  /// The messages for each mistake, from one run of the compiler.
  private static let found = Result {
    let lines =
      wrongValues + invalidKeys.map { "_ = \($0.0)" } + otherCalls.map(\.0) + uselessChanges
    let properties = invalidProperties.map(\.0)
    let sources =
      lines.enumerated().map { "func use\($0)\(parameters) throws { \($1) }" }
      + properties.enumerated().map {
        "enum Place\($0) { struct Preferences: Defaults.Schema { \($1) } }"
      }
    return Dictionary(
      uniqueKeysWithValues: zip(
        lines + properties, try Compiler.messages(forEach: sources, after: keys)))
  }

  private static let parameters = "(_ suite: any Defaults.Suite, _ memory: Defaults.MemorySuite)"

  /// The messages for a mistake, or for lines in a function that has a suite and a memory suite.
  private func messages(for lines: String) throws -> [String] {
    if let found = try Self.found.get()[lines] { return found }
    return try Compiler.messages(
      for: Self.keys + "func use\(Self.parameters) throws {\n\(lines)\n}\n"
    ).map(\.text)
  }

  @Test(
    "A value of another type than the key's doesn't compile, with a helpful error",
    arguments: wrongValues)
  func valueOfOtherType(line: String) throws {
    let messages = try messages(for: line)
    #expect(messages.count == 1)
    #expect(
      messages.first?.hasSuffix(
        "the value isn't of the key's type: convert it, or give the key another type") == true,
      "\(messages)")
  }

  @Test(
    "An invalid key doesn't compile, and the error has the replacement",
    arguments: invalidKeys)
  func impossibleKey(expression: String, sentence: String) throws {
    let messages = try messages(for: "_ = \(expression)")
    #expect(messages.contains { $0.contains(sentence) }, "\(messages)")
    #expect(!messages.contains { $0.contains("failed to produce diagnostic") })
  }

  @Test(
    "A call from other libraries doesn't compile, and the error has the replacement",
    arguments: otherCalls)
  func callOfOtherLibrary(line: String, sentence: String) throws {
    let messages = try messages(for: line)
    #expect(messages.contains { $0.contains(sentence) }, "\(messages)")
    #expect(!messages.contains { $0.contains("failed to produce diagnostic") })
  }

  @Test(
    "The compiler warns if the body of an update or transaction only returns a value",
    arguments: uselessChanges)
  func unusedResult(line: String) throws {
    let messages = try messages(for: line)
    #expect(messages.count == 1)
    #expect(messages.first?.contains("unused") == true, "\(messages)")
  }

  @Test(
    "An invalid property of a schema doesn't compile, and the error lists the requirements",
    arguments: invalidProperties)
  func impossibleProperty(declaration: String, sentence: String) throws {
    let messages = try messages(for: declaration)
    #expect(messages.contains { $0.contains(sentence) }, "\(messages)")
  }

  @Test("A type without a bridge doesn't compile, and the error has the remedy")
  func missingBridge() throws {
    let messages = try Compiler.messages(
      for: """
        import Defaults
        enum Plain: Defaults.Serializable { case on, off }
        """
    ).map(\.text)
    #expect(
      messages.contains { $0.contains("give an enum a raw type (`enum Theme: String`)") },
      "\(messages)")
  }

  @Test("Traits may be in any order, including those that replaced parameters")
  func traitsInAnyOrder() throws {
    let messages = try Compiler.messages(
      for: Self.keys + """
        struct Preferences: Defaults.Schema {
          @Stored(.in(0...5), .renamed(from: "q")) var a = 5
          @Stored(.renamed(from: "q", "r"), .about("x"), .in(0...5)) var b = 5
          @Stored(name: "x", coding: .text, .generatedOnce, .in(0...5)) var c = 5
          @Stored(.renamed(from: "q")) var d: String?
          @Stored(.computed, .renamed(from: "e")) var e = Date()
        }
        let keys: [Defaults.AnyKey] = [
          Defaults.Key("a", default: 5, .renamed(from: "b"), .in(0...5)),
          Defaults.Key("b", default: 5, suite: .standard, .in(0...5), .renamed(from: "b")),
          Defaults.Key("c", .generatedOnce, .renamed(from: "d")) { UUID() },
          Defaults.Key<Date?>("d", coding: .iso8601, .about("x"), .renamed(from: "e")),
        ]
        """
    ).map(\.text)
    #expect(messages == [])
  }

  @Test("An unknown key doesn't compile, with the compiler's error for a missing member")
  func unknownKey() throws {
    #expect(
      try messages(for: "Defaults[.volum] = 5") == [
        "type 'Defaults.Key<Int>' has no member 'volum'"
      ])
  }

  @Test("Correct code compiles without a warning")
  func rightCode() throws {
    let lines = """
      Defaults[.volume] = 5; Defaults[.volume] += 1; suite[.volume] = Defaults[.volume] * 2 + 1
      let gain = Double(Defaults[.volume]) * 1.5, name = Defaults[.nickname] ?? "a" + "b"
      if Defaults[.isOn], Defaults[.volume] > 5 { print(gain, name) }
      memory[.nickname] = "x"; memory[.nickname] = nil; memory[.nickname]?.append("y")
      Defaults[.isOn].toggle(); Defaults[.theme] = .dark; Defaults[.device].name = "z"
      print("\\(Defaults[.volume]) and \\(memory[.volume])", [suite[.volume], 2], -Defaults[.volume])
      try memory.transaction { draft in draft[.volume] += 1 }
      _ = Defaults.Key<Date?>("a", coding: .iso8601), _ = Defaults.Key<[String: Device]>("b", default: [:])
      _ = Defaults.Key<Device?>("c"), _ = Defaults.Key("d", default: UUID(), .generatedOnce)
      Defaults.reset(.volume, .isOn); Defaults.reset("volume"); Defaults.reset(.volume, suite: memory)
      """
    #expect(try messages(for: lines.replacing(", _ =", with: "; _ =")) == [])
  }

  @Test("A call that runs no throwing closure throws only `SuiteError`")
  func typedErrors() throws {
    let lines = """
      do throws(Defaults.SuiteError) {
        try Defaults.set(5, for: .volume); _ = try Defaults.value(for: .volume)
        try suite.set(5, for: .volume); _ = try suite.value(for: .volume); try suite.flush()
        try suite.increment(.volume); try suite.setValues((.volume, 5)); try suite.migrate(to: 1, steps: [])
        try suite.importEntries(from: ["a": 1], by: .merge { _, old, _ in old })
        try suite.importUserDefaults(from: .standard, conflicts: .resolve { _, ours, _ in ours })
        _ = try suite.exportData(as: .json); try Defaults.Keys.volume.set(text: "5")
      } catch { print(error.code) }
      """
    let messages = try Compiler.messages(
      for: "import DefaultsText\n" + Self.keys + """
        func use(_ suite: Defaults.MemorySuite) {
        \(lines)
        }
        """
    ).map(\.text)
    #expect(messages == [])
  }

  @Test("A main-actor class observes without annotations", arguments: [5, 6])
  func mainActorClass(languageMode: Int) throws {
    let messages = try Compiler.messages(
      for: Self.keys + """
        @MainActor final class Controller {
          var isOn = false
          func redraw() {}
          func start(_ suite: any Defaults.Suite) {
            Defaults.observe(.isOn) { change in self.isOn = change.newValue }.tieToLifetime(of: self)
            Defaults.observe(keys: .isOn, .volume) { [weak self] in self?.redraw() }
              .tieToLifetime(of: self)
            suite.observe(nil) { _ in self.redraw() }.tieToLifetime(of: self)
          }
        }
        actor Collector {
          var seen: [Int] = []
          func start() { Defaults.observe(.volume) { self.seen.append($0.newValue) }.tieToLifetime(of: self) }
        }
        """, languageMode: languageMode)
    #expect(messages.map(\.text) == [])
  }

  @Test(
    "Sendable classes can hold an ObservableDefault; main-actor classes can use @ObservableDefault")
  func sendableClass() throws {
    let messages = try Compiler.messages(
      for: Self.keys + """
        final class Model: Sendable {
          let isOn = ObservableDefault(.isOn)
          func turnOn() { isOn.wrappedValue = true }
        }
        @MainActor final class Window {
          @ObservableDefault(.isOn) var isOn: Bool
          func turnOn() { isOn = true }
        }
        """)
    #expect(messages.map(\.text) == [])
  }
}
