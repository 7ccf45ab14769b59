import Foundation
import Testing

@testable import Defaults

@Suite("Setting a damaged file aside")
struct FileQuarantineTests {
  let folder: TemporaryFolder
  /// 2026-01-31 23:59:59 UTC.
  let now = Date(timeIntervalSince1970: 1_769_903_999)

  init() throws { folder = try TemporaryFolder() }

  private func setAside(_ name: String) throws -> String? {
    let version = try #require(try Defaults.FileReading.content(of: folder[name])).version
    return try Defaults.FileQuarantine.setAside(folder[name], version: version, now: now)
  }

  @Test("The file gets a name with the time, and keeps its content and mode")
  func moved() throws {
    try folder.write("damaged", to: "file", mode: 0o640)
    #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z"])
    #expect(try folder.names() == ["file.corrupt-20260131T235959Z"])
    #expect(try folder.text(of: "file.corrupt-20260131T235959Z") == "damaged")
    #expect(try folder.mode(of: "file.corrupt-20260131T235959Z") == 0o640)
  }

  @Test("The time is now unless a test says otherwise")
  func time() throws {
    try folder.write("damaged", to: "file")
    let file = try Defaults.StoredFile(path: folder["file"])
    let version = try #require(try file.read()).version
    let aside = try #require(try file.setAside(version))
    #expect(try folder.names().map { folder[$0] } == [aside])
    let pattern = try Regex(#"/file\.corrupt-2\d{7}T\d{6}Z$"#)
    #expect(aside.contains(pattern))
  }

  @Test("Files set aside in one second all stay")
  func numbered() throws {
    for (text, suffix) in [("a", ""), ("b", "-2"), ("c", "-3")] {
      try folder.write(text, to: "file")
      let name = "file.corrupt-20260131T235959Z" + suffix
      #expect(try setAside("file") == folder[name])
      #expect(try folder.text(of: name) == text)
    }
    #expect(try folder.names().count == 3)
  }

  @Test("A dangling link that has the name isn't followed or replaced")
  func danglingLink() throws {
    try folder.link("file.corrupt-20260131T235959Z", to: "elsewhere")
    try folder.write("damaged", to: "file")
    #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z-2"])
    #expect(try folder.type(of: "file.corrupt-20260131T235959Z") == .typeSymbolicLink)
  }

  @Test("A link stays, and the file it leads to is set aside where it is")
  func symbolicLink() throws {
    try folder.makeFolder("real")
    try folder.write("damaged", to: "real/file")
    try folder.link("link", to: "real/file")
    #expect(try setAside("link") == folder["real/file.corrupt-20260131T235959Z"])
    #expect(try folder.type(of: "link") == .typeSymbolicLink)
    #expect(try folder.names(in: "real") == ["file.corrupt-20260131T235959Z"])
  }

  @Test("A link that was put in the file's place meanwhile stays too")
  func laterLink() throws {
    let file = try Defaults.StoredFile(path: folder["file"])
    try folder.makeFolder("real")
    try folder.write("damaged", to: "real/file")
    try folder.link("file", to: "real/file")
    let version = try #require(try file.read()).version
    #expect(try file.setAside(version)?.hasPrefix(folder["real/file.corrupt-"]) == true)
    #expect(try folder.type(of: "file") == .typeSymbolicLink)
  }

  @Test(
    "A file that isn't the one that was read stays", arguments: ["replaced", "written", "gone"])
  func otherVersion(change: String) throws {
    try folder.write("damaged", to: "file")
    let file = try Defaults.StoredFile(path: folder["file"])
    let version = try #require(try file.read()).version
    switch change {
    case "replaced": try file.replace(with: Data("healthy".utf8))
    case "written":
      let handle = try FileHandle(forWritingTo: folder.url("file"))
      try handle.write(contentsOf: Data("healthy".utf8))
      try handle.close()
      // The same inode and size; the clock of the file system may not have moved yet.
      let date = Date(timeIntervalSince1970: 1_000_000)
      try FileManager.default.setAttributes(
        [.modificationDate: date], ofItemAtPath: folder["file"])
    default: try FileManager.default.removeItem(atPath: folder["file"])
    }
    #expect(try file.setAside(version) == nil)
    #expect(try folder.names() == (change == "gone" ? [] : ["file"]))
    if change != "gone" { #expect(try folder.text(of: "file") == "healthy") }
  }

  @Test("A stranger's file that was caught in the move goes back")
  func putBack() throws {
    try folder.write("healthy", to: "aside")
    try Defaults.FileQuarantine.putBack(folder["aside"], as: folder["file"])
    #expect(try folder.names() == ["file"])
    #expect(try folder.text(of: "file") == "healthy")
  }

  @Test("A file that was caught in the move stays aside when a newer one has its name")
  func putBackTaken() throws {
    try folder.write("caught", to: "aside")
    try folder.write("newer", to: "file")
    try Defaults.FileQuarantine.putBack(folder["aside"], as: folder["file"])
    #expect(try folder.text(of: "aside") == "caught")
    #expect(try folder.text(of: "file") == "newer")
  }

  @Test("A long name makes room for the time", arguments: ["n", "é"])
  func longName(character: String) throws {
    let name = String(repeating: character, count: 254 / character.utf8.count)
    try folder.write("damaged", to: name)
    let aside = try #require(try setAside(name))
    #expect(try folder.names().map { folder[$0] } == [aside])
    #expect(aside.hasSuffix("\(character).corrupt-20260131T235959Z"))
  }

  @Test("In a folder that can't be written the file stays, and the error says so")
  func readOnlyFolder() async throws {
    try folder.makeFolder("fixed")
    try folder.write("damaged", to: "fixed/file")
    #expect(chmod(folder["fixed"], 0o500) == 0)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let file = try Defaults.StoredFile(path: path + "/fixed/file")
      let version = try #require(try file.read()).version
      let error = try #require(throws: Defaults.SuiteError.self) { try file.setAside(version) }
      #expect(error.code == .unwritable)
      #expect(error.path == path + "/fixed/file")
      #expect(error.reason.contains("set aside: Permission denied"))
    }
    #expect(try folder.names(in: "fixed") == ["file"])
  }

  @Test(
    "When the move isn't allowed, no empty file is left behind", .enabled(if: geteuid() == 0))
  func moveRefused() async throws {
    try folder.makeFolder("sticky", mode: 0o1777)
    try folder.write("damaged", to: "sticky/file", mode: 0o666)
    #expect(chmod(folder.path, 0o755) == 0)
    await #expect(processExitsWith: .success) { [path = folder["sticky"] as String] in
      try #require(setuid(65_534) == 0)
      let file = try Defaults.StoredFile(path: path + "/file")
      let version = try #require(try file.read()).version
      #expect(throws: Defaults.SuiteError.self) { try file.setAside(version) }
    }
    #expect(try folder.names(in: "sticky") == ["file"])
  }
}
