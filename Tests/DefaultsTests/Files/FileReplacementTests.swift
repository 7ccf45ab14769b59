import Foundation
import Harness
import Testing

@testable import Defaults

@Suite("Replacing a file")
struct FileReplacementTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func replace(_ name: String, with text: String) throws {
    try StoredFile(path: folder[name]).replace(with: Data(text.utf8))
  }

  @Test("The first save makes the file and its folders, for the user's eyes only")
  func firstSave() throws {
    try replace("a/b/file", with: "new")
    #expect(try folder.text(of: "a/b/file") == "new")
    #expect(try folder.mode(of: "a/b/file") == 0o600)
    #expect(try folder.mode(of: "a") == 0o700)
    #expect(try folder.mode(of: "a/b") == 0o700)
    #expect(try folder.names(in: "a/b") == ["file"])
  }

  @Test("The umask changes no mode", arguments: [0o000, 0o022, 0o077, 0o777] as [UInt16])
  func umasks(mask: UInt16) async {
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, mask = mask as UInt16] in
      becomeOrdinaryUser(owning: path)
      umask(mode_t(mask))
      for text in ["first", "second"] {
        try StoredFile(path: path + "/a/b/file").replace(with: Data(text.utf8))
        #expect(try String(contentsOfFile: path + "/a/b/file", encoding: .utf8) == text)
        for (name, mode) in ["a": 0o700, "a/b": 0o700, "a/b/file": 0o600] as [String: Int] {
          let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
          #expect(attributes[.posixPermissions] as? Int == mode)
        }
      }
    }
  }

  @Test("A file keeps its mode", arguments: [0o600, 0o640, 0o644, 0o660, 0o666, 0o755])
  func mode(mode: Int) throws {
    try folder.write("old", to: "file", mode: mode)
    try replace("file", with: "new")
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.mode(of: "file") == mode)
  }

  @Test("A folder that is there keeps its mode")
  func folderMode() throws {
    try folder.makeFolder("open", mode: 0o755)
    try replace("open/file", with: "new")
    #expect(try folder.mode(of: "open") == 0o755)
  }

  @Test("Root saves a user's file, and it stays the user's", .enabled(if: geteuid() == 0))
  func owner() throws {
    try folder.write("old", to: "file", mode: 0o640)
    #expect(chown(folder["file"], 1234, 5678) == 0)
    try replace("file", with: "new")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder["file"])
    #expect(attributes[.ownerAccountID] as? Int == 1234)
    #expect(attributes[.groupOwnerAccountID] as? Int == 5678)
    #expect(try folder.mode(of: "file") == 0o640)
  }

  @Test(
    "A group that can't be kept doesn't hand its permissions to another group",
    .enabled(if: geteuid() == 0), arguments: [(0o640, 0o600), (0o664, 0o644), (0o666, 0o666)])
  func group(old: Int, new: Int) async throws {
    try folder.write("old", to: "file", mode: old)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path, group: 0)
      try StoredFile(path: path + "/file").replace(with: Data("new".utf8))
    }
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.mode(of: "file") == new)
  }

  @Test("A symbolic link is followed and stays", arguments: ["link", "chain", "way/link"])
  func symbolicLink(name: String) throws {
    try folder.makeFolder("real")
    try folder.write("old", to: "real/file", mode: 0o640)
    try folder.link("link", to: "real/file")
    try folder.link("chain", to: "link")
    try folder.link("way", to: ".")
    try replace(name, with: "new")
    #expect(try folder.type(of: name) == .typeSymbolicLink)
    #expect(try folder.type(of: "real/file") == .typeRegular)
    #expect(try folder.text(of: "real/file") == "new")
    #expect(try folder.mode(of: "real/file") == 0o640)
    #expect(try folder.names() == ["chain", "link", "real", "way"])
  }

  @Test("A dangling link gets its file, where it points to")
  func danglingLink() throws {
    try folder.link("link", to: "later/file")
    try replace("link", with: "new")
    #expect(try folder.type(of: "link") == .typeSymbolicLink)
    #expect(try folder.text(of: "later/file") == "new")
  }

  @Test("A link that was put in the file's place meanwhile is followed too")
  func laterLink() throws {
    let file = try StoredFile(path: folder["file"])
    try file.replace(with: Data("old".utf8))
    try FileManager.default.moveItem(atPath: folder["file"], toPath: folder["moved"])
    try folder.link("file", to: "moved")
    try file.replace(with: Data("new".utf8))
    #expect(try folder.type(of: "file") == .typeSymbolicLink)
    #expect(try folder.text(of: "moved") == "new")
  }

  @Test("Another hard link of the file keeps the old content")
  func hardLink() throws {
    try folder.write("old", to: "file")
    try FileManager.default.linkItem(atPath: folder["file"], toPath: folder["other"])
    try replace("file", with: "new")
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.text(of: "other") == "old")
  }

  @Test("Any number of bytes is written", arguments: [0, 1, 4096, 3_000_017])
  func sizes(count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let file = try StoredFile(path: folder["file"])
    // A slice, whose indices don't start at 0.
    try file.replace(with: (Data([1, 2, 3]) + data).dropFirst(3))
    #expect(try file.read()?.data == data)
  }

  @Test(
    "A name may be as long as the file system takes",
    arguments: [String(repeating: "n", count: 255), String(repeating: "é", count: 127)])
  func longName(name: String) throws {
    try replace(name, with: "new")
    #expect(try folder.names() == [name])
  }

  @Test("Many threads replace one file, and it holds what one of them wrote")
  func concurrentSaves() async throws {
    let file = try StoredFile(path: folder["file"])
    try await withThrowingTaskGroup { group in
      for byte in 0..<16 as Range<UInt8> {
        group.addTask { try file.replace(with: Data(repeating: byte, count: 100_000)) }
      }
      try await group.waitForAll()
    }
    let data = try #require(try file.read()?.data)
    #expect(data.count == 100_000)
    #expect(Set(data).count == 1)
    #expect(try folder.names() == ["file"])
  }

  @Test("Many threads make the same folders, and all of them save")
  func concurrentFolders() async throws {
    // The threads have to meet between a look and the next step, so it is tried often and deep.
    for round in 0..<8 {
      let name = "\(round)" + String(repeating: "/below", count: 40)
      let paths = (0..<4).map { folder["\(name)/\($0)"] }
      try await withThrowingTaskGroup { group in
        for path in paths {
          group.addTask { try StoredFile(path: path).replace(with: Data("new".utf8)) }
        }
        try await group.waitForAll()
      }
      #expect(try folder.names(in: name) == ["0", "1", "2", "3"])
    }
  }

  @Test("Without room the old file stays whole and nothing is left beside it")
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

  @Test("Content and attributes are on the disk before the new file gets the name of the old one")
  func order() throws {
    try folder.write("old", to: "file", mode: 0o640)
    let disk = FaultyFileSystem()
    let calls = Log<FaultyFileSystem.Operation>()
    disk.fail(with: .EIO) { call in
      if [.write, .changeMode, .synchronize, .move].contains(call.operation) {
        calls.append(call.operation)
      }
      return false
    }
    try StoredFile(path: folder["file"], on: disk).replace(with: Data("new".utf8))
    #expect(calls.all == [.write, .changeMode, .synchronize, .move, .synchronize])
  }

  @Test("A folder that can't be synced is an error, though the new content is in the file")
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
    #expect(error.reason.contains("a power loss could still undo that"))
    #expect((error.underlying as? POSIXError)?.code == .EIO)
    #expect(try folder.names() == ["file"])
    #expect(try folder.text(of: "file") == "new")
  }

  @Test("A new folder whose name can't be synced is an error, and no file is made")
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
      #expect(error.reason.contains("The folder can't be made"))
      #expect((error.underlying as? POSIXError)?.code == .EIO)
    }
    #expect(try folder.names(in: "a/b") == [])
  }

  @Test(
    "When the last step isn't allowed, the old file stays and nothing is left beside it",
    .enabled(if: geteuid() == 0))
  func renameRefused() async throws {
    // In a sticky folder of somebody else, others' files can be written but not replaced.
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
    "What may not be written stays as it is",
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
      #expect(error.reason.contains("Permission denied. Let the user"))
    }
    #expect(try folder.text(of: name) == "old")
  }

  @Test("A folder that may be written but not listed is good enough")
  func unlistableFolder() async throws {
    try folder.makeFolder("blind", mode: 0o300)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      try StoredFile(path: path + "/blind/file").replace(with: Data("new".utf8))
    }
    #expect(try folder.text(of: "blind/file") == "new")
  }

  @Test("A folder in the file's place is refused and stays")
  func folderInPlace() throws {
    try folder.makeFolder("file")
    let error = try #require(throws: Defaults.SuiteError.self) { try replace("file", with: "new") }
    #expect(error.code == .unwritable)
    #expect(error.reason.contains("a folder"))
    #expect(try folder.type(of: "file") == .typeDirectory)
    #expect(try folder.names() == ["file"])
  }

  @Test(
    "A pipe in the file's place, or behind a link, is refused and stays", arguments: [false, true])
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

  /// What comes of a replacement when `a` has come to be a file, where a folder must be.
  private func errorWithFileInTheWay() throws -> Defaults.SuiteError {
    let file = try StoredFile(path: folder["a/file"])
    try folder.write("old", to: "a")
    return try #require(throws: Defaults.SuiteError.self) {
      try file.replace(with: Data("new".utf8))
    }
  }

  @Test("A file that comes to stand in a folder's place is refused and stays")
  func fileInFoldersPlace() throws {
    let error = try errorWithFileInTheWay()
    #expect(error.code == .unwritable)
    #expect((error.underlying as? POSIXError)?.code == .ENOTDIR)
    #expect(try folder.text(of: "a") == "old")
  }

  @Test("An error's description is one line with the path, the reason and the way out")
  func description() throws {
    let error = try errorWithFileInTheWay()
    #expect(
      error.description == """
        \(folder["a/file"]): The path can't be followed: Not a directory. Move away the file that \
        is in place of a folder
        """)
  }
}
