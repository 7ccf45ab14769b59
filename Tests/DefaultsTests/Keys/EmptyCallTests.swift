import TestSupport
import Testing

/// Calls without arguments, which would do nothing.
@Suite("Calls without keys")
struct EmptyCallTests {
  private static let declarations = """
    import Defaults
    import DefaultsLayers
    extension Defaults.Keys {
      static let volume = Key("volume", default: 5)
      static let isOn = Key("isOn", default: false)
    }
    struct Preferences: Defaults.Schema { @Stored var volume = 5 }

    """

  private static let calls = [
    "Defaults.reset()", "Defaults.reset(suite: suite)", "suite.reset()",
    "try suite.transaction { draft in draft.reset() }", "_ = Defaults.updates()",
    "_ = Defaults.updates(initial: false)", "_ = Defaults.observe {}", "try suite.setValues()",
    "_ = Defaults.Selection.keys()",
    "_ = Defaults.Selection.names()", "_ = try Defaults.LayeredSuite()", "preferences.reset()",
    "_ = Preferences(namePrefix: \"a\")",
  ]

  /// The messages for each call, from one run of the compiler.
  private static let found = Result {
    let sources = calls.enumerated().map { "func use\($0)\(parameters) throws { \($1) }" }
    return Dictionary(
      uniqueKeysWithValues: zip(
        calls, try Compiler.messages(forEach: sources, after: declarations)))
  }

  private static let parameters = "(_ suite: Defaults.MemorySuite, _ preferences: Preferences)"

  @Test(
    "A call without any key doesn't compile",
    arguments: calls)
  func nothing(line: String) throws {
    #expect(try Self.found.get()[line]?.isEmpty == false)
  }

  @Test("A call with one key, several, an array or a set compiles")
  func some() throws {
    let lines = """
      Defaults.reset(.volume); Defaults.reset(.volume, .isOn); Defaults.reset([.volume, .isOn])
      Defaults.reset("a"); Defaults.reset("a", "b"); Defaults.reset(["a", "b"])
      Defaults.reset(.volume, suite: suite); suite.reset(.volume, .isOn); suite.reset([.volume])
      let keys: Set<Defaults.Keys> = [.volume, .isOn]
      Defaults.reset(keys); suite.reset(keys); _ = Defaults.updates(keys)
      try suite.transaction { draft in draft.reset(.volume, .isOn) }
      _ = Defaults.updates(.volume); _ = Defaults.updates(.volume, .isOn)
      _ = Defaults.updates(.volume, .isOn, .volume, initial: false); _ = Defaults.updates([.volume])
      _ = Defaults.observe(keys: .volume) {}; _ = Defaults.observe(keys: .volume, .isOn) {}
      _ = Defaults.observe(keys: [.volume, .isOn]) {}; _ = Defaults.observe(keys: keys) {}
      try suite.setValues((.volume, 1)); try suite.setValues((.volume, 1), (.isOn, true))
      preferences.resetAll(); preferences.$volume.reset(); _ = Preferences.standard
      """
    let source = Self.declarations + "func use\(Self.parameters) throws {\n\(lines)\n}\n"
    #expect(try Compiler.messages(for: source).map(\.text) == [])
  }
}
