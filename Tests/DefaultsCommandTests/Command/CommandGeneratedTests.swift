import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

@Suite("Settings that are generated once, in the settings command", .timeLimit(.aHang))
struct CommandGeneratedTests {
  private static let stored = "9F0C0D5E-0000-4000-8000-000000000001"

  /// Runs a command in a process of its own, on a suite with or without a stored value.
  private func run(_ arguments: [String], isStored: Bool = false) async -> CommandOutcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [arguments = arguments as [String], isStored = isStored as Bool] in
      let suite = Defaults.MemorySuite(isStored ? ["device": .string(Self.stored)] : [:])
      let keys: [Defaults.AnyKey] = [
        Defaults.Key("device", suite: suite, .generatedOnce) { UUID() },
        Defaults.Key("volume", default: 5, suite: suite),
      ]
      CommandOutcome.report(
        of: Defaults.Command(keys, suite: suite, name: "tool"), arguments)
      exit(7)
    }
    return CommandOutcome(result)
  }

  @Test(
    "No verb prints a generated value that isn't stored",
    arguments: [
      ["list"], ["explain", "device"], ["unset", "device"], ["docs"], ["sample"],
      ["sample", "--as", "plist"], ["sample", "--as", "dotenv"], ["list", "--json"],
    ])
  func notStored(arguments: [String]) async {
    let outcome = await run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output.firstMatch(of: /[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-/) == nil)
    let isJSON = arguments.contains("--json")
    #expect(outcome.output.lowercased().contains("generated at first use") == !isJSON)
  }

  @Test("Verbs print where a generated value will be, and a stored one as it is")
  func texts() async {
    #expect(await run(["list", "device"]).lines == ["device  (generated at first use)  (default)"])
    #expect(await run(["list", "--json"]).output == "{\n  \"volume\": 5\n}\n")
    #expect(await run(["unset", "device"]).lines == ["device = (generated at first use)"])
    let explained = await run(["explain", "device"]).lines
    #expect(
      explained.dropFirst(2).prefix(2) == [
        "  value    (generated at first use)", "  default  (generated at first use)",
      ])
    #expect(explained.last == "    * default: (generated at first use)")
    #expect(await run(["list", "device"], isStored: true).lines == ["device  \(Self.stored)"])
    #expect(await run(["list", "--json"], isStored: true).output.contains(Self.stored))
  }
}
