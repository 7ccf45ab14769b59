import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Appending to a file")
struct AppendingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func put(
    _ text: String, in file: any OpenFile, at offset: Int, isAppending: Bool = false
  ) throws {
    try Array(text.utf8).withUnsafeBytes {
      try file.writeAll($0, at: offset, isAppending: isAppending)
    }
  }

  @Test("Bytes go to the end of a file, also after another program has cut it")
  func end() throws {
    let file = try LocalFileSystem().open(folder["file"], .create)
    try put("abcd", in: file, at: 0)
    try put("ef", in: file, at: 4, isAppending: true)
    #expect(try String(contentsOf: folder.url("file"), encoding: .utf8) == "abcdef")
    #expect(truncate(folder["file"], 2) == 0)
    try put("gh", in: file, at: 6, isAppending: true)
    #expect(try String(contentsOf: folder.url("file"), encoding: .utf8) == "abgh")
  }

  @Test("After bytes were appended, others are written at their offset again")
  func offset() throws {
    let file = try LocalFileSystem().open(folder["file"], .create)
    try put("abcd", in: file, at: 0, isAppending: true)
    try put("x", in: file, at: 1)
    try put("e", in: file, at: 4, isAppending: true)
    #expect(try String(contentsOf: folder.url("file"), encoding: .utf8) == "axcde")
  }
}
