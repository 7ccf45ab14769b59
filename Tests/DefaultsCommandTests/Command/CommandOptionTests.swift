import Defaults
import DefaultsCommand
import Testing

@Suite("Options of the settings command")
struct CommandOptionTests {
  private static let fleet = Invocation.Option(name: "--fleet", summary: "")
  private static let wait = Invocation.Option(name: "--wait", value: "SECONDS", summary: "")

  private func parse(_ words: String..., takesRest: Bool = false) throws -> Invocation {
    try Invocation(
      words, [Self.fleet, Self.wait], takesRest: takesRest, misuse: UsageError("misuse")
    ) { UsageError("unknown \($0)") }
  }

  @Test(
    "An option or --help among the values of a verb is an error that says what to do",
    arguments: ["--fleet", "--wait", "--help"])
  func optionAmongValues(option: String) throws {
    for words in [["token", option], ["token", "a", option, "b"]] {
      let error = #expect(throws: UsageError.self) {
        try Invocation(
          words, [Self.fleet, Self.wait], takesRest: true, misuse: UsageError("misuse")
        ) { UsageError("unknown \($0)") }
      }
      #expect(
        error?.description
          == "\(option) is an option; write options before \"token\", or write -- before the "
          + "values if it is a value")
    }
  }

  @Test("After --, an option is a value, and so is another word that begins with a dash")
  func optionAsValue() throws {
    #expect(try parse("token", "--", "--fleet", takesRest: true).operands == ["token", "--fleet"])
    #expect(try parse("--", "token", "--help", takesRest: true).operands == ["token", "--help"])
    #expect(
      try parse("token", "a", "--", "--fleet", "--", takesRest: true).operands
        == ["token", "a", "--fleet", "--"])
    #expect(try parse("token", "--x", "-1", takesRest: true).operands == ["token", "--x", "-1"])
    let invocation = try parse("--fleet", "--wait", "5", "token", "a", takesRest: true)
    #expect(invocation.operands == ["token", "a"])
    #expect(invocation.has(Self.fleet) && invocation[Self.wait] == "5")
  }

  @Test("The set, add and remove verbs reject --help after the name and change nothing")
  func help() throws {
    let suite = Defaults.MemorySuite()
    let keys: [Defaults.AnyKey] = [
      Defaults.Key<String?>("token", suite: suite),
      Defaults.Key<[String]>("tags", default: [], suite: suite),
    ]
    let command = Defaults.Command(keys, suite: suite, name: "tool")
    for arguments in [
      ["set", "token", "--help"], ["add", "tags", "a", "--help"], ["remove", "tags", "--help"],
    ] {
      let error = #expect(throws: Defaults.CommandError.self) { try command.run(arguments) }
      #expect(error?.status == 64)
    }
    #expect(suite.entries == [:])
    try command.run(["set", "token", "--", "--help"])
    #expect(suite.entries == ["token": "--help"])
  }

  @Test("An option or -- isn't the value of the option before it, unless = joins them")
  func valueOfOption() throws {
    for word in ["--fleet", "--fleet=1", "--wait", "--"] {
      let error = #expect(throws: UsageError.self) { try parse("--wait", word) }
      #expect(error?.description == "misuse")
    }
    #expect(throws: UsageError.self) { try parse("--wait") }
    #expect(try parse("--wait=--fleet")[Self.wait] == "--fleet")
    for word in ["-1", "--other", "-", "", "a=b"] {
      #expect(try parse("--wait", word)[Self.wait] == word)
    }
  }
}
