import Foundation
import TestSupport
import Testing

@testable import Defaults

/// Files of another user next to a settings file, in a folder that both users may write.
@Suite("Planted files and links next to the settings file")
struct PlantedLinkTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// The kind of file in the place of a suite's file.
  enum Trap: CaseIterable {
    case link, dangling, folderLink, pipe, folder, hardLink, emptyHardLink
  }

  private static let modes = [0o1777, 0o777, 0o700]

  /// Creates the trap; a link leads to `victim`.
  private func plant(_ trap: Trap, at name: String) throws {
    try folder.write(trap == .emptyHardLink ? "" : "precious", to: "victim")
    switch trap {
    case .link: try folder.link(name, to: "victim")
    case .dangling: try folder.link(name, to: "nowhere")
    case .folderLink: try folder.link(name, to: ".")
    case .pipe: try #require(mkfifo(folder[name], 0o600) == 0)
    case .folder: try folder.makeFolder(name)
    case .hardLink, .emptyHardLink: try #require(link(folder["victim"], folder[name]) == 0)
    }
  }

  /// Expects that the trap and its destination are unchanged.
  private func expectUntouched(_ trap: Trap, at name: String) throws {
    let text = try folder.text(of: "victim")
    #expect(text == (trap == .emptyHardLink ? "" : "precious"))
    #expect(!FileManager.default.fileExists(atPath: folder["nowhere"]))
    let kind = try LocalFileSystem().status(of: folder[name], followingLinks: false).kind
    switch trap {
    case .link, .dangling, .folderLink: #expect(kind == .link)
    case .pipe: #expect(kind == .special)
    case .folder: #expect(kind == .folder)
    case .hardLink, .emptyHardLink:
      let names = try LocalFileSystem().status(of: folder["victim"]).names
      #expect(names == 2)
    }
  }

  @Test(
    "If a planted file is in the journal's place, opening throws with its path and keeps it",
    arguments: Trap.allCases, modes)
  func journal(trap: Trap, mode: Int) throws {
    try settings.edit(["x": "old"])
    try plant(trap, at: SettingsFolder.journal)
    #expect(chmod(folder.path, mode_t(mode)) == 0)
    let names = try folder.names()
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unreadable)
    #expect(error?.path == folder[SettingsFolder.journal])
    let advice = try Regex("(Remove|Move) it")
    #expect(error?.reason.contains(advice) == true)
    #expect(try folder.names() == names)
    try expectUntouched(trap, at: SettingsFolder.journal)
    // After it is moved away, the program has its settings.
    #expect(rename(folder[SettingsFolder.journal], folder["elsewhere"]) == 0)
    #expect(try settings.found() == ["x": "old"])
  }

  @Test(
    "A file planted in place of the journal at run time makes changes wait in memory",
    arguments: Trap.allCases)
  func journalLater(trap: Trap) throws {
    let process = try settings.open()
    try plant(trap, at: SettingsFolder.journal)
    process.set(1, "x")
    #expect(process.entries == ["x": 1])
    #expect(process.health == .readOnly)
    #expect(process.issues.codes == [.unwritable])
    for extent in [Defaults.FlushExtent.durable, .snapshot] {
      process.expectFailure(of: extent, at: folder[SettingsFolder.journal])
    }
    try expectUntouched(trap, at: SettingsFolder.journal)
    #expect(rename(folder[SettingsFolder.journal], folder["elsewhere"]) == 0)
    try process.flush(.snapshot)
    #expect(process.health == .intact)
    #expect(try settings.entries() == ["x": 1])
  }

  @Test("A link to the settings file is followed, and files next to the link are ignored")
  func linkToFile() throws {
    try folder.makeFolder("real")
    try folder.link(SettingsFolder.file, to: "real/suite.plist")
    try folder.link(SettingsFolder.journal, to: "victim")
    try settings.run { process in
      process.set(1, "x")
      try process.flush(.snapshot)
    }
    #expect(try settings.entries(of: "real/suite.plist") == ["x": 1])
    try folder.write("precious", to: "victim")
    try settings.remove("real/" + SettingsFolder.journal)
    try folder.link("real/" + SettingsFolder.journal, to: "../victim")
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.path == folder["real/" + SettingsFolder.journal])
    #expect(try folder.text(of: "victim") == "precious")
  }

  @Test("A link that replaces the file stays, and saves follow it")
  func laterLink() throws {
    let process = try settings.open()
    process.set(1, "x")
    try process.flush(.snapshot)
    try folder.makeFolder("real")
    #expect(rename(settings.path, folder["real/suite.plist"]) == 0)
    try folder.link(SettingsFolder.file, to: "real/suite.plist")
    process.set(2, "x")
    try process.flush(.snapshot)
    #expect(try folder.type(of: SettingsFolder.file) == .typeSymbolicLink)
    #expect(try settings.entries() == ["x": 2])
    #expect(try settings.entries(of: "real/suite.plist") == ["x": 2])
  }
}
