import Foundation
import Harness
import TestSupport
import Testing

@testable import Defaults

// Replacements that fail and leave the old file unchanged.

extension FileReplacementTests {
  @Test("A replacement beyond the file size limit keeps the old file and leaves no other file")
  func noRoom() async throws {
    try folder.write("old", to: "file")
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      try ResourceLimit.fileSize.set(to: 100_000)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: path + "/file").replace(with: Data(count: 200_000))
      }
      #expect(error.code == .unwritable)
      #expect((error.underlying as? POSIXError)?.code == .EFBIG)
      #expect(error.reason.contains("ulimit -f"))
    }
    #expect(try folder.text(of: "file") == "old")
    #expect(try folder.names() == ["file"])
  }

  @Test(
    "If the new file can't be locked, a replacement throws and leaves no other file",
    arguments: [FaultyFileSystem.Operation.lock, .status])
  func unlockable(failing operation: FaultyFileSystem.Operation) throws {
    try folder.write("old", to: "file")
    let disk = FaultyFileSystem()
    disk.fail(with: .ENOLCK) { $0.operation == operation && $0.path.hasSuffix(".tmp") }
    let error = try #require(throws: Defaults.SuiteError.self) {
      try StoredFile(path: folder["file"], on: disk).replace(with: Data("new".utf8))
    }
    #expect((error.underlying as? POSIXError)?.code == .ENOLCK)
    #expect(try folder.text(of: "file") == "old")
    #expect(try folder.names() == ["file"])
  }

  @Test("If another program removes each new file, a replacement throws and keeps the old file")
  func removedAtOnce() throws {
    try folder.write("old", to: "file")
    let disk = FaultyFileSystem()
    disk.delay { call in
      guard call.operation == .lock, call.path.hasSuffix(".tmp") else { return }
      try? FileManager.default.removeItem(atPath: call.path)
    }
    let error = try #require(throws: Defaults.SuiteError.self) {
      try StoredFile(path: folder["file"], on: disk).replace(with: Data("new".utf8))
    }
    #expect((error.underlying as? POSIXError)?.code == .EEXIST)
    #expect(try folder.text(of: "file") == "old")
    #expect(try folder.names() == ["file"])
  }

  @Test("If the folder can't be synced, a replacement throws although the file has the new content")
  func unsyncedFolder() throws {
    try folder.write("old", to: "file")
    let disk = FaultyFileSystem()
    disk.fail(with: .EIO) { [path = folder.path] in
      $0.operation == .synchronize && $0.path == path
    }
    let error = try #require(throws: Defaults.SuiteError.self) {
      try StoredFile(path: folder["file"], on: disk).replace(with: Data("new".utf8))
    }
    #expect(error.code == .unwritable)
    #expect(error.reason.contains("a power loss could restore the old content"))
    #expect((error.underlying as? POSIXError)?.code == .EIO)
    #expect(try folder.names() == ["file"])
    #expect(try folder.text(of: "file") == "new")
  }

  @Test("If a new folder's name can't be synced, a replacement throws and creates no file")
  func unsyncedNewFolder() throws {
    for parent in ["", "a"] {
      let disk = FaultyFileSystem()
      disk.fail(with: .EIO) { [path = parent.isEmpty ? folder.path : folder[parent]] in
        $0.operation == .synchronize && $0.path == path
      }
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: folder["a/b/file"], on: disk).replace(
          with: Data("new".utf8))
      }
      #expect(error.reason.contains("The folder can't be created"))
      #expect((error.underlying as? POSIXError)?.code == .EIO)
    }
    #expect(try folder.names(in: "a/b") == [])
  }

  @Test(
    "If the rename isn't permitted, a replacement keeps the old file and leaves no other file",
    .needsRoot, .tags(.root))
  func renameNotPermitted() async throws {
    // In a sticky folder, a user can write the files of other users but not replace them.
    try folder.makeFolder("sticky", mode: 0o1777)
    try folder.write("old", to: "sticky/file", mode: 0o666)
    #expect(chmod(folder.path, 0o755) == 0)
    await #expect(processExitsWith: .success) { [path = folder["sticky"] as String] in
      try #require(setuid(65_534) == 0)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: path + "/file").replace(with: Data("new".utf8))
      }
      #expect((error.underlying as? POSIXError)?.code == .EPERM)
    }
    #expect(try folder.text(of: "sticky/file") == "old")
    #expect(try folder.names(in: "sticky") == ["file"])
  }

  @Test(
    "Replacing a file that is read-only, or in a read-only folder, throws and changes nothing",
    arguments: [("readonly/file", 0o500, 0o600), ("file", 0o700, 0o400), ("way/new", 0o500, 0o600)])
  func noPermission(name: String, folderMode: Int, fileMode: Int) async throws {
    let parent = String(name.prefix { $0 != "/" })
    if name.contains("/") { try folder.makeFolder(parent) }
    try folder.write("old", to: name, mode: fileMode)
    if name.contains("/") { #expect(chmod(folder[parent], mode_t(folderMode)) == 0) }
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      becomeOrdinaryUser(owning: path)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: "\(path)/\(name)").replace(with: Data("new".utf8))
      }
      #expect(error.code == .unwritable)
      #expect(error.path == "\(path)/\(name)")
      #expect((error.underlying as? POSIXError)?.code == .EACCES)
      #expect(error.reason.contains("Permission denied. Give the user"))
    }
    #expect(try folder.text(of: name) == "old")
  }

  @Test("If a folder is in the file's place, a replacement throws, and the folder stays unchanged")
  func folderInPlace() throws {
    try folder.makeFolder("file")
    let error = try #require(throws: Defaults.SuiteError.self) { try replace("file", with: "new") }
    #expect(error.code == .unwritable)
    #expect(error.reason.contains("a folder"))
    #expect(try folder.type(of: "file") == .typeDirectory)
    #expect(try folder.names() == ["file"])
  }

  @Test(
    "If a pipe is in the file's place, or at the end of a link, a replacement throws",
    arguments: [false, true])
  func pipeInPlace(linked: Bool) throws {
    #expect(mkfifo(folder["pipe"], 0o600) == 0)
    try folder.link("link", to: "pipe")
    let error = try #require(throws: Defaults.SuiteError.self) {
      try replace(linked ? "link" : "pipe", with: "new")
    }
    #expect(error.code == .unwritable)
    #expect(error.path == folder["pipe"])
    #expect(try folder.type(of: "pipe") == .typeUnknown)
    #expect(try folder.names() == ["link", "pipe"])
  }

  /// The error of a replacement after a file has taken the place of the folder `a`.
  private func errorWithFileInTheWay() throws -> Defaults.SuiteError {
    let file = try StoredFile(path: folder["a/file"])
    try folder.write("old", to: "a")
    return try #require(throws: Defaults.SuiteError.self) {
      try file.replace(with: Data("new".utf8))
    }
  }

  @Test(
    "If a file takes the place of a folder of the path, a replacement throws and keeps the file")
  func fileInFoldersPlace() throws {
    let error = try errorWithFileInTheWay()
    #expect(error.code == .unwritable)
    #expect((error.underlying as? POSIXError)?.code == .ENOTDIR)
    #expect(try folder.text(of: "a") == "old")
  }

  @Test(
    "The description of a replacement's error has the path, the reason and the remedy in one line")
  func description() throws {
    let error = try errorWithFileInTheWay()
    #expect(
      error.description == """
        \(folder["a/file"]): The path can't be followed: Not a directory. Move away the file \
        whose path must be a folder
        """)
  }
}
