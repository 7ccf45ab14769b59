import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The example's escapes", .timeLimit(.aHang))
struct ExampleEscapeTests {
  private let example: ExampleProgram

  init() throws {
    example = try ExampleProgram()
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var typed: String
    var stored: String
    var printed: String

    var testDescription: String { typed.debugDescription }
  }

  private static let samples = [
    Sample(typed: "\u{1B}[31mred", stored: "\u{1B}[31mred", printed: #"\u{1B}[31mred"#),
    Sample(typed: "a\tb\u{7F}", stored: "a\tb\u{7F}", printed: #"a\u{9}b\u{7F}"#),
    // The one-character form of escape and bracket.
    Sample(typed: "\u{9B}2J", stored: "\u{9B}2J", printed: #"\u{9B}2J"#),
    // Reverses the direction of writing.
    Sample(typed: "a\u{202E}b", stored: "a\u{202E}b", printed: #"a\u{202E}b"#),
    Sample(typed: "\u{1B}\u{301}", stored: "\u{1B}\u{301}", printed: "\\u{1B}\u{301}"),
    Sample(typed: #"two\u{a}lines"#, stored: "two\nlines", printed: #"two\u{A}lines"#),
    Sample(typed: #"\u{2028}\u{000D}"#, stored: "\u{2028}\r", printed: #"\u{2028}\u{D}"#),
    Sample(typed: #"\u{41}\u{0}"#, stored: "A\0", printed: #"A\u{0}"#),
    Sample(typed: #"\u{5C}u{1B}"#, stored: #"\u{1B}"#, printed: #"\u{5C}u{1B}"#),
    Sample(typed: #"\\u{1B}\"#, stored: "\\\u{1B}\\", printed: #"\\u{1B}\"#),
    // Not an escape, or not the number of a character.
    Sample(typed: #"C:\users\new\u"#, stored: #"C:\users\new\u"#, printed: #"C:\users\new\u"#),
    Sample(typed: #"\u{}"#, stored: #"\u{}"#, printed: #"\u{5C}u{}"#),
    Sample(typed: #"\u{110000}"#, stored: #"\u{110000}"#, printed: #"\u{5C}u{110000}"#),
    Sample(typed: #"\u{D800}"#, stored: #"\u{D800}"#, printed: #"\u{5C}u{D800}"#),
    Sample(typed: "👩‍💻 é नी", stored: "👩‍💻 é नी", printed: "👩‍💻 é नी"),
  ]

  @Test(
    "The example prints invisible characters as escapes, and set accepts them",
    arguments: samples)
  func roundTrip(_ sample: Sample) async throws {
    for text in [sample.typed, sample.printed] {
      let set = try await example("set", "nickname", text)
      #expect(set.lines == ["nickname = \(sample.printed)"])
      #expect(set.status == 0)
      #expect(try example.storedEntries() == ["nickname": .string(sample.stored)])
      #expect(try await example("get", "nickname").lines == [sample.printed])
    }
  }

  @Test("The example escapes the elements of a list")
  func list() async throws {
    let set = try await example("set", "tags", "\u{1B}c, " + #"a\u{A}b"#)
    #expect(set.lines == [#"tags = \u{1B}c,"a\u{A}b""#])
    let tags = try await example("get", "tags").lines
    #expect(tags == [#"\u{1B}c,"a\u{A}b""#])
    #expect(try await example("set", "tags", tags[0]).lines == set.lines)
    #expect(try example.storedEntries() == ["tags": ["\u{1B}c", "a\nb"]])
  }

  @Test("No command of the example prints a control character, and tables stay aligned")
  func outputs() async throws {
    // Longer than the other values, so that the column's width is that of the escapes.
    let title = "a title that is longer than a frame"
    _ = try await example("set", "nickname", "\u{1B}]0;\(title)\u{7}")
    let printed = #"\u{1B}]0;\#(title)\u{7}"#
    let system = "system".padding(toLength: printed.count, withPad: " ", startingAt: 0)
    let launch = try await example()
    #expect(launch.lines.contains("nickname     \(printed)             what to call you"))
    #expect(launch.lines.contains("theme        \(system)  (default)  the colors of the window"))
    #expect(launch.output.hasOnlyVisibleLines)
    let watch = try example.start("watch", "nickname")
    #expect(await watch.nextLine() == "nickname = \(printed)")
    try watch.send("\u{1B}c red\nnickname \u{9B}m\n")
    #expect(await watch.nextLine() == #"nickname = \u{9B}m, was \#(printed)"#)
    watch.signal(SIGINT)
    let outcome = await watch.outcome()
    #expect(outcome.error.hasPrefix(#"Example: there is no setting "\u{1B}c""#))
    #expect(outcome.error.hasOnlyVisibleLines)
    let reset = try await example("reset", "nickname")
    #expect(reset.lines == ["nickname = (none)"])
  }

  @Test(
    "No error of the example prints a control character",
    arguments: [
      ["\u{1B}[2J"], ["-\u{1B}[2J"], ["get", "\u{1B}[2J\n"], ["set", "volume", "\u{1B}[2J"],
      ["set", "nickname", "\u{1B}[2J\n"], ["watch", "\u{1B}[2J"],
    ])
  func errors(arguments: [String]) async throws {
    let outcome = try await example.start(arguments).end()
    #expect(outcome.error.contains(#"\u{1B}[2J"#))
    #expect(outcome.error.hasOnlyVisibleLines)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.status == 64)
  }

  @Test("The example escapes a path in messages and prints it unescaped on request")
  func path() async throws {
    let folder = "\u{1B}[7m"
    let file = "\(folder)/\(ExampleProgram.file)"
    try example.folder.makeFolder("\(folder)/Example")
    try example.folder.write("bplist00 damaged", to: file)
    let run = { (arguments: String...) in
      try await example.start(arguments, configuration: example.folder[folder]).end()
    }
    let path = try await run("path")
    #expect(path.output == example.folder[file] + "\n")
    // The library's issue has the path of the damaged file.
    #expect(path.errorLines.count == 1)
    #expect(path.error.contains(#"/\u{1B}[7m/Example"#))
    #expect(path.error.hasOnlyVisibleLines)
    let doctor = try await run("doctor")
    #expect(
      doctor.lines.first == #"  suite: \#(example.folder.path)/\u{1B}[7m/Example/Defaults.plist"#)
    #expect(doctor.output.hasOnlyVisibleLines)
  }

  @Test("The example's export isn't escaped")
  func export() async throws {
    let name = "\u{9B}m\t\\u{\u{202E}"
    _ = try await example("set", "nickname", name)
    #expect(try await example("export").output.contains("<string>\(name)</string>"))
  }
}

extension String {
  /// Whether there are no control characters except line feeds.
  fileprivate var hasOnlyVisibleLines: Bool {
    unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
  }
}
