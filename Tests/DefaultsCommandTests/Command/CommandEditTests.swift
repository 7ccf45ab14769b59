import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Editing all settings", .timeLimit(.aHang))
struct CommandEditTests {
  private let example: ExampleProgram

  init() throws { example = try ExampleProgram() }

  private func edit(_ editor: String) async throws -> ChildProcess.Outcome {
    try await example.edit(with: editor).end()
  }

  @Test("An edit stores exactly the changed settings, in one change")
  func change() async throws {
    _ = try await example("set", "nickname", "Ada")
    let outcome = try await edit(
      #"""
      cp "$1" "$FOLDER/seen"
      sed -i 's/"theme": "system"/"theme": "dark"/; s/"volume": 0.8/"volume": 0.5/' "$1"
      """#)
    #expect(outcome.lines == ["theme = dark", "volume = 0.5"])
    #expect(outcome.error == "" && outcome.status == 0)
    #expect(
      try example.storedEntries() == ["theme": "dark", "volume": 0.5, "nickname": "Ada"])
    let seen = try example.folder.text(of: "seen")
    #expect(seen.hasPrefix("// The settings of Example."))
    #expect(seen.contains(#""nickname": "Ada""#))
  }

  @Test("Removing a setting in the editor restores the default, and adding a setting stores it")
  func removal() async throws {
    _ = try await example("set", "theme", "dark")
    let outcome = try await edit(
      #"sed -i '/"theme"/d; s/"launchCount": 0/"launchCount": 0, "nickname": "Ada"/' "$1""#)
    #expect(outcome.status == 0)
    #expect(try example.storedEntries() == ["nickname": "Ada"])
  }

  @Test("An edit without changes stores nothing")
  func nothing() async throws {
    let outcome = try await edit(":")
    #expect(outcome.lines == ["Nothing was changed."])
    #expect(outcome.status == 0)
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test("An edit whose editor fails or can't be started changes nothing")
  func failingEditor() async throws {
    let failing = try await edit(#"echo '{}' > "$1"; exit 3"#)
    #expect(failing.status == 70)
    #expect(failing.errorLines.count == 1)
    #expect(failing.error.contains("status 3"))
    // One file is missing, the other isn't executable.
    for editor in ["/nonexistent", example.folder["editor"]] {
      let missing = try await example.start(["edit"], environment: ["EDITOR": editor]).end()
      #expect(missing.status == 71)
      #expect(
        missing.errorLines.last?.contains("can't be started, so nothing was changed") == true)
    }
    #expect(try !example.folder.names().contains("Example"))
  }

  /// Runs a closure while an editor is open, which then continues with a script.
  private func edit(
    _ script: String, while body: () async throws -> Void
  ) async throws -> ChildProcess.Outcome {
    let fifo = example.folder["fifo"]
    guard mkfifo(fifo, 0o600) == 0 else { throw POSIXError(.EIO) }
    let process = try example.edit(
      with:
        #"""
        if [ -p "$FOLDER/fifo" ]; then
          echo ready > "$FOLDER/fifo"; read -r line < "$FOLDER/fifo"; rm "$FOLDER/fifo"
        fi

        """# + script)
    // Opening a pipe waits for the other end.
    let sign = FileHandle(forReadingAtPath: fifo)?.availableData
    #expect(sign == Data("ready\n".utf8))
    try await body()
    try #require(FileHandle(forWritingAtPath: fifo)).write(contentsOf: Data("go\n".utf8))
    return try await process.end()
  }

  @Test("An edit keeps changes that another program makes meanwhile")
  func company() async throws {
    let outcome = try await edit(#"sed -i 's/"theme": "system"/"theme": "dark"/' "$1""#) {
      _ = try await example("set", "volume", "0.5")
      _ = try await example("set", "nickname", "Ada")
    }
    #expect(outcome.status == 0)
    #expect(
      try example.storedEntries() == ["theme": "dark", "volume": 0.5, "nickname": "Ada"])
  }

  @Test("If another program changes an edited setting, the editor opens again to confirm the edit")
  func conflict() async throws {
    let outcome = try await edit(
      #"""
      if grep -q '\^\^\^' "$1"; then
        grep '\^\^\^' "$1" > "$FOLDER/reason"; sed -i '/\^\^\^/d' "$1"
      else
        sed -i 's/"volume": 0.8/"volume": 0.25/; s/"system"/"dark"/' "$1"
      fi
      """#
    ) {
      _ = try await example("set", "volume", "0.5")
    }
    #expect(outcome.lines == ["theme = dark", "volume = 0.25"])
    #expect(
      try example.folder.text(of: "reason")
        == "// ^^^ volume is now 0.5; remove this line to store your value\n")
    #expect(try example.storedEntries() == ["theme": "dark", "volume": 0.25])
  }

  @Test("A conflict that the editor leaves unresolved stores nothing")
  func conflictLeft() async throws {
    let outcome = try await edit(#"sed -i 's/"volume": 0.8/"volume": 0.25/' "$1""#) {
      _ = try await example("set", "volume", "0.5")
    }
    #expect(outcome.status == 64)
    #expect(outcome.error.contains("volume is now 0.5"))
    #expect(try example.storedEntries() == ["volume": 0.5])
  }

  @Test("An edit succeeds if another program sets a setting to the same value meanwhile")
  func agreement() async throws {
    let outcome = try await edit(#"sed -i 's/"volume": 0.8/"volume": 0.5/' "$1""#) {
      _ = try await example("set", "volume", "0.5")
    }
    #expect(outcome.status == 0)
    #expect(try example.storedEntries() == ["volume": 0.5])
  }

  #if os(Linux)
    @Test("The editor of an edit is in the terminal's foreground")
    func foreground() async throws {
      let terminal = try PseudoTerminal()
      // The fifth number of a process is its group, and the eighth is the foreground group of its
      // terminal (`proc(5)`).
      try example.folder.write(
        #"""
        read -r id name state parent group session terminal foreground rest < /proc/$$/stat
        echo "$((group == foreground))" > "$FOLDER/foreground"
        """#, to: "editor")
      let process = try example.start(
        ["edit"], script: #"exec setsid --ctty --wait "$0" "$@" <"$TERMINAL" >"$TERMINAL" 2>&1"#,
        environment: [
          "EDITOR": "sh \(example.folder["editor"])", "FOLDER": example.folder.path,
          "TERMINAL": terminal.path,
        ])
      #expect(try await process.end().status == 0)
      #expect(try example.folder.text(of: "foreground") == "1\n")
    }
  #endif

  @Test("A SIGTERM during an edit is passed to the editor, and an unchanged file is removed")
  func termination() async throws {
    func terminate() async throws -> ChildProcess.Outcome {
      let process = try example.edit(
        with: #"trap 'exit 3' TERM; echo "$1"; while :; do sleep 0.1; done"#)
      let path = try #require(await process.nextLine())
      process.signal(SIGTERM)
      let outcome = await process.outcome()
      #expect(!FileManager.default.fileExists(atPath: path))
      return outcome
    }
    var outcome = try await terminate()
    // The editor has five seconds to exit. On a busy machine, it may need longer.
    for _ in 1...5 where outcome.wasKilled { outcome = try await terminate() }
    #expect(outcome.status == 70)
    #expect(outcome.error.contains("status 3"))
  }

  @Test("Control-C during an edit is left to the editor, and the edited file is removed")
  func interrupt() async throws {
    let process = try example.edit(
      with: #"echo "$1"; trap 'exit 130' INT; while :; do sleep 0.1; done"#)
    let path = try #require(await process.nextLine())
    #expect(FileManager.default.fileExists(atPath: path))
    let editors = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(
      pid_t.init
    )
    .filter { pid in
      let command = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline"))
      return command.map { String(decoding: $0, as: UTF8.self).contains(path) } ?? false
    }
    // As a terminal does: to the program and its children.
    process.signal(SIGINT)
    for editor in editors { kill(editor, SIGINT) }
    let outcome = await process.outcome()
    #expect(outcome.status == 70)
    #expect(outcome.errorLines.count == 1)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("An edited file may have CRLF line ends and a byte order mark")
  func lineEnds() async throws {
    let outcome = try await edit(
      #"""
      sed -i 's/"theme": "system"/"theme": "dark"/; s/$/\r/' "$1"
      { printf '\357\273\277'; cat "$1"; } > "$1.new" && mv "$1.new" "$1"
      """#)
    #expect(outcome.lines == ["theme = dark"])
    #expect(outcome.error == "" && outcome.status == 0)
  }

  @Test(
    "Edited text that can't be stored is kept, and its path is printed",
    arguments: [#"exit 3"#, #"kill -KILL $$"#, #"printf '\377' >> "$1""#])
  func kept(end: String) async throws {
    try example.folder.makeFolder("temporary")
    let process = try example.edit(
      with:
        "sed -i 's/system/dark/' \"$1\"; \(end)",
      environment: ["TMPDIR": example.folder["temporary"]])
    let outcome = try await process.end()
    #expect([65, 70].contains(outcome.status))
    let folder = try #require(example.folder.names(in: "temporary").first)
    let name = "temporary/\(folder)/settings.json"
    #expect(
      outcome.errorLines.last?.hasSuffix("your text is kept in \(example.folder[name])")
        == true)
    #expect(try Data(contentsOf: example.folder.url(name)).contains(Data("\"dark\"".utf8)))
    #expect(try example.folder.mode(of: "temporary/\(folder)") == 0o700)
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test("An edit whose file is missing before or after the editor runs fails with a one-line error")
  func noFile() async throws {
    let before = try await example.edit(with: ":", environment: ["TMPDIR": example.folder["none"]])
      .end()
    #expect(before.status == 74)
    let behind = try await edit(#"rm "$1""#)
    #expect(behind.status == 66)
    for outcome in [before, behind] {
      #expect(outcome.errorLines.count == 1)
      #expect(!outcome.error.contains("Error Domain"))
    }
  }
}
