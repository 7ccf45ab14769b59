import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The example's errors", .timeLimit(.aHang))
struct ExampleErrorTests {
  private let example: ExampleProgram

  init() throws {
    example = try ExampleProgram()
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    /// The accepted values in the message.
    var hint: String

    var testDescription: String { arguments.description }
  }

  private static let commands = "choose one of list, get, explain, schema, path, set, unset, add"
  private static let options = "choose one of --help, -h, --version"
  private static let names =
    "choose one of launchCount, theme, volume, windowFrame, nickname, tags"

  private static let mistakes: [Mistake] = [
    Mistake(arguments: ["frobnicate"], hint: commands),
    Mistake(arguments: [""], hint: commands),
    Mistake(arguments: ["two\nlines"], hint: commands),
    Mistake(arguments: ["--frobnicate"], hint: options),
    Mistake(arguments: ["-"], hint: options),
    Mistake(arguments: ["--version", "theme"], hint: "Example version"),
    Mistake(arguments: ["get", "color"], hint: names),
    Mistake(arguments: ["get", "two\r\nlines"], hint: names),
    Mistake(arguments: ["set", "color", "red"], hint: names),
    Mistake(arguments: ["reset", "theme", "color"], hint: names),
    Mistake(arguments: ["watch", "theme", "color"], hint: names),
    Mistake(arguments: ["get"], hint: "[--show-secrets] NAME"),
    Mistake(arguments: ["get", "theme", "volume"], hint: "[--show-secrets] NAME"),
    Mistake(arguments: ["set", "theme"], hint: "Example set NAME VALUE"),
    Mistake(arguments: ["set", "nickname", "a", "b"], hint: "It must be one value: text"),
    Mistake(arguments: ["path", "theme"], hint: "Example path"),
    Mistake(arguments: ["export", "a", "b"], hint: "Example export"),
    Mistake(arguments: ["help", "theme"], hint: commands),
    Mistake(arguments: ["get", "volme"], hint: "(did you mean volume?)"),
    Mistake(arguments: ["lst"], hint: "(did you mean list?)"),
    Mistake(arguments: ["list", "--jsn"], hint: "(did you mean --json?)"),
    Mistake(arguments: ["list", "--json=1"], hint: "Example list [--json] [--about]"),
    Mistake(arguments: ["add", "tags"], hint: "Example add NAME VALUE…|-"),
    Mistake(arguments: ["add", "volume", "1"], hint: "It must be one value"),
    Mistake(arguments: ["remove", "tags", "a"], hint: "no element \"a\""),
    Mistake(arguments: ["completion", "csh"], hint: "choose one of bash, zsh, fish"),
    Mistake(
      arguments: ["export", "--as", "yaml"], hint: "choose one of json, jsonc, plist, binary"),
    Mistake(arguments: ["set", "launchCount", "-1"], hint: "a whole number, at least 0, not"),
    Mistake(arguments: ["set", "launchCount", "1.5"], hint: "a whole number, at least 0, not"),
    Mistake(arguments: ["set", "theme", "pink"], hint: "one of system, light, dark, not"),
    Mistake(arguments: ["set", "volume", "1.01"], hint: "a number, 0.0 to 1.0, not"),
    Mistake(arguments: ["set", "volume", "nan"], hint: "a number, 0.0 to 1.0, not"),
    Mistake(arguments: ["set", "volume", "loud"], hint: "a number, 0.0 to 1.0, not"),
    Mistake(arguments: ["set", "windowFrame", "1,2,3"], hint: "the text isn't JSON"),
    Mistake(
      arguments: ["set", "windowFrame", #"{"x":1,"y":2}"#], hint: "the field \"width\" is missing"),
    Mistake(arguments: ["set", "windowFrame", frame(height: "4.5")], hint: "the text isn't JSON"),
    Mistake(
      arguments: ["set", "windowFrame", frame(height: "0")], hint: "that must have a size above 0"),
    Mistake(arguments: ["set", "nickname", "two\nlines"], hint: "one line"),
    Mistake(
      arguments: ["set", "tags", "a,,b"], hint: "comma-separated words, not \"\" at character 3"),
  ]

  private static func frame(height: String) -> String {
    #"{"x":1,"y":2,"width":3,"height":\#(height)}"#
  }

  @Test(
    "A mistake in the example prints accepted values in one line, with status 64 and no write",
    arguments: mistakes
  )
  func mistake(_ mistake: Mistake) async throws {
    let process = try example.start(mistake.arguments)
    let outcome = try await process.end()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.error.hasPrefix("Example: "))
    #expect(outcome.error.contains(mistake.hint))
    #expect(try example.folder.names() == [])
  }

  @Test("A rejected value in the example keeps the previous value")
  func oldValueStays() async throws {
    _ = try await example("set", "volume", "0.5")
    #expect(try await example("set", "volume", "5").status == 64)
    #expect(try example.storedEntries() == ["volume": 0.5])
  }

  @Test(
    "If the example's file has no location, the commands fail with status 74 and the reason",
    arguments: [["set", "theme", "dark"], ["reset", "--all", "--yes"], ["path"]])
  func noPlace(arguments: [String]) async throws {
    try example.folder.write("a file", to: "file")
    let configuration = example.folder["file/below"]
    let process = try example.start(arguments, configuration: configuration)
    let outcome = try await process.end()
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.contains { $0.hasPrefix("Defaults: \(configuration)") })
    #expect(outcome.errorLines.contains { $0.hasPrefix("Example: ") })
    #expect(try example.folder.text(of: "file") == "a file")
  }

