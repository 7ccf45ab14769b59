import TestSupport
import Testing

/// What people write before they read the documentation, from other libraries or by analogy.
@Suite("First guesses")
struct FirstGuessTests {
  private static let declarations = """
    import Defaults
    import Foundation
    extension Defaults.Keys {
      static let volume = Key("volume", default: 5)
      static let isOn = Key("isOn", default: false)
    }
    struct Preferences: Defaults.Schema { @Stored var volume = 5 }
    struct DateBridge: Defaults.Bridge {
      func serialize(_ value: Date?) -> Int? { 0 }
      func deserialize(_ object: Int?) -> Date? { Date() }
    }
    let memory = Defaults.MemorySuite(), preferences = Preferences.standard

    """

  /// Each guess, and a part of the sentence that says what to write.
  private static let calls: [(String, String)] = [
    ("Defaults.reset()", "name the settings, `Defaults.reset(.volume)`"),
    ("memory.reset()", "name the settings, `suite.reset(.volume)`"),
    ("Defaults.remove(.volume)", "write `Defaults.reset(.volume)`"),
    ("Defaults.removeAll(.volume)", "write `Defaults.reset(.volume)`"),
    ("Defaults.toggle(.isOn)", "{ $0.toggle() }"),
    ("try Defaults.set(.volume, 5)", "the value comes first"),
    ("try Defaults.set(.volume, to: 5)", "the value comes first"),
    ("_ = Defaults.get(.volume)", "write `Defaults[.volume]`"),
    ("Defaults[.volume] = nil", "only an optional setting can be nil"),
    (#"Defaults.set(5, forKey: "volume")"#, "declare a key"),
    (#"_ = Defaults.value(forKey: "volume")"#, "declare a key"),
    (#"_ = Defaults.object(forKey: "volume")"#, "declare a key"),
    (#"_ = Defaults.string(forKey: "volume")"#, "declare a key"),
    (#"_ = Defaults.integer(forKey: "volume")"#, "declare a key"),
    (#"_ = Defaults.bool(forKey: "isOn")"#, "declare a key"),
    (#"_ = memory.value(forKey: "volume")"#, "to read by name, use `object(forKey:)`"),
    (#"memory.setValue(5, forKey: "volume")"#, "to set by name, use `set(_:forKey:)`"),
    (#"Defaults.register(defaults: ["volume": 5])"#, "`Defaults.standard.register(defaults:)`"),
    ("Defaults.suite = memory", "the program's suite is `Defaults.standard`"),
    ("_ = memory.observe(.volume) { _ in }", "declare the key with the suite"),
    ("for await x in preferences.$volume.updates { print(x) }", "write `Defaults.updates(key)`"),
    ("_ = Preferences(suite: UserDefaults.standard)", "the suite `.userDefaults(.standard)`"),
    ("preferences.reset()", "`resetAll()` resets all settings"),
    (#"preferences.reset(\.volume)"#, "`resetAll()` resets all settings"),
    (#"_ = Defaults.PropertyListSuite("settings.plist")"#, "a suite has a name"),
    (#"_ = try Defaults.PropertyListSuite(path: "settings.plist")"#, "a file is a URL"),
    (#"_ = Defaults.Key("a", 5)"#, "the default has a label"),
    (#"_ = Defaults.Key("a", defaultValue: 5)"#, "the label is `default`"),
    (#"_ = Defaults.Key("a", default: "x", isSecret: true)"#, "a secret has a trait"),
    (#"_ = Defaults.Key("a", default: Date(), coding: DateBridge())"#, "a bridge is a coding"),
    (#"_ = Defaults.Key("a", default: Date(), bridge: DateBridge())"#, "a bridge is a coding"),
    (#"_ = Defaults.Key("a", default: 5, .in([1, 2]))"#, "a list of values is `.choices([1, 2])`"),
    (#"_ = Defaults.Key("a", default: 5, .choices(1, 2))"#, "the choices are an array"),
    (#"_ = Defaults.Key("a", default: "x", .count(8))"#, "the count is a range"),
    (#"_ = Defaults.Key("a", default: "x", .matching(/a+/))"#, "the pattern is text"),
    (#"_ = Defaults.Key("a", default: 5, .range(0...5))"#, "limits are `.in(0...11)`"),
    (#"_ = Defaults.Key("a", default: 5, .min(0), .max(9))"#, "limits are `.in(0...11)`"),
  ]

  private static let properties: [(String, String)] = [
    ("@Stored(default: 5) var volume: Int", "the initial value is the default"),
    (#"@Stored(key: "volume") var volume = 5"#, "the label is `name`"),
  ]

  private static let bridges: [(String, String)] = [
    (
      """
      typealias Value = Money
      func encode(_ value: Money) throws -> Defaults.PropertyListValue { 1 }
      func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Money {
        Money()
      }
      """, "implement `encode(_:)` with `throws(Defaults.ConversionError)`"
    ),
    (
      """
      func encode(_ value: Money) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
        1
      }
      func decode(_ stored: Defaults.PropertyListValue) throws -> Money { Money() }
      """, "implement `decode(_:)` with `throws(Defaults.ConversionError)`"
    ),
  ]

  @Test("A bridge whose defaults would call each other doesn't compile")
  func bridgeWithoutConversion() throws {
    let sources = Self.bridges.enumerated().map {
      "struct Bridge\($0): Defaults.PropertyListBridge { \($1.0) }"
    }
    let messages = try Compiler.messages(
      forEach: sources, after: "import Defaults\nstruct Money {}\n")
    for (guess, texts) in zip(Self.bridges, messages) {
      #expect(texts.contains { $0.contains(guess.1) }, "\(texts)")
    }
  }

  @Test("A plausible but wrong call doesn't compile, and the error shows the correct call")
  func sentences() throws {
    let sources =
      Self.calls.enumerated().map { "func guess\($0)() async throws { \($1.0) }" }
      + Self.properties.enumerated().map { "struct Guess\($0): Defaults.Schema { \($1.0) }" }
    let messages = try Compiler.messages(forEach: sources, after: Self.declarations)
    for (guess, texts) in zip(Self.calls + Self.properties, messages) {
      #expect(texts.contains { $0.contains(guess.1) }, "\(guess.0): \(texts)")
    }
  }
}
