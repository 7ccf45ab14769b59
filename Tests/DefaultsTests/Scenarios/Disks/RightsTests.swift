import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Files and folders without access rights", .prompt)
struct RightsTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// A file with `x`, and a journal that changes it, an empty journal, or none.
  private func prepare(journal: Journal) throws {
    try settings.run { process in
      process.set("old", "x")
      try process.flush(.snapshot)
      if journal == .withRecords { process.set("journal", "x") }
    }
    if journal == .none { try settings.remove(SettingsFolder.journal) }
  }

  enum Journal: CaseIterable { case none, empty, withRecords }

  @Test(
    "The error about a journal that can't be opened for writing has the system's reason",
    arguments: [
      (.EACCES, "Permission denied. Give the user that runs the program"),
      (.EPERM, "Operation not permitted. Give the user that runs the program"),
      (.EROFS, "Read-only file system. Use a writable file system"),
    ] as [(POSIXErrorCode, String)])
  func journalRefused(code: POSIXErrorCode, reason: String) throws {
    try prepare(journal: .withRecords)
    let disk = FaultyFileSystem()
    disk.rejectWriting(of: folder[SettingsFolder.journal], with: code)
    let process = try settings.open(on: disk)
    #expect(process.issues.codes == [.unwritable])
    #expect(process.issues.last?.error.reason.contains(reason) == true)
    process.set("new", "x")
    process.expectFailure(at: folder[SettingsFolder.journal], because: reason)
    #expect(process.entries == ["x": "new"])
  }

  @Test("A change to a read-only file stays in memory and is stored later")
  func readOnlyFile() async throws {
    try prepare(journal: .none)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let file = path + "/suite.plist"
      let old = try Data(contentsOf: URL(filePath: file))
      chmod(file, 0o400)
      let process = try openReadOnly(file, because: file)
      for extent in [Defaults.FlushExtent.durable, .snapshot] {
        process.expectFailure(
          of: extent, at: file, because: "Permission denied. Give the user that runs the program")
      }
      #expect(try Data(contentsOf: URL(filePath: file)) == old)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["suite.plist"])
      chmod(file, 0o600)
      try process.flush()
      #expect(process.health == .intact)
      let next = try OpenSuite(file)
      #expect(next.entries == ["x": "new"])
      next.kill()
      try process.flush(.snapshot)
    }
    #expect(try settings.entries() == ["x": "new"])
    #expect(try folder.mode(of: SettingsFolder.file) == 0o600)
  }

  @Test(
    "A change in a read-only folder leaves no partial state and is stored later",
    arguments: Journal.allCases)
  func readOnlyFolder(journal: Journal) async throws {
    try prepare(journal: journal)
    let hasJournal = journal != .none
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, hasJournal = hasJournal as Bool] in
      becomeOrdinaryUser(owning: path)
      let file = path + "/suite.plist"
      let old = try Data(contentsOf: URL(filePath: file))
      let names = try Set(FileManager.default.contentsOfDirectory(atPath: path))
      chmod(path, 0o500)
      let process = try openReadOnly(file, because: path)
      // An existing journal gets the change.
      #expect((try? process.flush()) != nil ? hasJournal : !hasJournal)
      process.expectFailure(of: .snapshot, prefix: file, because: "Permission denied")
      #expect(try Data(contentsOf: URL(filePath: file)) == old)
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: path)) == names)
      chmod(path, 0o700)
      try process.flush(.snapshot)
      #expect(process.health == .intact)
    }
    #expect(try settings.entries() == ["x": "new"])
    #expect(try settings.found() == ["x": "new"])
  }

  @Test("With a read-only journal, flush throws an error with its path, and the file stays")
  func readOnlyJournal() async throws {
    try prepare(journal: .withRecords)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let journal = path + "/suite.plist.journal"
      chmod(journal, 0o400)
      let process = try OpenSuite(path + "/suite.plist")
      #expect(process.entries == ["x": "journal"])
      #expect(process.health == .readOnly)
      process.set("new", "x")
      process.expectFailure(at: journal)
      #expect(process.entries == ["x": "new"])
      chmod(journal, 0o600)
      try process.flush(.snapshot)
      #expect(process.health == .intact)
    }
    #expect(try settings.entries() == ["x": "new"])
  }

  @Test("If an open file becomes unreadable, changes go to the journal, and the file stays")
  func turnsUnreadable() async throws {
    try prepare(journal: .empty)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let file = path + "/suite.plist"
      let old = try Data(contentsOf: URL(filePath: file))
      let process = try OpenSuite(file)
      chmod(file, 0o000)
      process.set("new", "x")
      #expect(process.entries == ["x": "new"])
      for _ in 0..<2 {
        process.expectFailure(
          of: .snapshot, at: file, because: "Permission denied", codes: [.unreadable, .unwritable])
      }
      // The journal has every entry, so the file need not be read.
      #expect(try OpenSuite(file).entries == ["x": "new"])
      for number in 0..<10 { process.set(.integer(Int64(number)), "y") }
      #expect(process.issues.count <= 1, "\(process.issues.all)")
      #expect(process.entries == ["x": "new", "y": 9])
      chmod(file, 0o600)
      #expect(try Data(contentsOf: URL(filePath: file)) == old)
      let next = try OpenSuite(file)
      #expect(next.entries == ["x": "new", "y": 9])
      next.kill()
      try process.flush(.snapshot)
      #expect(process.health == .intact)
    }
    #expect(try settings.entries() == ["x": "new", "y": 9])
  }

  @Test("A watched file that becomes unreadable is reported once, not at each change")
  func turnsUnreadableWatched() async throws {
    try prepare(journal: .empty)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let file = path + "/suite.plist"
      let (reports, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
      let issues = IssueLog()
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: file),
        onIssue: {
          issues.append($0)
          report.yield($0)
        })
      suite.set(0, forKey: "y")
      try await suite.flush(.snapshot)
      chmod(file, 0o000)
      for await issue in reports {
        #expect(issue.code == .unreadable)
        #expect(issue.error.path == file)
        break
      }
      for number in 0..<100 { suite.set(number, forKey: "y") }
      #expect(suite.entries == ["x": "old", "y": 99])
      #expect(issues.count < 5, "\(issues.all)")
      chmod(file, 0o600)
      try await suite.flush(.snapshot)
    }
    #expect(try settings.entries() == ["x": "old", "y": 99])
  }
}

/// A process that opens a suite without write permission for a path: this is an issue, and a local
/// change stays in memory.
private func openReadOnly(_ file: String, because path: String) throws -> OpenSuite {
  let process = try OpenSuite(file)
  #expect(process.health == .readOnly)
  #expect(process.issues.codes == [.unwritable])
  #expect(process.issues.last?.error.path == path)
  process.set("new", "x")
  #expect(process.entries == ["x": "new"])
  return process
}
