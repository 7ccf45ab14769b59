import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Modes, owners and links", .prompt)
struct OwnershipTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  private let allFiles = [SettingsFolder.file, SettingsFolder.journal]

  private func attributes(of name: String) throws -> FileStatus {
    try LocalFileSystem().status(of: folder[name])
  }

  /// Exports a file twice and writes a journal with a record.
  private func write(_ path: String = SettingsFolder.file) throws -> OpenSuite {
    let process = try OpenSuite(folder[path])
    for number in 1...2 {
      process.set(.integer(Int64(number)), "x")
      try process.flush(.snapshot)
    }
    process.set(3, "x")
    return process
  }

  @Test(
    "New files and new folders are private to their owner", arguments: [0, 0o022, 0o077])
  func newFiles(mask: Int) async throws {
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, mask = mask as Int] in
      umask(mode_t(mask))
      let process = try OpenSuite(path + "/a/b/suite.plist")
      for number in 1...3 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(number < 3 ? .snapshot : .durable)
      }
      process.kill()
    }
    for name in allFiles { #expect(try folder.mode(of: "a/b/" + name) == 0o600) }
    for name in ["a", "a/b"] { #expect(try folder.mode(of: name) == 0o700) }
  }

  @Test(
    "A file keeps its mode, and its journal admits all users who may write the file",
    arguments: [(0o640, 0o600), (0o644, 0o600), (0o664, 0o660), (0o666, 0o666), (0o602, 0o606)])
  func keptMode(mode: Int, journal: Int) throws {
    try settings.edit(["x": 0])
    #expect(chmod(settings.path, mode_t(mode)) == 0)
    let process = try settings.open()
    process.set(1, "x")
    #expect(try folder.mode(of: SettingsFolder.journal) == journal)
    process.kill()
    let next = try write()
    #expect(try folder.mode(of: SettingsFolder.file) == mode)
    #expect(try folder.mode(of: SettingsFolder.journal) == journal)
    next.kill()
  }

  @Test(
    "A user who may only read the file can read its settings and can't block its writers",
    .needsRoot, .tags(.root))
  func reader() async throws {
    try settings.edit(["x": 0])
    for (path, mode) in [(settings.path, 0o644), (folder.path, 0o755)] as [(String, mode_t)] {
      #expect(chmod(path, mode) == 0)
    }
    let process = try write()
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      #expect(open(path + ".journal", O_RDONLY) < 0)
      let reader = try OpenSuite(path)
      #expect(reader.entries == ["x": 2])
      #expect(reader.health == .readOnly)
      #expect(reader.issues.codes == [.unwritable])
      reader.set(4, "x")
      #expect(reader.entries == ["x": 4])
      reader.expectFailure(at: path, because: "Permission denied")
    }
    #expect(process.entries == ["x": 3])
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 3])
  }

  @Test(
    "A file of the superuser that this user can change is opened without an issue", .needsRoot,
    .tags(.root))
  func fileOfRoot() async throws {
    try settings.edit(["x": 0])
    #expect(chmod(settings.path, 0o666) == 0)
    #expect(chown(folder.path, 65_534, 65_534) == 0)
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      let process = try OpenSuite(path)
      #expect(process.issues.codes == [])
      #expect(process.health == .intact)
      process.kill()
    }
  }

  @Test(
    "A file keeps its owner and group, and the files next to it have the same owner and group",
    .needsRoot, .tags(.root))
  func keptOwner() throws {
    try settings.edit(["x": 0])
    #expect(chown(settings.path, 1_234, 5_678) == 0)
    #expect(chmod(settings.path, 0o640) == 0)
    let process = try write()
    for name in allFiles {
      let status = try attributes(of: name)
      #expect([status.owner, status.group] == [1_234, 5_678])
      #expect(status.mode == (name == SettingsFolder.journal ? 0o600 : 0o640))
    }
    process.kill()
  }

  @Test("After a recovery, the quarantined file and the new file have the mode of the damaged file")
  func recovered() throws {
    try settings.edit(["x": 0])
    #expect(chmod(settings.path, 0o640) == 0)
    let process = try write()
    process.kill()
    try settings.overwrite(with: "damaged")
    #expect(try settings.found() == ["x": 3])
    let aside = try #require(try settings.setAside().first)
    for name in [SettingsFolder.file, aside] {
      #expect(try folder.mode(of: name) == 0o640)
    }
    #expect(try folder.mode(of: SettingsFolder.journal) == 0o600)
  }

  @Test("A symbolic link is followed and kept, and all files are next to the real file")
  func symbolicLink() throws {
    try folder.makeFolder("real")
    try folder.link("suite.plist", to: "real/suite.plist")
    let process = try write()
    #expect(try folder.type(of: SettingsFolder.file) == .typeSymbolicLink)
    #expect(try folder.names() == ["real", "suite.plist"])
    #expect(try folder.names(in: "real") == allFiles.sorted())
    process.kill()
    try settings.overwrite("real/suite.plist", with: "damaged")
    let next = try settings.open()
    #expect(next.health == .recoveredFromJournal)
    #expect(next.entries == ["x": 3])
    #expect(next.issues.last?.error.path == folder["real/suite.plist"])
    #expect(try folder.type(of: SettingsFolder.file) == .typeSymbolicLink)
    #expect(try folder.names() == ["real", "suite.plist"])
  }

  @Test("A suite on another user's file reports an issue", .needsRoot, .tags(.root))
  func foreignOwner() throws {
    try settings.edit(["x": 1])
    #expect(chown(settings.path, 1_234, 1_234) == 0)
    let process = try settings.open()
    #expect(process.entries == ["x": 1])
    #expect(process.issues.codes == [.insecurePermissions])
    #expect(process.issues.last?.error.path == settings.path)
    #expect(process.health == .intact)
  }

  @Test("A suite in a folder that others may write reports an issue, with or without a file")
  func exposedFolder() throws {
    #expect(chmod(folder.path, 0o777) == 0)
    let process = try settings.open()
    #expect(process.issues.codes == [.insecurePermissions])
    #expect(process.issues.last?.error.path == folder.path)
    #expect(process.issues.last?.error.reason.contains("replace the file") == true)
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(process.health == .intact)
    #expect(chmod(folder.path, 0o1777) == 0)
    let later = try settings.open()
    #expect(later.issues.codes == [.insecurePermissions])
    #expect(later.issues.last?.error.reason.contains("under unused names") == true)
    #expect(chmod(folder.path, 0o700) == 0)
    #expect(try settings.open().issues.count == 0)
  }
}
