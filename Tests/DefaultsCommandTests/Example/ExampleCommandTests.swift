import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The example's commands", .timeLimit(.aHang))
struct ExampleCommandTests {
  private let example: ExampleProgram

  init() throws {
    example = try ExampleProgram()
  }

  private static let names = [
    "launchCount", "theme", "volume", "windowFrame", "nickname", "tags",
  ]

  @Test("Each launch of the example increments the count and prints an aligned table")
  func launch() async throws {
    for count in 1...2 {
      let launch = try await example()
      #expect(
        launch.lines == [
          ExampleProgram.launchLine(count),
          "theme        system                                  (default)  "
            + "the colors of the window",
          #"volume       0.8                                     (default)  how loud it is"#,
          #"windowFrame  {"height":600,"width":800,"x":0,"y":0}  (default)  where the window is"#,
          #"nickname     (none)                                  (default)  what to call you"#,
          #"tags         (empty)                                 (default)  search words"#,
        ])
      #expect(launch.error == "")
      #expect(launch.status == 0)
      #expect(try example.storedEntries() == ["launchCount": .integer(Int64(count))])
    }
  }

  @Test("When the example is launched concurrently, each launch is counted")
  func parallelLaunches() async throws {
    let example = example
    try await withThrowingTaskGroup { group in
      for _ in 1...4 { group.addTask { try await example().status } }
      for try await status in group { #expect(status == 0) }
    }
    #expect(try example.storedEntries()["launchCount"] == 4)
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    /// The typed text.
    var text: String
    /// The printed text; nil if it is the same.
    var printed: String?
    var stored: Defaults.PropertyListValue?

    var testDescription: String { "\(name) \(text.debugDescription)" }
  }

  private static let samples = [
    Sample(name: "launchCount", text: "41", stored: 41),
    Sample(name: "theme", text: "dark", stored: "dark"),
    Sample(name: "theme", text: "Dark", printed: "dark", stored: "dark"),
    Sample(name: "volume", text: "0.25", stored: 0.25),
    Sample(name: "volume", text: "1", printed: "1.0", stored: 1.0),
    Sample(
      name: "windowFrame", text: #"{"x": -1, "y": 2, "width": 30, "height": 40}"#,
      printed: #"{"height":40,"width":30,"x":-1,"y":2}"#,
      stored: #"{"height":40,"width":30,"x":-1,"y":2}"#),
    Sample(name: "nickname", text: "Ada Löve, 👩‍💻", stored: "Ada Löve, 👩‍💻"),
    Sample(name: "nickname", text: "", stored: ""),
    Sample(name: "tags", text: "b, a,b", printed: "a,b", stored: ["a", "b"]),
    Sample(name: "tags", text: "", stored: []),
  ]

  @Test(
    "A value set in the example is printed, stored and read by the next process", arguments: samples
  )
  func set(_ sample: Sample) async throws {
    // A value that the empty ones replace.
    if sample.text.isEmpty { _ = try await example("set", sample.name, "before") }
    let printed = sample.printed ?? sample.text
    let set = try await example("set", sample.name, sample.text)
    #expect(set.lines == ["\(sample.name) = \(printed.isEmpty ? "(empty)" : printed)"])
    #expect(set.error == "")
    #expect(set.status == 0)
    #expect(try example.storedEntries()[sample.name] == sample.stored)
    #expect(try await example("get", sample.name).lines == [printed])
  }

  @Test("The example's get prints text that set accepts", arguments: names)
  func roundTrip(name: String) async throws {
    let text = try await example("get", name).output
    let set = try await example("set", name, String(text.dropLast()))
    #expect(set.status == 0)
    #expect(try await example("get", name).output == text)
  }

  @Test("The example's reset restores the defaults of the named settings only")
  func resetSome() async throws {
    _ = try await example("set", "theme", "dark")
    _ = try await example("set", "volume", "0.5")
    _ = try await example("set", "tags", "a")
    _ = try await example("set", "nickname", "")
    let reset = try await example("reset", "theme", "tags", "nickname")
    #expect(reset.lines == ["theme = system", "tags = (empty)", "nickname = (none)"])
    #expect(reset.status == 0)
    #expect(try example.storedEntries() == ["volume": 0.5])
  }

  @Test("The example's reset --all resets its own settings and no other entries of the file")
  func resetAll() async throws {
    try example.folder.makeFolder("Example")
    try example.folder.write(
      """
      <plist version="1.0"><dict><key>undeclared</key><integer>1</integer>
      <key>theme</key><string>dark</string><key>launchCount</key><integer>5</integer></dict></plist>
      """, to: ExampleProgram.file)
    let reset = try await example("reset", "--all", "--yes")
    #expect(reset.lines.map { $0.prefix { $0 != " " } } == Self.names.map { $0[...] })
    #expect(reset.status == 0)
    #expect(try example.storedEntries() == ["undeclared": 1])
  }

  @Test("The example's path prints the path of the file and creates nothing")
  func path() async throws {
    let path = try await example("path")
    #expect(path.lines == [example.folder[ExampleProgram.file]])
    #expect(path.status == 0)
    #expect(try example.folder.names() == [])
  }

  @Test(
    "The example's export prints the stored settings as XML that Foundation reads",
    arguments: [false, true])
  func export(isAnythingStored: Bool) async throws {
    if isAnythingStored {
      _ = try await example("set", "tags", "b,a")
      _ = try await example("set", "volume", "0.5")
    }
    let export = try await example("export")
    var format = PropertyListSerialization.PropertyListFormat.openStep
    let object = try PropertyListSerialization.propertyList(
      from: Data(export.output.utf8), format: &format)
    let entries = try #require(object as? NSDictionary)
    #expect(format == .xml)
    #expect(entries == (isAnythingStored ? ["tags": ["a", "b"], "volume": 0.5] : [:]))
    #expect(export.status == 0)
  }

  @Test(
    "The example's help lists every command, and every setting with its accepted values",
    arguments: ["help", "--help", "-h"])
  func help(spelling: String) async throws {
    let help = try await example(spelling)
    for name in ["list", "get", "set", "unset", "path", "export", "watch", "help", "version"] {
      #expect(help.lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
    }
    // The example doesn't sync its settings.
    #expect(!help.lines.contains { $0.hasPrefix("  sync ") })
    let settings = try #require(help.lines.firstIndex(of: "Settings:"))
    #expect(
      help.lines[(settings + 1)...].prefix { $0 != "" } == [
        "  launchCount  a whole number, at least 0",
        "  theme        one of system, light, dark",
        "  volume       a number, 0.0 to 1.0",
        #"  windowFrame  JSON such as {"height":600,"width":800,"x":0,"y":0} "#
          + "that must have a size above 0",
        "  nickname     text",
        "  tags         comma-separated words",
      ])
    #expect(help.error == "")
    #expect(help.status == 0)
  }

  @Test("The example's help of a command shows its usage", arguments: ["--help", "-h"])
  func commandHelp(option: String) async throws {
    let help = try await example("set", option)
    #expect(
      help.lines == [
        "Usage: Example set NAME VALUE…|-",
        "       change a setting. Several values form a collection. - is standard input. For a "
          + "secret without a value, the command prompts",
      ])
    #expect(help.error == "")
    #expect(help.status == 0)
  }

  @Test("The example prints its version", arguments: ["version", "--version"])
  func version(spelling: String) async throws {
    let version = try await example(spelling)
    #expect(version.lines == ["Example 1.0"])
    #expect(version.error == "")
    #expect(version.status == 0)
  }

  @Test(
    "The example's set accepts every launch count that the example can reach",
    arguments: [0, 1_000_000, Int.max - 1])
  func largeCount(before: Int) async throws {
    _ = try await example("set", "launchCount", "\(before)")
    #expect(try await example().lines.first == ExampleProgram.launchLine(before + 1))
    #expect(try await example("get", "launchCount").lines == ["\(before + 1)"])
    let set = try await example("set", "launchCount", "\(before + 1)")
    #expect(set.lines == ["launchCount = \(before + 1)"])
    #expect(set.status == 0)
  }

  @Test("A launch after an invalid or maximal count stores a count that `set` accepts")
  func countsAtTheEdge() async throws {
    let path = example.folder[ExampleProgram.file]
    for (stored, counted) in [(Int.max, Int.max), (-5, 1), (Int.min, 1)] {
      try example.folder.makeFolder("Example")
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      try suite.set(stored, for: Defaults.Key<Int>("launchCount", default: 0, suite: suite))
      try await suite.flush()
      let launch = try await example()
      #expect(launch.lines.first == ExampleProgram.launchLine(counted))
      let issue = """
        Defaults: \(path): "launchCount": The stored value isn't allowed: \(stored) isn't in 0...

        """
      #expect(launch.error == (stored < 0 ? issue : ""))
      #expect(try await example("set", "launchCount", "\(counted)").status == 0)
    }
  }

  @Test(
    "Reading commands of the example write nothing",
    arguments: ["help", "--help", "version", "path", "export", "get"])
  func readsOnly(command: String) async throws {
    let outcome = try await command == "get" ? example("get", "theme") : example(command)
    #expect(outcome.status == 0)
    #expect(try example.folder.names() == [])
  }

  @Test("Python's plistlib reads the example's file", .enabled(if: ChildProcess.python != nil))
  func plistlib() async throws {
    let python = try #require(ChildProcess.python)
    _ = try await example("set", "tags", "b,a")
    _ = try await example("set", "volume", "0.5")
    let script = """
      import plistlib, sys
      print(sorted(plistlib.load(open(sys.argv[1], 'rb')).items()))
      """
    let outcome = try await ChildProcess.run(
      python, ["-c", script, example.folder[ExampleProgram.file]])
    #expect(outcome.lines == ["[('tags', ['a', 'b']), ('volume', 0.5)]"])
    #expect(outcome.error == "")
  }
}
