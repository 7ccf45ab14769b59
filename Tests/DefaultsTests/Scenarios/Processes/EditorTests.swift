import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Edits of the file while programs make changes")
struct EditorTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  private typealias Entries = [String: Defaults.PropertyListValue]
  private static let first: Entries = ["theme": "light", "volume": 5, "size": 10]

  /// A process with a file, from which an editor starts.
  private func begin() throws -> OpenSuite {
    let process = try settings.open()
    for (name, value) in Self.first { process.set(value, name) }
    try process.flush(.snapshot)
    return process
  }

  private func expect(_ process: OpenSuite, has entries: [String: Defaults.PropertyListValue])
    throws
  {
    // This process doesn't watch the file, but each save checks it first.
    try process.flush(.snapshot)
    #expect(process.entries == entries)
    #expect(try settings.found() == entries)
    try process.flush(.snapshot)
    #expect(try settings.entries() == entries)
  }

  @Test(
    "An editor that read an older file changes only the entries that its user changed",
    arguments: 1...4)
  func olderGeneration(snapshots: Int) throws {
    let process = try begin()
    for number in 1...snapshots {
      process.set(.integer(Int64(5 + number)), "volume")
      process.set(.integer(Int64(number)), "new")
      try process.flush(.snapshot)
    }
    try settings.edit(["theme": "dark", "volume": 5, "size": 10])
    try expect(
      process,
      has: [
        "theme": "dark", "volume": .integer(Int64(5 + snapshots)), "size": 10,
        "new": .integer(Int64(snapshots)),
      ])
  }

  @Test("If a file is deleted after its edit was read, all processes drop the edit")
  func deletedBeforeMerge() throws {
    let process = try begin()
    try settings.edit(Self.first.merging(["new": 8]) { $1 })
    let later = try settings.open()
    #expect(later.entries["new"] == 8)
    try FileManager.default.removeItem(atPath: settings.path)
    later.set(1, "other")
    try later.suite.refresh()
    try process.suite.refresh()
    #expect(later.entries == process.entries)
    #expect(try settings.found() == later.entries)
    #expect(later.entries["new"] == nil)
  }

  @Test("Saving an edit of an older file keeps changes of a process that started after the editor")
  func laterProcess() throws {
    try begin().kill()
    let middle = try settings.open()
    middle.set(7, "volume")
    middle.set(1, "new")
    try middle.flush(.snapshot)
    middle.kill()
    let process = try settings.open()
    try settings.edit(["theme": "dark", "volume": 5, "size": 10])
    try expect(process, has: ["theme": "dark", "volume": 7, "size": 10, "new": 1])
  }

  @Test("Saving an edit of an older file while no program runs keeps later changes")
  func atRest() throws {
    let process = try begin()
    process.set(7, "volume")
    process.set(1, "new")
    try process.flush(.snapshot)
    process.kill()
    try settings.edit(["theme": "dark", "volume": 5, "size": 10])
    try expect(settings.open(), has: ["theme": "dark", "volume": 7, "size": 10, "new": 1])
  }

  @Test("An edit of the newest file is applied completely, including removals")
  func newestGeneration() throws {
    let process = try begin()
    process.set(7, "volume")
    try process.flush(.snapshot)
    try settings.edit(["theme": "dark", "volume": 8])
    try expect(process, has: ["theme": "dark", "volume": 8])
  }

  @Test(
    "If an editor reads the file once and saves it twice, the changes of both saves are applied")
  func savesTwice() throws {
    let process = try begin()
    process.set(7, "volume")
    process.set(1, "new")
    try process.flush(.snapshot)
    for theme in ["dark", "blue"] {
      try settings.edit(["theme": .string(theme), "volume": 5, "size": 10])
      try expect(
        process, has: ["theme": .string(theme), "volume": 7, "size": 10, "new": 1])
    }
  }

  @Test("An older copy of the file that a user restores is applied completely")
  func putBack() throws {
    let process = try begin()
    let backup = try Data(contentsOf: settings.folder.url(SettingsFolder.file))
    process.set(7, "volume")
    process.set(1, "new")
    try process.flush(.snapshot)
    try backup.write(to: settings.folder.url(SettingsFolder.file), options: .atomic)
    try expect(process, has: Self.first)
  }

  @Test("A file that is renamed to the settings path during a snapshot isn't replaced")
  func renamedMeanwhile() throws {
    let folder = settings.folder
    try folder.write("old", to: "file")
    let files = LocalFileSystem()
    let version = try files.status(of: folder["file"]).version
    let replacement = try FileReplacement(of: StoredFile(path: folder["file"]))
    try replacement.write(Data("ours".utf8))
    try Data("editor".utf8).write(to: folder.url("file"), options: .atomic)
    #expect(try !replacement.commit(replacing: version))
    #expect(try folder.text(of: "file") == "editor")
    let now = try files.status(of: folder["file"]).version
    #expect(try replacement.commit(replacing: now))
    #expect(try folder.text(of: "file") == "ours")
  }

  @Test(
    "A file that is created during a first export isn't replaced, and a removed one isn't restored")
  func madeMeanwhile() throws {
    let folder = settings.folder
    let replacement = try FileReplacement(of: StoredFile(path: folder["file"]))
    try replacement.write(Data("ours".utf8))
    try folder.write("editor", to: "file")
    #expect(try !replacement.commit(replacing: nil))
    let version = try LocalFileSystem().status(of: folder["file"]).version
    try settings.remove("file")
    #expect(try !replacement.commit(replacing: version))
    #expect(try replacement.commit(replacing: nil))
    #expect(try folder.names() == ["file"])
    #expect(try folder.text(of: "file") == "ours")
  }
}
