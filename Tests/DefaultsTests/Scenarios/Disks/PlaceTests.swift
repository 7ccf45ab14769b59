import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Impossible locations for files", .prompt)
struct PlaceTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  @Test(
    "Without HOME and XDG_CONFIG_HOME, .standard is in the password database's home folder",
    .needsRoot, .tags(.root))
  func noHome() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      unsetenv("HOME")
      unsetenv("XDG_CONFIG_HOME")
      let home = try #require(try FileLocation.userHome())
      let issues = IssueLog()
      Defaults.issueHandler = { issues.append($0) }
      let suite = Defaults.PropertyListSuite.standard
      try #require(suite.url?.path.hasPrefix(home + "/.config/") == true)
      try #require(!FileManager.default.fileExists(atPath: home))
      suite.set(1, forKey: "x")
      #expect(suite.integer(forKey: "x") == 1)
      #expect(suite.health == .readOnly)
      #expect(Set(issues.codes) == [.unwritable])
      let error = await #expect(throws: Defaults.SuiteError.self) { try await suite.flush() }
      #expect(error?.code == .unwritable)
      #expect(error?.reason.contains("Permission denied") == true)
      #expect(error?.path?.hasPrefix(home) == true)
    }
  }

  @Test(
    "For a user without a home folder, .standard is in memory, and named suites throw",
    .needsRoot, .tags(.root))
  func noUser() async throws {
    await #expect(processExitsWith: .success) {
      precondition(setuid(54_321) == 0)
      unsetenv("HOME")
      unsetenv("XDG_CONFIG_HOME")
      let issues = IssueLog()
      Defaults.issueHandler = { issues.append($0) }
      let suite = Defaults.PropertyListSuite.standard
      suite.set(1, forKey: "x")
      #expect(suite.integer(forKey: "x") == 1)
      #expect(suite.health == .inMemory)
      #expect(suite.url == nil)
      #expect(issues.codes == [.inMemory])
      #expect(issues.last?.description.contains("Set HOME or XDG_CONFIG_HOME") == true)
      let error = await #expect(throws: Defaults.SuiteError.self) { try await suite.flush() }
      #expect(error?.code == .inMemory)
      let named = #expect(throws: Defaults.SuiteError.self) {
        try Defaults.PropertyListSuite(named: "com.example")
      }
      #expect(named?.code == .noLocation)
    }
  }

  @Test("If a file is in the place of a folder, opening throws with the path and keeps the file")
  func fileInTheWay() throws {
    try folder.write("in the way", to: "file")
    for name in ["file/suite.plist", "file/below/suite.plist"] {
      let error = #expect(throws: Defaults.SuiteError.self) { try OpenSuite(folder[name]) }
      #expect(error?.code == .unreadable)
      #expect(error?.path == folder[name])
      #expect(error?.reason.contains("Not a directory. Move away the file") == true)
    }
    #expect(try folder.text(of: "file") == "in the way")
  }

  @Test(
    "Changes stay in memory until a file in the place of the suite's folder is removed")
  func fileInTheWayLater() throws {
    let process = try OpenSuite(folder["a/b/suite.plist"])
    try folder.write("in the way", to: "a")
    process.set(1, "x")
    #expect(process.entries == ["x": 1])
    #expect(process.health == .readOnly)
    process.expectFailure(prefix: folder["a/b/"], because: "Not a directory")
    #expect(try folder.text(of: "a") == "in the way")
    try settings.remove("a")
    try process.flush(.snapshot)
    #expect(process.health == .intact)
    #expect(try OpenSuite(folder["a/b/suite.plist"]).entries == ["x": 1])
  }

  @Test("Opening the URL of a folder throws, whether or not the folder exists, and creates nothing")
  func folderURL() throws {
    try folder.makeFolder("there")
    for name in ["there/", "missing/"] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try Defaults.PropertyListSuite(url: URL(filePath: folder[name]))
      }
      #expect(error?.code == .unreadable && error?.path == folder[name])
    }
    #expect(!FileManager.default.fileExists(atPath: folder["missing"]))
  }

  @Test("If a folder is in the journal's place, opening throws with its path and keeps the folder")
  func folderAsJournal() throws {
    try folder.makeFolder(SettingsFolder.journal)
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unreadable)
    #expect(error?.path == folder[SettingsFolder.journal])
    #expect(try folder.type(of: SettingsFolder.journal) == .typeDirectory)
  }

  @Test("A name of 300 bytes is rejected with advice to shorten it")
  func longName() throws {
    let name = String(repeating: "n", count: 300)
    let error = #expect(throws: Defaults.SuiteError.self) { try OpenSuite(folder[name]) }
    #expect(error?.code == .unreadable)
    #expect(error?.path == folder[name])
    #expect(error?.reason.contains("File name too long. Choose a shorter name") == true)
    let named = #expect(throws: Defaults.SuiteError.self) {
      try Defaults.PropertyListSuite(named: name)
    }
    #expect(named?.code == .noLocation)
    #expect(named?.reason.contains("more than 255 bytes") == true)
    #expect(try folder.names() == [])
  }

  @Test(
    "Two files whose names of 250 bytes differ only at the end have separate journals",
    arguments: ["n", "é"])
  func longNames(character: String) throws {
    let start = String(repeating: character, count: 248 / character.utf8.count)
    let names = [start + "-1", start + "-2"]
    for name in names {
      let process = try OpenSuite(folder[name])
      for generation in 1...2 {
        process.set(.string("\(name) \(generation)"), "x")
        try process.flush(.snapshot)
      }
      process.set(.string("journal of \(name)"), "y")
      process.kill()
    }
    // A file and a journal each.
    #expect(try folder.names().count == 4)
    for name in names {
      #expect(
        try OpenSuite(folder[name]).entries
          == ["x": .string(name + " 2"), "y": .string("journal of " + name)])
      try settings.overwrite(name, with: "damaged")
      let process = try OpenSuite(folder[name])
      #expect(process.health == .recoveredFromJournal)
      #expect(process.entries["x"] == .string(name + " 2"))
    }
    #expect(try folder.names().count == 6)
  }

  @Test(
    "After the removal of its folder, a running suite is stored again completely",
    arguments: [
      Defaults.FlushExtent.durable, .snapshot,
    ])
  func folderGone(extent: Defaults.FlushExtent) throws {
    let process = try OpenSuite(folder["home/suite.plist"])
    process.set("file", "x")
    try process.flush(.snapshot)
    process.set("journal", "y")
    try process.flush()
    try settings.remove("home")
    process.set("new", "z")
    try process.flush(extent)
    let all: [String: Defaults.PropertyListValue] = ["x": "file", "y": "journal", "z": "new"]
    #expect(process.entries == all)
    #expect(process.health == .intact)
    #expect(try folder.mode(of: "home") == 0o700)
    let next = try OpenSuite(folder["home/suite.plist"])
    #expect(next.entries == all)
    next.kill()
    try process.flush(.snapshot)
    #expect(try settings.entries(of: "home/suite.plist") == all)
  }

  @Test("If a removed folder can't be created again, flush throws an error with its path")
  func folderGoneForGood() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let process = try OpenSuite(path + "/home/suite.plist")
      process.set(1, "x")
      try process.flush(.snapshot)
      try FileManager.default.removeItem(atPath: path + "/home")
      chmod(path, 0o500)
      process.set(2, "x")
      #expect(process.entries == ["x": 2])
      #expect(process.health == .readOnly)
      process.expectFailure(at: path + "/home/suite.plist.journal", because: "Permission denied")
      chmod(path, 0o700)
      try process.flush(.snapshot)
      #expect(process.health == .intact)
    }
    #expect(try settings.entries(of: "home/suite.plist") == ["x": 2])
  }
}
