import Foundation
import Testing

@testable import Defaults

@Suite("Names in a folder", .prompt)
struct FolderNamesTests {
  /// Reads a folder by calls with these results: nil is the entry of a file, a number an `errno`,
  /// and 0 the end.
  private func names(_ results: [CInt?]) throws -> [String] {
    var entry = dirent()
    withUnsafeMutableBytes(of: &entry.d_name) { $0.copyBytes(from: "file\0".utf8) }
    return try withUnsafeMutablePointer(to: &entry) { entry in
      var rest = results[...]
      return try LocalFileSystem.names {
        guard let problem = rest.popFirst() ?? 0 else { return entry }
        if problem != 0 { errno = problem }
        return nil
      }
    }
  }

  @Test("The names end where a call returns nothing and sets no error")
  func end() throws {
    errno = EIO
    #expect(try names([nil, nil, 0]) == ["file", "file"])
  }

  @Test(
    "If reading a folder fails, an error is thrown instead of the names before it",
    arguments: [[EIO], [nil, EIO], [nil, nil, ESTALE]])
  func failure(results: [CInt?]) throws {
    let error = #expect(throws: Errno.self) { try names(results) }
    #expect(error?.code.rawValue == results.last)
  }

  @Test("An interrupted call that reads a folder is repeated")
  func interruption() throws {
    #expect(try names([EINTR, nil, EINTR, EINTR, nil]) == ["file", "file"])
  }
}
