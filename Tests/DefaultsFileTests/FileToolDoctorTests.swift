import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The file tool's doctor", .timeLimit(.aHang))
struct FileToolDoctorTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  /// Runs the doctor, which must not change anything.
  private func doctor() async throws -> ChildProcess.Outcome {
    let before = try tool.everything()
    let outcome = try await tool("doctor")
    #expect(try tool.everything() == before)
    return outcome
  }

  /// A file with a journal.
  private func makeHistory() async throws {
    #expect(try await tool("set", "theme", "dark").status == 0)
    #expect(try await tool("set", "theme", "light").status == 0)
  }

  @Test("The file tool's doctor describes intact files without a problem")
  func sound() async throws {
    try await makeHistory()
    let outcome = try await doctor()
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
    #expect(outcome.lines.last == "  No problems found.")
    #expect(outcome.lines.contains("  file: it holds 1 entry as a binary property list"))
    #expect(outcome.output.contains("journal: it holds"))
    #expect(
      outcome.output.contains(
        "deleting it loses only the history, since the file has these entries"))
    #expect(outcome.output.contains("rw-------"))
  }

  @Test("The file tool's doctor reports a damaged file with the position and the replacement")
  func damagedFile() async throws {
    try await makeHistory()
    try tool.folder.write(
      "<plist><dict>\n<key>a</key>\n<oops/></dict></plist>", to: "settings.plist")
    let outcome = try await doctor()
    #expect(outcome.status == 1)
    #expect(outcome.errorLines == ["defaults-file: 1 problem found"])
    #expect(
      outcome.lines.contains {
        $0.hasPrefix("! file: it is damaged: line 3, column 1")
          && $0.contains("reads all settings from the journal")
      })
    #expect(
      outcome.lines.contains(
        "  file: deleting it removes the settings that it had, also from the journal"))
    #expect(outcome.output.contains("deleting it loses the latest changes of 1 entry"))
    try FileManager.default.removeItem(atPath: tool.path)
    #expect(try await tool("list").lines == [])
  }

  @Test("The file tool's doctor counts a change of the library's own entries")
  func libraryEntries() async throws {
    try await makeHistory()
    let (suite, start) = try FileStore.open(
      StoredFile(path: tool.path), isAutomatic: false, onIssue: { Issue.record($0.error) })
    start()
    suite.write(.set(2), named: Defaults.versionName)
    let outcome = try await doctor()
    #expect(outcome.output.contains("deleting it loses the latest changes of 1 entry"))
    withExtendedLifetime(suite) {}
  }

  @Test("The file tool's doctor reports a missing file and no other problem")
  func missing() async throws {
    let outcome = try await doctor()
    #expect(outcome.status == 1)
    #expect(outcome.lines == ["! file: \(tool.path): there are no settings here"])
  }

  @Test("The file tool's doctor reports files left by a killed process")
  func leftover() async throws {
    try await makeHistory()
    for path in [tool.path, tool.path + ".journal"] {
      // By a process of its own: a child that another test forks would inherit an open file.
      let leftover = tool.folder[try StoredFile(path: path).newTemporaryName]
      _ = try await ChildProcess.run(URL(filePath: "/bin/cp"), [tool.path, leftover])
    }
    let outcome = try await doctor()
    #expect(outcome.status == 1)
    #expect(outcome.lines.count { $0.hasPrefix("! leftover: probably left by a process") } == 2)
  }

  @Test("The file tool's doctor counts the recoverable entries of quarantined files")
  func setAside() async throws {
    try await makeHistory()
    let data = try Defaults.PropertyListFormat.xml.encode(["a": 1, "b": 2])
    try data.dropLast(12).write(to: tool.folder.url("settings.plist.corrupt-20260131T235959Z"))
    let outcome = try await doctor()
    #expect(outcome.output.contains("`recover` reads 2 entries of it"))
    #expect(outcome.status == 0)
  }

  @Test("The file tool's doctor reports a damaged journal with the position")
  func damagedJournal() async throws {
    try await makeHistory()
    let url = tool.folder.url("settings.plist.journal")
    var data = try Data(contentsOf: url)
    data[12] ^= 1
    try data.write(to: url)
    let outcome = try await doctor()
    #expect(outcome.status == 1)
    #expect(outcome.lines.contains { $0.hasPrefix("! journal: its header is damaged") })
  }

  @Test("The file tool's doctor lists processes with the file open and doesn't wait for a lock")
  func holder() async throws {
    try await makeHistory()
    let suite = try Defaults.PropertyListSuite(url: tool.folder.url(FileToolProgram.file))
    suite.set("blue", forKey: "theme")
    // An export in the background would lock the journal, too.
    try await suite.flush(.snapshot)
    let journal = open(tool.folder["settings.plist.journal"], O_RDWR | O_CLOEXEC)
    defer { close(journal) }
    #expect(flock(journal, LOCK_EX | LOCK_NB) == 0)
    let outcome = try await tool("doctor")
    #expect(outcome.lines.contains { $0.hasPrefix("  open: by process \(getpid()) (") })
    #expect(outcome.output.contains("journal: it holds"))
    #expect(outcome.status == 0)
  }

  @Test("The file tool's doctor reports a pipe in the journal's place and doesn't open it")
  func pipe() async throws {
    try await makeHistory()
    let journal = tool.folder["settings.plist.journal"]
    unlink(journal)
    #expect(mkfifo(journal, 0o600) == 0)
    let outcome = try await tool("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.lines.contains("! journal: it can't be read: it is a pipe, socket or device"))
  }
}
