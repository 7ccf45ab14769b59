import Testing

/// Mistakes that people make, and what the compiler says of them.
@Suite("Mistakes")
struct MistakesTests {
  private static let keys = """
    import Defaults
    import Foundation
    enum Plain { case on, off }
    enum Theme: String, Defaults.Serializable { case light, dark }
    struct Device: Codable, Sendable { var name = "" }
    extension Defaults.Keys {
      static let volume = Key<Int>("volume", default: 5)
      static let isOn = Key<Bool>("isOn", default: false)
      static let nickname = Key<String?>("nickname")
      static let theme = Key("theme", default: Theme.light)
      static let device = Key("device", default: Device())
    }

    """

  /// What is said of a few lines in a function that has a suite and a draft.
  private func messages(for lines: String) throws -> [String] {
    try Compiler.messages(
      for: Self.keys
        + "func use(_ suite: any Defaults.Suite, _ memory: Defaults.MemorySuite) throws {\n"
        + lines + "\n}\n"
    ).map(\.text)
  }

  @Test(
    "A value of another type than the key's is refused with a sentence",
    arguments: [
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
    ])
  func valueOfOtherType(line: String) throws {
    let messages = try messages(for: line)
    #expect(messages.count == 1)
    #expect(
      messages.first?.hasSuffix(
        "the value isn't of the key's type: convert it, or give the key another type") == true,
      "\(messages)")
  }

  @Test(
    "A key that can't be is refused with what to write instead",
    arguments: [
      (#"Defaults.Key<Int>("volume")"#, "a key needs a default, `Key(\"volume\", default: 5)`"),
      (#"Defaults.Key<Plain>("a", default: .on)"#, "this type can't be stored: make it `Codable`"),
      (#"Defaults.Key("a", default: Plain.on)"#, "this type can't be stored: make it `Codable`"),
      (#"Defaults.Key<Plain?>("a")"#, "this type can't be stored: make it `Codable`"),
      (#"Defaults.Key<[Plain]>("a", default: [])"#, "this type can't be stored"),
      (#"Defaults.Key<[String: Any]>("a", default: [:])"#, "this type can't be stored"),
    ])
  func impossibleKey(expression: String, sentence: String) throws {
    let messages = try messages(for: "_ = \(expression)")
    #expect(messages.contains { $0.contains(sentence) }, "\(messages)")
    #expect(!messages.contains { $0.contains("failed to produce diagnostic") })
  }

  @Test(
    "A property with traits that can't be a setting is refused with what it needs",
    arguments: ["@Stored(.in(0...11)) var volume: Int", #"@Stored(.about("x")) var plain: Plain"#])
  func impossibleProperty(declaration: String) throws {
    let messages = try Compiler.messages(
      for: Self.keys + "struct Preferences: Defaults.Schema {\n\(declaration)\n}\n"
    ).map(\.text)
    #expect(
      messages.contains { $0.contains("needs an initial value or an optional") }, "\(messages)")
  }

  @Test("A name that no key has is said to be none")
  func unknownKey() throws {
    #expect(
      try messages(for: "Defaults[.volum] = 5") == [
        "type 'Defaults.Key<Int>' has no member 'volum'"
      ])
  }

  @Test("Right code compiles without a word")
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
      _ = Defaults.Key<Device?>("c"), _ = Defaults.Key("d", initial: UUID())
      Defaults.reset(.volume, .isOn); Defaults.reset("volume"); Defaults.reset(.volume, suite: memory)
      """
    #expect(try messages(for: lines.replacing(", _ =", with: "; _ =")) == [])
  }

  @Test("A main-actor class observes as it would anywhere else", arguments: [5, 6])
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

  @Test("A Sendable class has an observable setting as a constant, one of an actor as an attribute")
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
