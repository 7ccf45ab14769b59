import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Files left by killed processes", .prompt)
struct LeftoverTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// The name of a temporary file of the suite.
  private var temporary: String {
    get throws { try StoredFile(path: settings.path).newTemporaryName }
  }

  @Test("Opening removes temporary files of ended processes and keeps those of running processes")
  func sweep() throws {
    try settings.run { process in process.set(1, "n") }
    let file = try StoredFile(path: settings.path)
    let journal = try StoredFile(path: folder[SettingsFolder.journal])
    let living = [try file.temporary(), try journal.temporary()]
    let names = living.map { ($0.path as NSString).lastPathComponent }
    // The same process, or one that has its number now: only the lock distinguishes them.
    for file in [file, journal] { try folder.write("left", to: file.newTemporaryName) }
    try folder.write("mine", to: ".suite.plist.notes")
    try folder.write("other", to: ".other.plist.1-1.tmp")
    let process = try settings.open()
    #expect(
      try folder.names()
        == ([".other.plist.1-1.tmp", ".suite.plist.notes", SettingsFolder.journal] + names)
        .sorted())
    withExtendedLifetime((living, process)) {}
  }

  @Test("Without a journal, a file that may be another process's export stays until an export")
  func sweepWithoutJournal() throws {
    let left = try temporary
    try settings.edit(["a": 1])
    try folder.write("another process's export", to: left)
    try folder.write("left", to: StoredFile(path: folder[SettingsFolder.journal]).newTemporaryName)
    let process = try settings.open()
    #expect(try folder.names() == [left, SettingsFolder.file])
    process.set(1, "n")
    try process.flush(.snapshot)
    #expect(try folder.names() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("Without a journal, a file stays that another process's export exchanges meanwhile")
  func sweepDuringExchange() throws {
    let left = try temporary
    try settings.edit(["a": 1])
    let edit = try Data(contentsOf: folder.url(SettingsFolder.file))
    try folder.write("another process's export", to: left)
    let disk = FaultyFileSystem()
    disk.delay { [path = settings.path, other = folder[left]] call in
      guard call.operation == .lock, call.path == other else { return }
      #expect(throws: Never.self) { try LocalFileSystem().exchange(other, path) }
    }
    let process = try settings.open(on: disk)
    #expect(try folder.names() == [left, SettingsFolder.file])
    #expect(try Data(contentsOf: folder.url(left)) == edit)
    withExtendedLifetime(process) {}
  }

  @Test("Without a journal, opening removes a second name of the property list")
  func sweepSecondName() throws {
    try settings.edit(["a": 1])
    // An export was interrupted between the two system calls that give a first file its name.
    #expect(link(settings.path, folder[try temporary]) == 0)
    let process = try settings.open()
    #expect(try folder.names() == [SettingsFolder.file])
    #expect(process.entries == ["a": 1])
  }

  @Test("Without a journal and property list, opening removes all temporary files")
  func sweepWithoutFiles() throws {
    for name in [SettingsFolder.file, SettingsFolder.journal] {
      try folder.write("left", to: StoredFile(path: folder[name]).newTemporaryName)
    }
    try settings.open().kill()
    #expect(try folder.names() == [])
  }

  @Test("A program that only reads, and exits early, still removes temporary files")
  func sweepByReader() async throws {
    try settings.run { process in process.set(1, "n") }
    let left = try temporary
    try folder.write("left", to: left)
    // In a program of its own, which exits before the library would otherwise do it.
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      exit(suite.entries["n"] == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    #expect(try !folder.names().contains(left))
  }

  @Test("Temporary files stay while another process is in a commit")
  func sweepBesideCommit() throws {
    try settings.run { process in process.set(1, "n") }
    let left = try temporary
    try folder.write("left", to: left)
    let journal = try LocalFileSystem().open(folder[SettingsFolder.journal], .update)
    #expect(try journal.tryLock())
    try settings.open().kill()
    #expect(try folder.text(of: left) == "left")
    try journal.unlock()
    try settings.open().kill()
    #expect(try folder.names() == [SettingsFolder.journal])
  }

  @Test("Temporary files of a first commit stay when a process that found no journal exits")
  func sweepBesideFirstCommit() async throws {
    let name = try temporary
    await #expect(processExitsWith: .success) {
      [
        path = settings.path as String, journal = folder[SettingsFolder.journal] as String,
        left = folder[name] as String
      ] in
      dieAtHang()
      let reader = try Defaults.PropertyListSuite(url: URL(filePath: path))
      let process = try OpenSuite(path)
      process.set(1, "n")
      process.kill()
      let locked = try LocalFileSystem().open(journal, .update)
      // The reader may hold the lock for a moment.
      while try !locked.tryLock() { sched_yield() }
      try Data("an editor's".utf8).write(to: URL(filePath: left))
      withExtendedLifetime((reader, locked)) { exit(EXIT_SUCCESS) }
    }
    #expect(try folder.text(of: name) == "an editor's")
  }

  @Test("A file of another program with a temporary name stays and is neither opened nor locked")
  func foreign() async throws {
    try folder.write("mine", to: "victim")
    try folder.write("an editor's", to: ".suite.plist.swap.tmp")
    try folder.write("an editor's", to: ".suite.plist.1-A.tmp")
    try folder.write("an editor's", to: ".suite.plist.1-f.tmp")
    try folder.link(temporary, to: "victim")
    try folder.link(temporary, to: "nowhere")
    #expect(try mkfifo(folder[temporary], 0o600) == 0)
    try folder.makeFolder(temporary)
    let names = try folder.names()
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let process = try OpenSuite(path)
      process.kill()
    }
    #expect(try folder.names() == names)
  }

  @Test(
    "A process killed at any call of a snapshot leaves only files that the next snapshot removes")
  func killedSnapshot() throws {
    for number in 1...200 where try !isDone(killingAt: number) { return }
    Issue.record("A snapshot makes more than 200 calls")
  }

  /// Kills a process at a call of a snapshot; returns false if that call wasn't made.
  private func isDone(killingAt number: Int) throws -> Bool {
    try folder.makeFolder("\(number)")
    let path = folder["\(number)/suite.plist"]
    let process = try OpenSuite(path)
    process.set(1, "x")
    try process.flush(.snapshot)
    process.set(2, "x")
    let start = process.disk.count
    process.disk.fail(with: .EIO) { $0.number >= start + number }
    let wasKilled = (try? process.flush(.snapshot)) == nil
    process.kill()
    let next = try OpenSuite(path)
    defer { next.kill() }
    #expect(next.entries == ["x": 2])
    let known = [SettingsFolder.file, SettingsFolder.journal]
    #expect(try Set(folder.names(in: "\(number)")).subtracting(known) == [], "call \(number)")
    return wasKilled
  }
}
