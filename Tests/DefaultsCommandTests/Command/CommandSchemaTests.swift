import Defaults
import DefaultsCommand
import TestSupport
import Testing

/// The schema of the README's sample.
private struct CommandPreferences: Defaults.Schema {
  @Stored(.in(0...11)) var volume = 5
  @Stored var nickname: String?
}

@Suite("The settings command of a schema")
struct CommandSchemaTests {
  @Test("A settings command of a schema has the schema's settings, in the given suite")
  func schema() throws {
    let suite = Defaults.MemorySuite()
    let command = Defaults.Command(CommandPreferences.self, suite: suite, name: "mytool settings")
    let error = #expect(throws: Defaults.CommandError.self) {
      try command.run(["set", "volume", "99"])
    }
    #expect(error?.status == 64)
    #expect(error?.description.contains("0 to 11") == true)
    let unknown = #expect(throws: Defaults.CommandError.self) { try command.run(["frob"]) }
    #expect(unknown?.description.hasPrefix("there is no command \"frob\"") == true)
    #expect(suite.entries.isEmpty)
  }
}
