import Foundation
import Testing

@testable import Defaults

@Suite("Checking a file before it is opened")
struct FileAccessTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "A file that can be read and saved passes, whether it exists or not",
    arguments: ["file", "new", "a/b/c/new", "link", "dangling"])
  func passes(name: String) async throws {
    try folder.write("x", to: "file")
    try folder.link("link", to: "file")
    try folder.link("dangling", to: "later/file")
    let names = try folder.names()
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      becomeOrdinaryUser(owning: path)
      try Defaults.StoredFile(path: "\(path)/\(name)").checkAccess()
    }
    #expect(try folder.names() == names)
  }

  @Test(
    "What we may not read or save is found out, and where",
    arguments: [
      ("writeonly", Defaults.SuiteError.Code.unreadable, "writeonly"),
      ("readonly", .unwritable, "readonly"),
      ("fixed/file", .unwritable, "fixed"),
      ("fixed/new", .unwritable, "fixed"),
      ("fixed/a/b/new", .unwritable, "fixed"),
      ("link", .unwritable, "fixed"),
      ("dangling", .unwritable, "fixed"),
    ])
  func permissions(name: String, code: Defaults.SuiteError.Code, place: String) async throws {
    try folder.write("x", to: "writeonly", mode: 0o200)
    try folder.write("x", to: "readonly", mode: 0o400)
    try folder.makeFolder("fixed")
    try folder.write("x", to: "fixed/file")
    try folder.link("link", to: "fixed/file")
    try folder.link("dangling", to: "fixed/later/file")
    #expect(chmod(folder["fixed"], 0o500) == 0)
    await #expect(processExitsWith: .success) {
      [
        path = folder.path as String, name = name as String, code = code.rawValue as String,
        place = place as String
      ] in
      becomeOrdinaryUser(owning: path)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try Defaults.StoredFile(path: "\(path)/\(name)").checkAccess()
      }
      #expect(error.code.rawValue == code)
      #expect(error.path == "\(path)/\(place)")
      #expect((error.underlying as? POSIXError)?.code == .EACCES)
    }
  }

  @Test("A folder or a pipe in the file's place is unreadable", arguments: [true, false])
  func notAFile(isFolder: Bool) throws {
    if isFolder {
      try folder.makeFolder("file")
    } else {
      #expect(mkfifo(folder["file"], 0o600) == 0)
    }
    let error = try #require(throws: Defaults.SuiteError.self) {
      try Defaults.StoredFile(path: folder["file"]).checkAccess()
    }
    #expect(error.code == .unreadable)
    #expect(error.reason.contains("not a file"))
  }

  @Test("A file that comes to stand in a folder's place is found out")
  func fileInFoldersPlace() throws {
    let file = try Defaults.StoredFile(path: folder["a/b/file"])
    try folder.write("x", to: "a")
    let error = try #require(throws: Defaults.SuiteError.self) { try file.checkAccess() }
    #expect((error.underlying as? POSIXError)?.code == .ENOTDIR)
  }

  @Test("Two ways to one file are one stored file")
  func identity() throws {
    try folder.link("way", to: ".")
    let file = try Defaults.StoredFile(path: folder["file"])
    #expect(try Defaults.StoredFile(path: folder["way/file"]) == file)
    #expect(try Defaults.StoredFile(url: folder.url("way/./file")) == file)
    #expect(try Defaults.StoredFile(path: folder["other"]) != file)
  }
}
