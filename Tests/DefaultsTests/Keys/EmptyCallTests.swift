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

  private func messages(for lines: String) throws -> [String] {
    try Compiler.messages(
      for: Self.declarations
        + "func use(_ suite: Defaults.MemorySuite, _ preferences: Preferences) throws {\n"
        + lines + "\n}\n"
    ).map(\.text)
  }

  @Test(
    "A call without any key doesn't compile",
    arguments: [
      "Defaults.reset()", "Defaults.reset(suite: suite)", "suite.reset()",
      "try suite.transaction { draft in draft.reset() }", "_ = Defaults.updates()",
      "_ = Defaults.updates(initial: false)", "_ = Defaults.observe {}", "try suite.setValues()",
      "_ = Defaults.Selection.keys()",
      "_ = Defaults.Selection.names()", "_ = try Defaults.LayeredSuite()", "preferences.reset()",
      "_ = Preferences(namePrefix: \"a\")",
    ])
  func nothing(line: String) throws {
    #expect(!(try messages(for: line).isEmpty))
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
    #expect(try messages(for: lines) == [])
  }
}
