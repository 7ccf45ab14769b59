import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Canonical paths", .prompt)
struct CanonicalPathTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("real/deep")
    try folder.write("x", to: "real/file")
    try folder.link("link", to: "real")
    try folder.link("absolute", to: folder["real"])
    try folder.link("chain", to: "link")
    try folder.link("deeplink", to: "real/deep")
    try folder.link("filelink", to: "link/file")
    try folder.link("dangling", to: "real/later/file")
    try folder.link("self", to: "self")
    try folder.link("ping", to: "pong")
    try folder.link("pong", to: "ping")
  }

  @Test(
    "All paths to a file have one canonical path",
    arguments: [
      "real/file", "link/file", "absolute/file", "chain/file", "filelink", "./real/./file",
      "real//file", "real/deep/../file", "deeplink/../file", "missing/../real/file", "real/file/",
      "real/file/.",
    ])
  func existing(way: String) throws {
    #expect(try CanonicalPath(folder[way]).string == folder["real/file"])
  }

  @Test(
    "A file that doesn't exist yet has a canonical path",
    arguments: [
      ("real/new", "real/new"), ("link/new", "real/new"), ("chain/a/b/c", "real/a/b/c"),
      ("dangling", "real/later/file"), ("deeplink/../../new", "new"), ("a/../b", "b"),
    ])
  func missing(way: String, path: String) throws {
    #expect(try CanonicalPath(folder[way]).string == folder[path])
  }

  @Test("The canonical path of a file stays the same when the file is created")
  func stable() throws {
    let before = try CanonicalPath(folder["dangling"])
    try folder.makeFolder("real/later")
    try folder.write("x", to: "dangling")
    #expect(try CanonicalPath(folder["dangling"]) == before)
    #expect(try CanonicalPath(folder["link/later/file"]) == before)
  }

  @Test("A relative path starts in the working folder")
  func relative() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      try #require(chdir(path + "/link/deep") == 0)
      for way in ["../file", "./../file", "../../filelink", "../../real/file"] {
        #expect(try CanonicalPath(way).string == path + "/real/file")
      }
      #expect(try CanonicalPath("new/file").string == path + "/real/deep/new/file")
      let url = URL(filePath: "../file")
      #expect(try StoredFile(url: url).path == path + "/real/file")
    }
  }

  @Test("Resolving a relative path in a removed working folder throws")
  func goneWorkingFolder() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      try #require(mkdir(path + "/gone", 0o700) == 0)
      try #require(chdir(path + "/gone") == 0)
      try #require(rmdir(path + "/gone") == 0)
      let error = try #require(throws: Defaults.SuiteError.self) {
        try CanonicalPath("file")
      }
      #expect(error.code == .unreadable)
    }
  }

  @Test(
    "Resolving a path that can't be followed throws an error with the system's reason",
    arguments: [
      ("self", POSIXErrorCode.ELOOP), ("ping/file", .ELOOP), ("real/file/below", .ENOTDIR),
      ("real/file/..", .ENOTDIR), ("filelink/below", .ENOTDIR),
      (String(repeating: "n", count: 300), .ENAMETOOLONG),
    ])
  func unfollowable(way: String, code: POSIXErrorCode) throws {
    let error = try #require(throws: Defaults.SuiteError.self) {
      try CanonicalPath(folder[way])
    }
    #expect(error.code == .unreadable)
    #expect(error.path == folder[way])
    #expect((error.underlying as? POSIXError)?.code == code)
    #expect(error.reason.contains(String(cString: strerror(code.rawValue))))
  }

  @Test("A path through forty links is followed, and a path through forty-one is rejected")
  func linkLimit() throws {
    try folder.link("0", to: "real/file")
    for number in 1...40 { try folder.link("\(number)", to: "\(number - 1)") }
    #expect(try CanonicalPath(folder["39"]).string == folder["real/file"])
    #expect(throws: Defaults.SuiteError.self) { try CanonicalPath(folder["40"]) }
  }

  @Test(
    "A path that is empty or contains a NUL is rejected as a location",
    arguments: ["", "/tmp/a\0b", "\0"])
  func noPath(path: String) throws {
    let error = try #require(throws: Defaults.SuiteError.self) {
      try CanonicalPath(path)
    }
    #expect(error.code == .noLocation)
  }

  @Test("A slash with a combining mark separates folders")
  func combiningMark() throws {
    #expect(
      try CanonicalPath(folder["link/\u{338}x"]).string == folder["real/\u{338}x"])
    let path = try CanonicalPath(folder["link/\u{338}x"])
    #expect(path.folder == folder["real"])
    #expect(path.name == "\u{338}x")
  }

  @Test("Paths that differ only in composed and decomposed characters are different")
  func normalization() throws {
    let composed = try CanonicalPath(folder["\u{e9}"])
    let decomposed = try CanonicalPath(folder["e\u{301}"])
    #expect(composed.string == decomposed.string)
    #expect(composed != decomposed)
  }

  @Test("Resolving a link to a name that isn't UTF-8 throws instead of returning another name")
  func notUnicode() throws {
    let bytes: [CChar] = [0x61, -1, 0x62, 0]
    #expect(symlink(bytes, folder["latin"]) == 0)
    let error = try #require(throws: Defaults.SuiteError.self) {
      try CanonicalPath(folder["latin"])
    }
    #expect((error.underlying as? POSIXError)?.code == .EILSEQ)
  }

  @Test("A link's destination is read completely, however long it is")
  func longDestination() throws {
    let destination = "real" + String(repeating: "/.", count: 1000) + "/file"
    try folder.link("long", to: destination)
    #expect(try CanonicalPath(folder["long"]).string == folder["real/file"])
  }

  @Test("A file URL gives the canonical path, with links and .. resolved by the real folder")
  func urls() throws {
    let file = try CanonicalPath(folder["real/file"])
    let base = URL(filePath: folder["deeplink"], directoryHint: .isDirectory)
    #expect(try StoredFile(url: folder.url("link/file")).location == file)
    #expect(try StoredFile(url: folder.url("deeplink/../file")).location == file)
    #expect(try StoredFile(url: URL(filePath: "../file", relativeTo: base)).location == file)
    #expect(
      try StoredFile(url: URL(filePath: "file", relativeTo: folder.url("link/deep"))).location
        == file)
    #expect(try StoredFile(url: folder.url("100% a?b#c")).location.name == "100% a?b#c")
  }

  @Test(
    "A URL that isn't a file URL is rejected as a location",
    arguments: [
      "https://example.com/file", "relative/file", "file:", "file://server/tmp/file",
      "file:///tmp/a%00b", "file:///tmp/a%2Fb", "file:///tmp/a%2fb", "file:///tmp/%FF",
    ])
  func otherURLs(text: String) throws {
    let url = try #require(URL(string: text))
    let error = try #require(throws: Defaults.SuiteError.self) { try StoredFile(url: url) }
    #expect(error.code == .noLocation)
  }

  @Test("The root is a folder without a name")
  func root() throws {
    let root = try CanonicalPath("/..//.")
    #expect(root.string == "/")
    #expect(root.folder == "/")
    #expect(root.name == "")
    #expect(try CanonicalPath("/file-of-none").sibling(named: "x") == "/x")
  }
}
