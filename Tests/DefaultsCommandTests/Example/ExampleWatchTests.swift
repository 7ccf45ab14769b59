import Foundation
import TestSupport
import Testing

@Suite("The example's watch", .timeLimit(.aHang))
struct ExampleWatchTests {
  private let example: ExampleProgram

  init() throws {
    example = try ExampleProgram()
  }

  @Test("The example's watch prints the current values and then each change until interrupted")
  func changes() async throws {
    let watch = try example.start("watch", "theme", "nickname")
    #expect(await watch.nextLine() == "theme = system")
    #expect(await watch.nextLine() == "nickname = (none)")
    try watch.send("theme dark\n")
    #expect(await watch.nextLine() == "theme = dark, was system")
    try watch.send("nickname Ada Lovelace\ntheme dark\nnickname\n")
    #expect(await watch.nextLine() == "nickname = Ada Lovelace, was (none)")
    #expect(await watch.nextLine() == "nickname = (empty), was Ada Lovelace")
    watch.signal(SIGINT)
    let outcome = await watch.outcome()
    #expect(outcome.lines.count == 5)
    #expect(outcome.error == "")
    #expect(outcome.status == 0)
    #expect(try example.storedEntries() == ["theme": "dark", "nickname": ""])
  }

  @Test(
    "The example's watch without names prints all settings and continues without input",
    arguments: ["</dev/null", "<&-"])
  func noInput(redirection: String) async throws {
    let watch = try example.start(["watch"], script: "exec \"$0\" \"$@\" \(redirection)")
    for line in [
      "launchCount = 0", "theme = system", "volume = 0.8",
      #"windowFrame = {"height":600,"width":800,"x":0,"y":0}"#,
      "nickname = (none)", "tags = (empty)",
    ] {
      #expect(await watch.nextLine() == line)
    }
    #expect(try example.folder.names() == [])
    for theme in ["dark", "light"] { #expect(try await example("set", "theme", theme).status == 0) }
    while let line = await watch.nextLine(), !line.hasPrefix("theme = light") {}
    watch.signal(SIGTERM)
    let outcome = await watch.outcome()
    #expect(outcome.error == "")
    #expect(outcome.status == 0)
    #expect(!outcome.wasKilled)
  }

  @Test("The example's watch reads a last line without a line break and ignores other settings")
  func lastLine() async throws {
    try example.folder.write("volume 0.5\ntheme light", to: "lines")
    let watch = try example.start(
      ["watch", "theme"], script: "exec \"$0\" \"$@\" <\"$LINES_FILE\"",
      environment: ["LINES_FILE": example.folder["lines"]])
    #expect(await watch.nextLine() == "theme = system")
    #expect(await watch.nextLine() == "theme = light, was system")
    // The input has ended, and the program still watches.
    #expect(try await example("set", "theme", "dark").status == 0)
    #expect(await watch.nextLine() == "theme = dark, was light")
    watch.signal(SIGINT)
    #expect(await watch.outcome().status == 0)
    #expect(try example.storedEntries() == ["theme": "dark", "volume": 0.5])
  }

  @Test("A mistake in the input of the example's watch prints one error line; watching continues")
  func mistakes() async throws {
    let watch = try example.start("watch", "volume")
    #expect(await watch.nextLine() == "volume = 0.8")
    try watch.send("volume 7\ncolor red\n\nvolume 0.1\n")
    #expect(await watch.nextLine() == "volume = 0.1, was 0.8")
    watch.signal(SIGINT)
    let outcome = await watch.outcome()
    #expect(outcome.errorLines.count == 3)
    #expect(
      outcome.errorLines.first
        == #"Example: volume: It must be a number, 0.0 to 1.0, not "7": 7.0 isn't in 0.0...1.0"#)
    #expect(outcome.status == 0)
  }

  @Test(
    "An interrupt ends the example's watch with status 0, and its changes are stored",
    arguments: [SIGINT, SIGTERM])
  func interrupt(signal: Int32) async throws {
    let watch = try example.start("watch", "theme")
    #expect(await watch.nextLine() == "theme = system")
    try watch.send("theme dark\n")
    #expect(await watch.nextLine() == "theme = dark, was system")
    watch.signal(signal)
    let outcome = await watch.outcome()
    #expect(!outcome.wasKilled)
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
    #expect(try example.storedEntries() == ["theme": "dark"])
  }

  @Test("The example's watch prints changes of other programs")
  func otherProgram() async throws {
    let watch = try example.start("watch", "theme")
    #expect(await watch.nextLine() == "theme = system")
    #expect(try await example("set", "theme", "dark").status == 0)
    #expect(await watch.nextLine() == "theme = dark, was system")
    watch.signal(SIGTERM)
    #expect(await watch.outcome().status == 0)
  }

  @Test("The time in which the example's watch reads a line is proportional to the line's length")
  func longLine() async throws {
    let watch = try example.start(
      ["watch", "theme"],
      script: #"""
        { head -c 32000000 /dev/zero | tr '\0' '\377'; printf '\ntheme dark\n'; } \
          | (ulimit -t 20; exec "$0" "$@") | head -n 2
        """#)
    let outcome = await watch.outcome()
    #expect(outcome.lines == ["theme = system", "theme = dark, was system"])
    #expect(outcome.errorLines.count == 1)
  }

  #if os(Linux)
    @Test("The example's watch prints changes in the background of a terminal")
    func background() async throws {
      let terminal = try PseudoTerminal()
      let watch = try example.start(
        ["watch", "theme"],
        script: #"""
          exec setsid --ctty --wait sh -c 'set -m; "$0" "$@" | sed -u 2q & wait' "$0" "$@" \
            <"$TERMINAL" 2>"$TERMINAL"
          """#,
        environment: ["TERMINAL": terminal.path])
      #expect(await watch.nextLine() == "theme = system")
      #expect(try await example("set", "theme", "dark").status == 0)
      #expect(await watch.nextLine() == "theme = dark, was system")
      _ = await watch.outcome()
      withExtendedLifetime(terminal) {}
    }
  #endif

  @Test("Output of the example's watch that is larger than a pipe is complete")
  func fullPipe() async throws {
    let watch = try example.start("watch", "nickname")
    let name = String(repeating: "x", count: 2_000)
    for number in 1...100 { try watch.send("nickname \(name)\(number)\n") }
    while let line = await watch.nextLine(), !line.hasPrefix("nickname = \(name)100,") {}
    watch.signal(SIGINT)
    let outcome = await watch.outcome()
    #expect(outcome.lines.count == 101)
    #expect(outcome.status == 0)
  }
}
