import Defaults
import DefaultsCommand
import Foundation
import Harness
import TestSupport
import Testing

@Suite("Files that the settings command writes", .timeLimit(.aHang))
struct CommandOutputTests {
  private let folder: TemporaryFolder
  private let suite = Defaults.MemorySuite()

  init() throws { folder = try TemporaryFolder() }

  private func command(in suite: (any Defaults.Suite)? = nil) -> Defaults.Command {
    let suite = suite ?? self.suite
    return Defaults.Command(
      [Defaults.Key("volume", default: 5, suite: suite)], suite: suite, name: "tool")
  }

  private func status(of arguments: [String]) -> Int32? {
    #expect(throws: Defaults.CommandError.self) { try command().run(arguments) }?.status
  }

  // MARK: - Page

  @Test("A page is written through a symbolic link, and the file keeps its permissions")
  func pageThroughLink() throws {
    try folder.write("old", to: "page.html")
    chmod(folder["page.html"], 0o640)
    symlink("page.html", folder["link.html"])
    try command().run(["page", "--output", folder["link.html"]])
    #expect(try folder.text(of: "page.html").contains("<!DOCTYPE html>"))
    #expect(try folder.mode(of: "page.html") == 0o640)
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder["link.html"])
    #expect(link == "page.html")
  }

  @Test("A page never replaces a pipe or a device")
  func pageInPipe() throws {
    mkfifo(folder["pipe"], 0o600)
    #expect(status(of: ["page", "--output", folder["pipe"]]) == 73)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder["pipe"])
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test("A page in a missing folder is an error with status 73, and creates no folder")
  func pageInMissingFolder() throws {
    #expect(status(of: ["page", "--output", folder["missing/page.html"]]) == 73)
    #expect(try folder.names() == [])
  }

  @Test("A page never replaces the file of the settings")
  func pageInSettings() throws {
    let suite = try Defaults.PropertyListSuite(url: folder.url("settings.plist"))
    try suite.setEntries(["volume": 7])
    try suite.flush(.snapshot)
    let error = #expect(throws: Defaults.CommandError.self) {
      try command(in: suite).run(["page", "--output", folder["settings.plist"]])
    }
    #expect(error?.status == 73)
    let data = try Data(contentsOf: folder.url("settings.plist"))
    #expect(try Defaults.PropertyListFormat.decode(data).entries == ["volume": 7])
  }

  @Test("The page verb with the output - prints the page and creates no file")
  func pageToStandardOutput() async throws {
    let example = try ExampleProgram()
    let outcome = try await example("page", "--output", "-")
    #expect(outcome.output.contains("<!DOCTYPE html>"))
    #expect(outcome.status == 0)
    #expect(try example.folder.names() == [])
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }

  // MARK: - Bundle

  @Test("A bundle that can't be written completely leaves no part of it")
  func partialBundle() async throws {
    await #expect(processExitsWith: .exitCode(7)) { [folder = folder.path as String] in
      Defaults.Command.prepare()
      let keys = [Defaults.Key("volume", default: 5, suite: Defaults.MemorySuite())]
      let command = Defaults.Command(keys, suite: Defaults.MemorySuite(), name: "tool")
      try ResourceLimit.fileSize.set(to: 100)
      do throws(Defaults.CommandError) {
        try command.run(["bundle", folder])
        exit(0)
      } catch {
        exit(error.status == 73 ? 7 : 1)
      }
    }
    #expect(try folder.names(in: "Settings.bundle") == [])
  }
}
