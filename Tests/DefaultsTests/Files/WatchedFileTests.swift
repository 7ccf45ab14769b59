import Foundation
import TestSupport
import Testing

@testable import Defaults
@testable import DefaultsLayers

@Suite("Watches of files that another program owns", .prompt)
struct WatchedFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A file in a folder without access is polled until the folder is accessible")
  func closedFolder() async throws {
    try folder.makeFolder("closed")
    try folder.write("x", to: "closed/file")
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      try #require(chmod(path + "/closed", 0) == 0)
      let (told, report) = AsyncStream.makeStream(of: Void.self)
      let file = WatchedFile(path: path + "/closed/file") { report.yield() }
      #expect(throws: Defaults.SuiteError.self) { try file.read() }
      #expect(file.isPolling)
      try #require(chmod(path + "/closed", 0o700) == 0)
      for await _ in told {
        if let data = try? file.read() {
          #expect(data == Data("x".utf8))
          break
        }
      }
      #expect(!file.isPolling)
    }
  }

  @Test("A path that can't be the path of a file isn't polled", arguments: ["", "a\0b"])
  func impossible(path: String) {
    let file = WatchedFile(path: path) {}
    let error = #expect(throws: Defaults.SuiteError.self) { try file.read() }
    #expect(error?.code == .noLocation)
    #expect(!file.isPolling)
  }
}
