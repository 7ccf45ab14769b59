import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Checks of a file's access rights at opening", .prompt)
struct FileAccessTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let content = #"<plist version="1.0"><dict/></plist>"#

  /// The problem that a suite reports when it is opened on a file, or nil.
  private static func problem(with file: StoredFile) -> Defaults.SuiteError? {
    do throws(Defaults.SuiteError) {
      let issues = IssueLog()
      // Background work is off, so nothing is written.
      let (suite, start) = try FileStore.open(
        file, isAutomatic: false, onIssue: { issues.append($0) })
      start()
      let health = suite.persistence.health
      #expect(health == (issues.count == 0 ? .intact : .readOnly))
      #expect(issues.count <= 1)
      return issues.last?.error
    } catch {
      return error
    }
  }

  @Test(
    "A file that can be read and saved passes the check, whether it exists or not",
    arguments: ["file", "new", "a/b/c/new", "link", "dangling"])
  func passes(name: String) async throws {
    try folder.write(Self.content, to: "file")
    try folder.link("link", to: "file")
    try folder.link("dangling", to: "later/file")
    let names = try folder.names()
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      becomeOrdinaryUser(owning: path)
      let problem = try Self.problem(with: StoredFile(path: "\(path)/\(name)"))
      #expect(problem == nil)
    }
    #expect(try folder.names() == names)
  }

  @Test(
    "The check of a file that can't be read or saved throws an error with its path",
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
    try folder.write(Self.content, to: "writeonly", mode: 0o200)
    try folder.write(Self.content, to: "readonly", mode: 0o400)
    try folder.makeFolder("fixed")
    try folder.write(Self.content, to: "fixed/file")
    try folder.link("link", to: "fixed/file")
    try folder.link("dangling", to: "fixed/later/file")
    #expect(chmod(folder["fixed"], 0o500) == 0)
    await #expect(processExitsWith: .success) {
      [
        path = folder.path as String, name = name as String, code = code.rawValue as String,
        place = place as String
      ] in
      becomeOrdinaryUser(owning: path)
      let problem = try Self.problem(with: StoredFile(path: "\(path)/\(name)"))
      let error = try #require(problem)
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
    let problem = try Self.problem(with: StoredFile(path: folder["file"]))
    let error = try #require(problem)
    #expect(error.code == .unreadable)
    #expect(error.reason.contains("not a file"))
  }

  @Test("The check of a file throws if another file is at the path of its folder")
  func fileInFoldersPlace() throws {
    let file = try StoredFile(path: folder["a/b/file"])
    try folder.write(Self.content, to: "a")
    let error = try #require(Self.problem(with: file))
    #expect((error.underlying as? POSIXError)?.code == .ENOTDIR)
    // The same if the file appears between the checks of the file and of its folder.
    let late = try StoredFile(path: folder["later/file"])
    try folder.write(Self.content, to: "later")
    let status = try LocalFileSystem().status(of: folder["later"])
    let lateError = #expect(throws: Defaults.SuiteError.self) {
      try late.checkWritable(exists: false, folder: status)
    }
    #expect(lateError?.code == .unwritable)
    #expect(lateError?.path == folder["later"])
  }

  @Test("Two paths to one file give equal stored files")
  func identity() throws {
    try folder.link("way", to: ".")
    let file = try StoredFile(path: folder["file"])
    #expect(try StoredFile(path: folder["way/file"]) == file)
    #expect(try StoredFile(url: folder.url("way/./file")) == file)
    #expect(try StoredFile(path: folder["other"]) != file)
  }
}
