import Foundation
import Harness
import TestSupport
import Testing

@Suite("Shell completion of the settings command", .timeLimit(.aHang))
struct CommandCompletionTests {
  private let example: ExampleProgram
  private static let shells = ["bash", "zsh"].filter { SearchPath.program($0) != nil }

  init() throws { example = try ExampleProgram() }

  @Test("The bash script completes the part of the command line before the cursor")
  func bash() async throws {
    let script = """
      PATH="$(dirname "$PROGRAM"):$PATH"
      source <("$PROGRAM" completion bash)
      for line in 'Example set theme da' 'Example exp' 'Example set "theme" ' 'Example get "the'; do
        COMP_LINE="$line; more" COMP_POINT=${#line} word="${line##*[ \\"]}"
        _Example Example "$word"
        echo "${COMPREPLY[@]}"
      done
      """
    let outcome = try await ChildProcess.run(
      URL(filePath: "/bin/bash"), ["-c", script],
      environment: [
        "PROGRAM": ChildProcess.product("Example").path, "XDG_CONFIG_HOME": example.folder.path,
      ])
    #expect(outcome.lines == ["dark", "explain export", "system light dark", "theme"])
    #expect(outcome.error == "")
  }

  @Test(
    "The scripts for zsh and fish complete file names after the verbs that take a path",
    arguments: [
      ("zsh", "(export|import|diff|bundle)"), ("fish", "_from export import diff bundle' -F\n"),
    ])
  func paths(shell: String, verbs: String) async throws {
    #expect(try await example("completion", shell).output.contains(verbs))
  }

  #if os(Linux)
    @Test(
      "The tab key in a shell completes quoted names, the values after them, and file names",
      arguments: shells)
    func tabKey(shell: String) async throws {
      let terminal = try PseudoTerminal()
      let folder = example.folder
      try folder.write(#"{"theme": "system"}"#, to: "a-file.json")
      let options = shell == "zsh" ? "-f -i" : "--norc --noprofile -i"
      let start =
        shell == "zsh"
        ? "autoload -U compinit; compinit -D -u; source <(Example completion zsh)"
        : "bind 'set enable-bracketed-paste off'; source <(Example completion bash)"
      async let talk: Void = terminal.converse { terminal in
        try terminal.type("PS1='>'; \(start); echo rea''dy\n")
        _ = try terminal.text(through: "ready\n")
        try terminal.type("Example set \"theme\" da\t\n")
        _ = try terminal.text(through: "theme = dark\n")
        try terminal.type("Example import \(folder["a-fi"])\t\n")
        _ = try terminal.text(through: "theme: taken\n")
        try terminal.type("Example set 'th\t li\t\n")
        _ = try terminal.text(through: "theme = light\n")
        try terminal.type("exit\n")
      }
      let program = ChildProcess.product("Example")
      let process = try ChildProcess(
        URL(filePath: "/bin/sh"),
        ["-c", "exec setsid --ctty --wait \(shell) \(options) <$TERMINAL >$TERMINAL 2>&1"],
        environment: [
          "TERMINAL": terminal.path, "TERM": "dumb", "INPUTRC": "/dev/null",
          "HOME": example.folder.path, "XDG_CONFIG_HOME": example.folder.path,
          "PATH": program.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin",
        ])
      do { try await talk } catch { process.signal(SIGKILL); throw error }
      _ = await process.outcome()
      #expect(try example.storedEntries() == ["theme": "light"])
    }
  #endif
}
