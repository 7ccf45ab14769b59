import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let token = Key<String?>("commandToken", .secret, .about("how to sign in"))
  fileprivate static let volume = Key("volume", default: 3, .in(0...11))
  fileprivate static let theme = Key("theme", default: "light")
}

@Suite("The settings command on layers and with secrets", .prompt, .timeLimit(.aHang))
struct CommandLayerTests {
  /// Runs a command in a process of its own, with layers around a suite in memory.
  private func run(_ arguments: String...) async throws -> CommandOutcome {
    try await run(arguments)
  }

  private func run(_ arguments: [String]) async throws -> CommandOutcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [arguments = arguments as [String]] in
      let suite = try Defaults.LayeredSuite(
        Defaults.Layer("policy", Policy(entries: ["theme": "dark"]), isManaged: true),
        .environment(prefix: "APP_", ["APP_VOLUME": "7", "APP_COMMAND_TOKEN": "hunter2"]),
        .writable(Defaults.MemorySuite(["volume": 5])), .values(["volume": 1], name: "site"))
      let command = Defaults.Command(
        [.volume, .theme, .token], suite: suite, name: "tool settings")
      CommandOutcome.report(of: command, arguments)
      exit(7)
    }
    return CommandOutcome(result)
  }

  @Test("The list verb shows the layer of each value")
  func list() async throws {
    let list = try await run("list")
    #expect(list.lines.contains("volume        7         (environment)"))
    #expect(list.lines.contains("theme         dark      (policy)"))
    #expect(list.lines.contains("commandToken  (secret)  (environment)"))
    #expect(list.status == 0)
  }

  @Test("The set verb reports an overridden setting, with the source that overrides it")
  func shadowed() async throws {
    let set = try await run("set", "volume", "9")
    #expect(set.lines.contains("volume = 7"))
    #expect(set.error.contains("volume is overridden by APP_VOLUME"))
    #expect(set.status == 0)
  }

  @Test("The unset verb reports the source that still gives a value")
  func unsetShadowed() async throws {
    let unset = try await run("unset", "volume", "commandToken")
    #expect(unset.lines == ["volume = 7", "commandToken = (secret)"])
    #expect(unset.error.contains("volume is still set by APP_VOLUME\n"))
    #expect(unset.error.contains("commandToken is still set by APP_COMMAND_TOKEN\n"))
    #expect(!unset.error.contains("overridden") && unset.status == 0)
  }

  @Test("The unset verb shows that a secret has no value anymore")
  func unsetSecret() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
    ) {
      let suite = Defaults.MemorySuite(["commandToken": "hunter2"])
      let command = Defaults.Command([.token], suite: suite, name: "tool settings")
      CommandOutcome.report(of: command, ["unset", "commandToken"])
      exit(7)
    }
    #expect(CommandOutcome(result).lines == ["commandToken = (none)"])
  }

  @Test("The set verb rejects a managed setting with a distinct status")
  func managed() async throws {
    let set = try await run("set", "theme", "light")
    #expect(set.status == 77)
    #expect(set.error.contains("\"theme\"") && set.error.contains("Policy"))
    #expect(try await run("explain", "theme").output.contains("it can't be changed here"))
  }

  @Test(
    "A secret is redacted in the output of every verb",
    arguments: [
      ["list"], ["list", "--json"], ["get", "commandToken"], ["explain", "commandToken"],
      ["doctor"], ["export"], ["set", "commandToken", "hunter3"], ["schema"], ["help"],
    ])
  func secrets(arguments: [String]) async throws {
    let outcome = try await run(arguments)
    #expect(!outcome.output.contains("hunter") && !outcome.error.contains("hunter"))
  }

  @Test("The export verb prints the settings of all layers, as its help states")
  func export() async throws {
    let export = try await run("export", "--as", "json")
    #expect(export.output.contains(#""theme": "dark""#) && export.output.contains(#""volume": 7"#))
    #expect(try await run("export", "--help").output.contains("the settings of all layers"))
  }

  @Test("The get and list verbs print a secret with --show-secrets")
  func shownSecrets() async throws {
    #expect(try await run("get", "commandToken").status == 77)
    #expect(try await run("get", "commandToken", "--show-secrets").lines.contains("hunter2"))
    #expect(try await run("list", "--show-secrets").output.contains("hunter2"))
  }
}
