import Defaults
import DefaultsCommand
import DefaultsHistory
import Foundation
import TestSupport
import Testing

@Suite("Times that the settings command takes", .timeLimit(.aHang))
struct CommandTimeTests {
  private let example: ExampleProgram

  init() throws { example = try ExampleProgram() }

  @Test("A time without a zone is in UTC, and a time with a zone is in that zone")
  func zones() async throws {
    _ = try await example("set", "theme", "dark")
    let style = Date.ISO8601FormatStyle()
    func since(_ time: Date, _ zone: String) async throws -> Int {
      let text = String(time.formatted(style).dropLast()) + zone
      return try await example("history", "--since", text).lines.count
    }
    for (hours, zone, count) in [
      (-1, "", 1), (1, "", 0), (1, "+02:00", 1), (3, "+02:00", 0), (-3, "-0200", 1),
    ] {
      #expect(try await since(Date(timeIntervalSinceNow: Double(hours) * 3_600), zone) == count)
    }
  }

  @Test(
    "A time with other text around it, or before the first year, is rejected",
    arguments: [
      "2026-01-31junk", "2026-01-31 18:00", "2026-01-31T18:00", "2026-01-31T18:00:00Zjunk",
      "2026-01-31Z", "x2026-01-31", "2026-01-31T18:00:00+1", "99999999999w", ".h",
      String(repeating: "9", count: 310) + "d",
    ])
  func timeMistakes(time: String) async throws {
    _ = try await example("set", "volume", "0.5")
    for arguments in [["history", "--since", time], ["revert", "volume@\(time)"]] {
      let outcome = try await example.start(arguments).end()
      #expect(outcome.status == 64 && outcome.errorLines.count == 1)
      #expect(outcome.error.contains("isn't a time such as"))
    }
  }

  @Test("The revert verb takes an age with a fraction as any time in its second")
  func fractionalAge() throws {
    let url = example.folder.url(ExampleProgram.file)
    let suite = try Defaults.PropertyListSuite(url: url)
    let volume = Defaults.Key("volume", default: 0, suite: suite)
    suite[volume] = 7
    let date = try #require(try suite.history().first).date
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    let command = Defaults.Command([volume], suite: suite, name: "tool")
    while true {
      let start = Date()
      // A millisecond after the start of the second, so that rounding doesn't lead out of it.
      let age = String(format: "%.3f", max(0, start.timeIntervalSince(second) - 0.001))
      do {
        try command.run(["revert", "volume@\(age)s"])
        break
      } catch {
        // On a busy machine, the age may be that of the next second by now.
        guard -start.timeIntervalSinceNow > 0.9 else { throw error }
      }
    }
    #expect(suite.entries == [:])
  }

  @Test("The revert verb takes a time with a fraction in any zone")
  func fractionInZone() throws {
    let suite = try Defaults.PropertyListSuite(url: example.folder.url(ExampleProgram.file))
    let zones = [("", 0), ("Z", 0), ("+00:00", 0), ("+02:00", 2), ("-0300", -3)]
    let keys = zones.indices.map { Defaults.Key("value\($0)", default: 0, suite: suite) }
    for key in keys { suite[key] = 7 }
    let command = Defaults.Command(keys, suite: suite, name: "tool")
    for (key, (zone, hours)) in zip(keys, zones) {
      let date = try #require(try suite.history().first { $0.name == key.name }).date
      let printed = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      let second = Date(timeInterval: Double(hours) * 3_600, since: date).formatted(.iso8601)
      // The fraction as it is printed, such as ".123".
      let fraction = printed.dropLast().suffix(4)
      try command.run(["revert", "\(key.name)@\(second.dropLast())\(fraction)\(zone)"])
      #expect(!suite.contains(key))
    }
  }
}
