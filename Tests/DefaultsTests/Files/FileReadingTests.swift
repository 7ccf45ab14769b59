import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Reads of files", .prompt)
struct FileReadingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func error(reading path: String) throws -> Defaults.SuiteError {
    try #require(throws: Defaults.SuiteError.self) {
      try StoredFile(path: path).read()
    }
  }

  @Test(
    "A file is read completely", arguments: ["", "x", LongText(repeating: "long ", count: 100_000)])
  func whole(text: LongText) throws {
    let text = text.value
    try folder.write(text, to: "file")
    let content = try #require(try StoredFile(path: folder["file"]).read())
    #expect(content.data == Data(text.utf8))
    #expect(content.version.size == text.utf8.count)
  }

  @Test(
    "A file is missing only if it doesn't exist",
    arguments: ["missing", "no/such/folder/file", "dangling"])
  func missing(name: String) throws {
    try folder.link("dangling", to: "nowhere/file")
    #expect(try StoredFile(path: folder[name]).read() == nil)
  }

  @Test(
    "A file that can't be reached is unreadable, not missing",
    arguments: [
      ("file/below", POSIXErrorCode.ENOTDIR), ("loop", .ELOOP), ("loop/file", .ELOOP),
      (String(repeating: "n", count: 300), .ENAMETOOLONG),
    ])
  func unreachable(name: String, code: POSIXErrorCode) throws {
    try folder.write("x", to: "file")
    try folder.link("loop", to: "loop")
    let error = try error(reading: folder[name])
    #expect(error.code == .unreadable)
    #expect(error.path == folder[name])
    #expect((error.underlying as? POSIXError)?.code == code)
  }

  @Test(
    "A file or folder without read permission is unreadable, not missing",
    arguments: ["secret", "closed/file", "closed/missing"])
  func noPermission(name: String) async throws {
    try folder.write("x", to: "secret", mode: 0o200)
    try folder.makeFolder("closed")
    try folder.write("x", to: "closed/file")
    #expect(chmod(folder["closed"], 0o600) == 0)
    await #expect(processExitsWith: .success) {
      [path = folder.path as String, name = name as String] in
      becomeOrdinaryUser(owning: path)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: "\(path)/\(name)").read()
      }
      #expect(error.code == .unreadable)
      #expect((error.underlying as? POSIXError)?.code == .EACCES)
    }
  }

  @Test("A folder is unreadable as a file")
  func aFolder() throws {
    let error = try error(reading: folder.path)
    #expect(error.code == .unreadable)
    #expect(error.reason.contains("a folder, not a file"))
  }

  @Test(
    "A pipe, a socket and a device are unreadable, and reading doesn't wait",
    arguments: ["pipe", "link", "socket", "/dev/null", "/dev/zero"])
  func special(name: String) async throws {
    #expect(mkfifo(folder["pipe"], 0o600) == 0)
    try folder.link("link", to: "pipe")
    #expect(mknod(folder["socket"], S_IFSOCK | 0o600, 0) == 0)
    let path = name.hasPrefix("/") ? name : folder[name]
    await #expect(processExitsWith: .success) { [path = path as String] in
      // A blocked call is killed, and the test fails.
      dieAtHang()
      let error = try #require(throws: Defaults.SuiteError.self) {
        try StoredFile(path: path).read()
      }
      #expect(error.code == .unreadable)
      #expect(error.reason.contains("not a file"))
    }
  }

  @Test("A pipe that replaces a file before it is opened doesn't block")
  func openingPipe() async throws {
    #expect(mkfifo(folder["pipe"], 0o600) == 0)
    await #expect(processExitsWith: .success) { [path = folder["pipe"] as String] in
      dieAtHang()
      let pipe = try LocalFileSystem().open(path, .read)
      let kind = try pipe.status().kind
      #expect(kind == .special)
    }
  }

  @Test("A file above the size limit isn't read")
  func tooLarge() throws {
    try folder.write("x", to: "file")
    #expect(truncate(folder["file"], off_t(Defaults.SizeLimit.file + 1)) == 0)
    let error = try error(reading: folder["file"])
    #expect(error.code == .unreadable)
    #expect(error.reason.contains("1024 MiB"))
  }

  @Test(
    "The bytes of a file that changed after it was opened are rejected",
    arguments: ["x", "longer than before", "sized"])
  func changing(text: String) throws {
    try folder.write("small", to: "file")
    let date = Date(timeIntervalSince1970: 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder["file"])
    let file = try LocalFileSystem().open(folder["file"], .read)
    let version = try file.status().version
    let handle = try FileHandle(forWritingTo: folder.url("file"))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
    let bytes = try file.bytes(expecting: version)
    #expect(bytes == nil)
  }

  @Test("A file that was replaced after it was opened is read in its old version")
  func replaced() throws {
    try folder.write("old", to: "file")
    let file = try LocalFileSystem().open(folder["file"], .read)
    let version = try file.status().version
    try StoredFile(path: folder["file"]).replace(with: Data("new".utf8))
    let bytes = try file.bytes(expecting: version)
    #expect(bytes == Data("old".utf8))
  }

  #if canImport(Glibc)
    @Test("Reading stops if the size of a file never agrees with its content")
    func neverTheSame() throws {
      let error = try error(reading: "/proc/self/status")
      #expect(error.code == .unreadable)
      #expect(error.reason.contains("changed each time"))
    }
  #endif

  @Test("The version of a file changes with replacement and writing, and with nothing else")
  func versions() throws {
    let file = try StoredFile(path: folder["file"])
    #expect(try file.status()?.version == nil)
    try file.replace(with: Data("one".utf8))
    let version = try file.status()?.version
    #expect(try file.read()?.version == version)
    #expect(chmod(folder["file"], 0o640) == 0)
    #expect(try file.status()?.version == version)
    try file.replace(with: Data("two".utf8))
    #expect(try file.status()?.version != version)
  }

  @Test(
    "Any time of a file can be compared with the current time",
    arguments: [
      (Int.min, false), (-1, false), (998, false), (999, true), (1000, true), (1001, true),
      (1002, false), (.max, false),
    ])
  func times(seconds: Int, isRecent: Bool) {
    let time = FileTime(seconds: seconds, nanoseconds: 0)
    #expect(time.isWithin(seconds: 2, of: 1000) == isRecent)
  }
}