  @Test("If the example's file has no location, the example works in memory and reports the reason")
  func launchInMemory() async throws {
    try example.folder.write("a file", to: "Example")
    let launch = try await example()
    #expect(launch.status == 0)
    #expect(launch.lines.first == ExampleProgram.launchLine(1))
    #expect(launch.errorLines.count == 1)
    #expect(try example.folder.text(of: "Example") == "a file")
  }

  @Test(
    "A failed save in the example exits with status 74 and prints the path",
    .enabled(if: ExampleErrorTests.hasProc),
    arguments: [[], ["set", "theme", "dark"]])
  func failedSave(arguments: [String]) async throws {
    // No process can create a folder there, not even as root.
    let outcome = try await example.start(arguments, configuration: "/proc").end()
    #expect(outcome.status == 74)
    #expect(outcome.errorLines.contains { $0.hasPrefix("Example: /proc/Example") })
  }

  private static let hasProc = FileManager.default.fileExists(atPath: "/proc/self")

  @Test("A damaged file of the example is quarantined and reported, and the program continues")
  func damagedFile() async throws {
    let folder = example.folder
    try folder.makeFolder("Example")
    try folder.write("bplist00 damaged", to: ExampleProgram.file)
    let launch = try await example()
    #expect(launch.status == 0)
    #expect(launch.lines.contains(ExampleProgram.launchLine(1)))
    let names = try folder.names(in: "Example")
    let aside = try #require(names.first { $0.hasPrefix("Defaults.plist.corrupt-") })
    #expect(names.filter { $0.contains(".corrupt-") } == [aside])
    #expect(try folder.text(of: "Example/\(aside)") == "bplist00 damaged")
    #expect(launch.errorLines.count == 1)
    #expect(launch.error.contains(aside))
    #expect(try example.storedEntries() == ["launchCount": 1])
  }

  @Test("The example reports a stored value of another type, uses the default and keeps the entry")
  func foreignValue() async throws {
    let folder = example.folder
    try folder.makeFolder("Example")
    try folder.write(
      "<plist version=\"1.0\"><dict><key>theme</key><string>pink</string></dict></plist>",
      to: ExampleProgram.file)
    let get = try await example("get", "theme")
    #expect(get.status == 0)
    #expect(get.lines == ["system"])
    #expect(get.error.contains("theme"))
    #expect(try example.storedEntries() == ["theme": "pink"])
  }
}
