import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Editing settings with secrets", .prompt, .timeLimit(.aHang))
struct CommandSecretEditTests {
  private let run: CommandSecretRun
  private var folder: TemporaryFolder { run.folder }

  init() throws { run = try CommandSecretRun() }

  private func edit(
    _ script: String, on terminal: PseudoTerminal? = nil,
    endingWith end: ExitTest.Condition = .exitCode(7)
  ) async throws -> CommandSecretRun.Outcome {
    try run.writeEditor(script)
    return await run(["edit", "--show-secrets"], on: terminal, endingWith: end)
  }

  private func left() throws -> [String] {
    try folder.names(in: "run") + folder.names(in: "temporary")
  }

  @Test(
    "The edited file with secrets is in the runtime folder and private to its user",
    arguments: [0o700, 0o755])
  func place(mode: Int) async throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder["run"])
    let outcome = try await edit(
      #"""
      echo "$1" > "$FOLDER/path"
      ls -l "$1" | cut -c 1-10 > "$FOLDER/modes"; ls -ld "${1%/*}" | cut -c 1-10 >> "$FOLDER/modes"
      sed -i s/hunter2/hunter3/ "$1"
      """#)
    #expect(outcome.secret == "\"hunter3\"")
    #expect(try folder.text(of: "modes") == "-rw-------\ndrwx------\n")
    let path = try folder.text(of: "path")
    #expect(path.hasPrefix(folder[mode == 0o700 ? "run" : "temporary"] + "/settings-secret-"))
    #expect(try left() == [])
  }

  @Test(
    "A signal removes the edited file with secrets", arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
  func signal(number: Int32) async throws {
    // A terminal also sends control-C to the editor.
    let outcome = try await edit(
      #"""
      grep -q hunter2 "$1" && echo "$1" > "$FOLDER/path"
      kill -\#(number) $PPID
      case \#(number) in \#(SIGINT)|\#(SIGQUIT)) kill -\#(number) $$ ;; esac
      while :; do sleep 0.1; done
      """#, endingWith: number == SIGHUP ? .signal(SIGHUP) : .exitCode(7))
    #expect(try folder.text(of: "path") != "")
    #expect(!(outcome.error + outcome.output).contains("kept in"))
    #expect(try left() == [])
  }

  @Test("Closing the terminal removes all files with secrets, even a copy that the editor writes")
  func hangup() async throws {
    _ = try await edit(
      #"""
      trap 'cp "$1" "$1.save"; exit' HUP
      kill -HUP $PPID
      while :; do sleep 0.1; done
      """#, endingWith: .signal(SIGHUP))
    #expect(try left() == [])
  }

  @Test("If the editor ignores SIGTERM, the file with secrets is removed after a few seconds")
  func stubbornEditor() async throws {
    let outcome = try await edit(
      #"""
      trap '' TERM
      kill -TERM $PPID
      while [ -e "$1" ]; do sleep 0.1; done
      """#, endingWith: .signal(SIGTERM))
    #expect(!outcome.error.contains("status 0"))
    #expect(try left() == [])
  }

  @Test(
    "A signal between two runs of the editor removes the file with secrets",
    arguments: [SIGHUP, SIGINT])
  func betweenEditors(number: Int32) async throws {
    let terminal = try PseudoTerminal()
    let folder = folder
    async let asked: Void = terminal.converse { terminal in
      _ = try terminal.text(through: "Edit again? [Y/n] ")
      try CommandSecretRun.send(number, toProcessIn: folder)
    }
    _ = try await edit(#"echo x >> "$1""#, on: terminal, endingWith: .signal(number))
    try await asked
    #expect(try left() == [])
  }

  @Test("The next edit removes only the files with secrets that a killed program left")
  func sweep() async throws {
    _ = try await edit("kill -KILL $PPID", endingWith: .signal(SIGKILL))
    #expect(try folder.names(in: "run").count == 1)
    let killed = try #require(folder.names(in: "run").first)
    #expect(killed.hasPrefix("settings-secret-"))
    // An editor may have created folders.
    try folder.makeFolder("run/\(killed)/.swap/below")
    try folder.write("hunter2", to: "run/\(killed)/.swap/below/file")
    // A link to the user's files, another program's folder, a folder that isn't private, and one
    // whose program is running.
    try folder.makeFolder("elsewhere")
    try folder.write("mine", to: "elsewhere/settings.json")
    try folder.link("run/settings-secret-linked", to: "../elsewhere")
    try folder.link("run/\(killed)/link", to: "../../elsewhere")
    try folder.makeFolder("run/other-secret-000000")
    try folder.makeFolder("run/settings-secret-opened", mode: 0o755)
    try folder.makeFolder("run/settings-secret-living")
    let living = open(folder["run/settings-secret-living"], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(living) }
    #expect(flock(living, LOCK_EX | LOCK_NB) == 0)
    var others =
      ["other-secret-000000"] + ["linked", "living", "opened"].map { "settings-secret-\($0)" }
    if getuid() == 0 {
      try folder.makeFolder("run/settings-secret-strange")
      #expect(chown(folder["run/settings-secret-strange"], 65_534, 65_534) == 0)
      others.append("settings-secret-strange")
    }
    _ = try await edit(":")
    #expect(try folder.names(in: "run") == others)
    #expect(try folder.names(in: "elsewhere") == ["settings.json"])
  }

  @Test(
    "Edited text with secrets is never kept",
    arguments: ["exit 3", "printf '\\377' >> \"$1\"", "echo x >> \"$1\""])
  func neverKept(end: String) async throws {
    let outcome = try await edit("sed -i s/hunter2/hunter3/ \"$1\"; \(end)")
    #expect(outcome.error.contains("removed because it shows secrets"))
    #expect(outcome.secret == "\"hunter2\"")
    #expect(try left() == [])
  }
}
