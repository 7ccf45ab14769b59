import Defaults
import DefaultsCommand
import Testing

@Suite("The suite of a settings command")
struct CommandSuiteTests {
  @Test("A command without a suite reads and writes the suite of its keys")
  func suiteOfKeys() throws {
    let suite = Defaults.MemorySuite()
    let volume = Defaults.Key("CommandSuite.volume", default: 3, suite: suite)
    let theme = Defaults.Key("CommandSuite.theme", default: "light", suite: suite)
    try Defaults.withSuite(Defaults.MemorySuite()) {
      let command = Defaults.Command([volume, theme], name: "tool")
      try command.run(["unset", "CommandSuite.theme"])
      try command.run(["set", "CommandSuite.volume", "7"])
      #expect(Defaults.standard.entries.isEmpty)
    }
    #expect(suite.entries == ["CommandSuite.volume": 7])
  }

  @Test("A command without a suite uses the standard suite if the suites of its keys differ")
  func differentSuites() throws {
    let suite = Defaults.MemorySuite()
    let volume = Defaults.Key("CommandSuite.volume", default: 3, suite: suite)
    let theme = Defaults.Key("CommandSuite.theme", default: "light")
    try Defaults.withSuite(Defaults.MemorySuite()) {
      try Defaults.Command([volume, theme], name: "tool").run(["set", "CommandSuite.volume", "7"])
      #expect(Defaults.standard.entries == ["CommandSuite.volume": 7])
    }
    #expect(suite.entries.isEmpty)
  }
}
