import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Deleted and edited files")
struct MissingFileTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// A file with `a` and `b`, and a journal that changes `b` and adds `c`.
  private func prepare() throws {
    try settings.run(write)
  }

  private func write(_ process: OpenSuite) throws {
    process.set("file", "a")
    process.set("file", "b")
    try process.flush(.snapshot)
    process.set("journal", "b")
    process.set("journal", "c")
  }

  @Test("Deleting the journal while no program runs loses only changes that aren't in the file")
  func journalGone() throws {
    try prepare()
    try settings.remove(SettingsFolder.journal)
    let process = try settings.open()
    #expect(process.entries == ["a": "file", "b": "file"])
    #expect(process.issues.count == 0)
    #expect(process.health == .intact)
    process.set("new", "c")
    #expect(try settings.found() == ["a": "file", "b": "file", "c": "new"])
  }

  @Test("A journal deleted while a program runs is created again, and nothing is lost")
  func journalGoneWhileRunning() throws {
    let process = try settings.open()
    try write(process)
    try settings.remove(SettingsFolder.journal)
    process.set("new", "d")
    let all: [String: Defaults.PropertyListValue] = [
      "a": "file", "b": "journal", "c": "journal", "d": "new",
    ]
    #expect(process.entries == all)
    #expect(try settings.found() == all)
    try settings.remove(SettingsFolder.journal)
    try process.flush(.snapshot)
    #expect(try settings.entries() == all)
    #expect(process.issues.count == 0)
  }

  @Test("A journal deleted while several programs run is created again, and all share the new one")
  func journalGoneForTwo() throws {
    let (one, two) = (try settings.open(), try settings.open())
    try write(one)
    try settings.remove(SettingsFolder.journal)
    two.set("two", "d")
    one.set("one", "e")
    two.set("two", "f")
    try one.suite.transaction { _ in }
    let all: [String: Defaults.PropertyListValue] = [
      "a": "file", "b": "journal", "c": "journal", "d": "two", "e": "one", "f": "two",
    ]
    #expect(one.entries == all)
    #expect(two.entries == all)
    #expect(try settings.found() == all)
  }

  @Test(
    "Deleting all but the settings file while no program runs loses only changes not in the file")
  func sideFilesGone() throws {
    try prepare()
    for name in try folder.names() where name != SettingsFolder.file {
      try settings.remove(name)
    }
    #expect(try settings.found() == ["a": "file", "b": "file"])
  }

  @Test("Deleting the file while no program runs keeps only keys that only the journal has")
  func fileGone() throws {
    try prepare()
    try settings.remove(SettingsFolder.file)
    let process = try settings.open()
    // The deletion is also an edit of "b" and overrides the journal.
    #expect(process.entries == ["c": "journal"])
    #expect(process.issues.count == 0)
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["c": "journal"])
    process.set(1, "d")
    #expect(try settings.found() == ["c": "journal", "d": 1])
  }

  @Test("A file deleted while a program runs is an external removal of its keys")
  func fileGoneWhileRunning() async throws {
    let process = try settings.open(isAutomatic: true)
    try process.suite.postponeExports()
    process.set("file", "a")
    process.set("file", "b")
    try await process.suite.flush(.snapshot)
    process.set("journal", "c")
    var changes = process.suite.changes().makeAsyncIterator()
    try settings.remove(SettingsFolder.file)
    let change = try #require(await changes.next())
    #expect(change.source == .external)
    #expect(change.entries.mapValues(\.new) == ["a": nil, "b": nil])
    #expect(process.entries == ["c": "journal"])
    try await process.suite.flush(.snapshot)
    #expect(try settings.entries() == ["c": "journal"])
  }

  @Test("A change after the file was found missing isn't undone when the file counts as deleted")
  func changeAfterDeletion() throws {
    let process = try settings.open(isAutomatic: true)
    process.set("file", "a")
    process.set("file", "b")
    try process.flush(.snapshot)
    try settings.remove(SettingsFolder.file)
    let store = try #require(process.suite.persistence as? FileStore)
    store.noticeAbsence()
    process.set("later", "a")
    process.set("later", "c")
    try process.flush(.snapshot)
    #expect(process.entries == ["a": "later", "c": "later"])
    #expect(try settings.entries() == process.entries)
    #expect(process.issues.count == 0)
  }

  @Test("An edit that is merged after its file was found missing is undone with the deletion")
  func deletionDuringMerge() throws {
    let (process, other) = (try settings.open(), try settings.open())
    process.set("file", "a")
    process.set("file", "b")
    try process.flush(.snapshot)
    try settings.edit(["a": "edited", "b": "file"])
    let store = try #require(process.suite.persistence as? FileStore)
    other.disk.delay { [settings] call in
      guard call.operation == .write, (try? settings.remove(SettingsFolder.file)) != nil else {
        return
      }
      store.noticeAbsence()
    }
    try other.suite.refresh()
    #expect(other.entries == ["a": "edited", "b": "file"])
    try process.flush(.snapshot)
    #expect(process.entries == [:])
  }

  @Test("A file edited while no program runs is merged with the journal key by key")
  func fileEdited() throws {
    try settings.run { process in
      for name in ["same", "other", "journal", "removed", "removed here"] {
        process.set("file", name)
      }
      try process.flush(.snapshot)
      process.set("journal", "same")
      process.set("journal", "journal")
      process.set("journal", "added here")
      process.suite.write(.remove, named: "removed here")
    }
    // The editor saw the file, and so no change of the journal.
    try settings.edit([
      "same": "edited", "other": "edited", "journal": "file", "removed here": "file",
      "added": "edited",
    ])
    let merged: [String: Defaults.PropertyListValue] = [
      "same": "edited", "other": "edited", "journal": "journal", "added": "edited",
      "added here": "journal",
    ]
    let process = try settings.open()
    #expect(process.entries == merged)
    #expect(process.issues.count == 0)
    process.set(1, "x")
    try process.flush(.snapshot)
    #expect(try settings.entries() == merged.merging(["x": 1]) { $1 })
    #expect(try folder.text(of: SettingsFolder.file).hasPrefix("<?xml"))
  }

  @Test("Edits stay merged after a kill and can be edited again", arguments: [false, true])
  func editedTwice(withSnapshot: Bool) throws {
    try prepare()
    try settings.edit(["a": "edited", "b": "file"])
    try settings.run { process in
      process.set("new", "d")
      if withSnapshot { try process.flush(.snapshot) }
    }
    let merged: [String: Defaults.PropertyListValue] = [
      "a": "edited", "b": "journal", "c": "journal", "d": "new",
    ]
    #expect(try settings.found() == merged)
    var edit = try settings.entries()
    edit["b"] = "edited again"
    try settings.edit(edit)
    #expect(try settings.found() == merged.merging(["b": "edited again"]) { $1 })
  }
}
