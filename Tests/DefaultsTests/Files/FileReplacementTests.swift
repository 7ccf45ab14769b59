import Foundation
import Harness
import TestSupport
import Testing

@testable import Defaults

@Suite("Replacing a file", .prompt)
struct FileReplacementTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func replace(_ name: String, with text: String) throws {
    try StoredFile(path: folder[name]).replace(with: Data(text.utf8))
  }

  @Test("The first save creates the file and its folders with permissions for their owner only")
  func firstSave() throws {
    try replace("a/b/file", with: "new")
    #expect(try folder.text(of: "a/b/file") == "new")
    #expect(try folder.mode(of: "a/b/file") == 0o600)
    #expect(try folder.mode(of: "a") == 0o700)
    #expect(try folder.mode(of: "a/b") == 0o700)
    #expect(try folder.names(in: "a/b") == ["file"])
  }

  @Test(
    "The permissions of a new file and its folders don't depend on the umask",
    arguments: [0o000, 0o022, 0o077, 0o777] as [UInt16])
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

  @Test(
    "A file keeps its permissions when it is replaced",
    arguments: [0o600, 0o640, 0o644, 0o660, 0o666, 0o755])
  func mode(mode: Int) throws {
    try folder.write("old", to: "file", mode: mode)
    try replace("file", with: "new")
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.mode(of: "file") == mode)
  }

  @Test("An existing folder keeps its permissions when a file in it is replaced")
  func folderMode() throws {
    try folder.makeFolder("open", mode: 0o755)
    try replace("open/file", with: "new")
    #expect(try folder.mode(of: "open") == 0o755)
  }

  @Test(
    "A file that root replaces keeps its owner, group and permissions", .needsRoot, .tags(.root))
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
    "If a file's group can't be kept, the new group doesn't get the permissions of the old one",
    .needsRoot, .tags(.root), arguments: [(0o640, 0o600), (0o664, 0o644), (0o666, 0o666)])
  func group(old: Int, new: Int) async throws {
    try folder.write("old", to: "file", mode: old)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path, group: 0)
      try StoredFile(path: path + "/file").replace(with: Data("new".utf8))
    }
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.mode(of: "file") == new)
  }

  @Test(
    "Replacing through a symbolic link replaces its destination and keeps the link",
    arguments: ["link", "chain", "way/link"])
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

  @Test("Replacing through a dangling link creates the file at its destination")
  func danglingLink() throws {
    try folder.link("link", to: "later/file")
    try replace("link", with: "new")
    #expect(try folder.type(of: "link") == .typeSymbolicLink)
    #expect(try folder.text(of: "later/file") == "new")
  }

  @Test("A link that took the file's place after the first save is followed")
  func laterLink() throws {
    let file = try StoredFile(path: folder["file"])
    try file.replace(with: Data("old".utf8))
    try FileManager.default.moveItem(atPath: folder["file"], toPath: folder["moved"])
    try folder.link("file", to: "moved")
    try file.replace(with: Data("new".utf8))
    #expect(try folder.type(of: "file") == .typeSymbolicLink)
    #expect(try folder.text(of: "moved") == "new")
  }

  @Test("Another hard link to the file keeps the old content")
  func hardLink() throws {
    try folder.write("old", to: "file")
    try FileManager.default.linkItem(atPath: folder["file"], toPath: folder["other"])
    try replace("file", with: "new")
    #expect(try folder.text(of: "file") == "new")
    #expect(try folder.text(of: "other") == "old")
  }

  @Test("A replacement writes data of any size", arguments: [0, 1, 4096, 3_000_017])
  func sizes(count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let file = try StoredFile(path: folder["file"])
    // A slice, whose indices don't start at 0.
    try file.replace(with: (Data([1, 2, 3]) + data).dropFirst(3))
    #expect(try file.read()?.data == data)
  }

  @Test(
    "A file whose name has the maximum length can be replaced",
    arguments: [String(repeating: "n", count: 255), String(repeating: "é", count: 127)])
  func longName(name: String) throws {
    try replace(name, with: "new")
    #expect(try folder.names() == [name])
  }

  @Test("After concurrent replacements, a file has the content of exactly one of them")
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

  @Test("Concurrent saves that create the same folders all succeed")
  func concurrentFolders() async throws {
    // Two threads must create the same folder at the same time, so there are many deep folders.
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

  @Test("Content and permissions are synced before the new file takes the name of the old one")
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

  @Test("A file can be replaced in a folder that is writable but can't be listed")
  func unlistableFolder() async throws {
    try folder.makeFolder("blind", mode: 0o300)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      try StoredFile(path: path + "/blind/file").replace(with: Data("new".utf8))
    }
    #expect(try folder.text(of: "blind/file") == "new")
  }

  @Test("A temporary of a suite whose name begins with another suite's name isn't the other's")
  func temporaryOfSimilarName() throws {
    let file = try StoredFile(path: folder["app"])
    let similar = try StoredFile(path: folder["app.plist"])
    #expect(file.isTemporary(file.newTemporaryName))
    #expect(similar.isTemporary(similar.newTemporaryName))
    #expect(!file.isTemporary(similar.newTemporaryName))
    #expect(!similar.isTemporary(file.newTemporaryName))
  }
}
