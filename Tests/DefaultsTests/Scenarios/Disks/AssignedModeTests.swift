import Foundation
import TestSupport
import Testing

@testable import Defaults

/// FAT and some FUSE file systems assign the owners and modes of all files.
@Suite("File systems that assign owners and modes")
struct AssignedModeTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  @Test(
    "Settings are stored on a file system that assigns owners and modes",
    arguments: [geteuid(), geteuid() + 1], [0o700, 0o755, 0o777] as [mode_t])
  func stored(owner: uid_t, mode: mode_t) throws {
    func open() throws -> OpenSuite {
      let disk = FaultyFileSystem()
      disk.assign(owner: owner, mode: mode)
      return try OpenSuite(folder["a/b/suite.plist"], on: disk)
    }
    let first = try open()
    first.set(1, "x")
    // Another process, while there is only a journal.
    let second = try open()
    #expect(second.entries == ["x": 1])
    second.set(2, "y")
    for number in 2...3 as ClosedRange<Int64> {
      first.set(.integer(number), "x")
      try first.flush(.snapshot)
    }
    #expect(first.health == .intact)
    #expect(first.issues.codes.allSatisfy { $0 == .insecurePermissions })
    #expect(try settings.entries(of: "a/b/suite.plist") == ["x": 3, "y": 2])
    #expect(try folder.names(in: "a/b") == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("If an access list can't be removed, the file is saved, and its group gets no rights")
  func accessList() throws {
    try settings.edit(["x": 0])
    #expect(chmod(settings.path, 0o664) == 0)
    let process = try settings.open()
    process.disk.fail(with: .EPERM) { $0.operation == .changeAttribute }
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 1])
    #expect(try folder.mode(of: SettingsFolder.file) == 0o604)
    #expect(process.issues.count == 0)
  }

  @Test("A file that became private during an export isn't replaced by one that can't be private")
  func secret() throws {
    try settings.edit(["x": 0])
    #expect(chmod(settings.path, 0o644) == 0)
    let process = try settings.open()
    process.set(1, "x")
    process.disk.delay { [settings, disk = process.disk] call in
      // The new file has the mode of the old one.
      guard call.operation == .synchronize, call.path.hasSuffix(".tmp") else { return }
      chmod(settings.path, 0o600)
      disk.fail(with: .EPERM) { $0.operation == .changeMode }
    }
    process.expectFailure(of: .snapshot, because: "Operation not permitted")
    #expect(try settings.entries() == ["x": 0])
    #expect(try folder.mode(of: SettingsFolder.file) == 0o600)
  }

  @Test("The names of new folders are synced, though their modes don't show that they are new")
  func newFolders() throws {
    let disk = FaultyFileSystem()
    disk.assign(owner: geteuid(), mode: 0o755)
    let syncs = Log<String>()
    disk.delay { call in if call.operation == .synchronize { syncs.append(call.path) } }
    let process = try OpenSuite(folder["a/b/suite.plist"], on: disk)
    process.set(1, "x")
    try process.flush()
    for path in [folder.path, folder["a"], folder["a/b"]] { #expect(syncs.all.contains(path)) }
  }
}
