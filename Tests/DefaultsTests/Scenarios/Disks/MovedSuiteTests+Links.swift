import Foundation
import TestSupport
import Testing

@testable import Defaults

// Paths with a symbolic link that gets another destination.

extension MovedSuiteTests {
  @Test(
    "A read-only suite follows a link to a new folder when the old one is deleted",
    .timeLimit(.aHang))
  func configurationMap() async throws {
    func publish(_ name: String, _ value: Int) throws {
      try folder.makeFolder(name)
      let data = try Defaults.PropertyListFormat.xml.encode(["x": .integer(Int64(value))])
      try data.write(to: folder.url(name + "/settings.plist"))
      try folder.link("..data_tmp", to: name)
      #expect(rename(folder["..data_tmp"], folder["..data"]) == 0)
    }
    try publish("..1", 1)
    try folder.link("settings.plist", to: "..data/settings.plist")
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("settings.plist"), readOnly: true)
    var changes = suite.storage.changes().makeAsyncIterator()
    await suite.storage.finishListening()
    for value in 2...4 {
      try publish("..\(value)", value)
      try FileManager.default.removeItem(atPath: folder["..\(value - 1)"])
      let change = try #require(await changes.next())
      #expect(
        change.entries["x"]
          == .init(old: .integer(Int64(value - 1)), new: .integer(Int64(value))))
    }
    #expect(suite.url?.path == folder["..4/settings.plist"])
  }

  @Test(
    "The file at a link's new destination keeps its entries even if they are older",
    .timeLimit(.aHang))
  func olderFile() async throws {
    try store(2, in: "two/suite.plist")
    try store(1, in: "one/suite.plist")
    try folder.link("data", to: "one")
    let suite = try Defaults.PropertyListSuite(url: folder.url("data/suite.plist"))
    suite.set(5, forKey: "y")
    try await suite.flush(.snapshot)
    var changes = suite.storage.changes().makeAsyncIterator()
    await suite.storage.finishListening()
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    #expect(await changes.next()?.entries["x"] == .init(old: 1, new: 2))
    #expect(suite.entries == ["x": 2])
  }

  @Test("The file at a link's new destination isn't changed by an edit of the earlier file")
  func editedFile() throws {
    try store(2, in: "two/suite.plist")
    try store(1, in: "one/suite.plist")
    try folder.link("data", to: "one")
    let suite = try Defaults.PropertyListSuite(url: folder.url("data/suite.plist"))
    suite.set(5, forKey: "y")
    try suite.flush(.snapshot)
    let data = try Defaults.PropertyListFormat.xml.encode(["x": 3, "y": 5])
    try data.write(to: folder.url("one/suite.plist"), options: .atomic)
    try suite.refresh()
    #expect(suite.entries == ["x": 3, "y": 5])
    try suite.flush(.snapshot)
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    try #require(suite.storage.persistence as? FileStore).checkFiles()
    #expect(suite.entries == ["x": 2])
    #expect(try Data(contentsOf: folder.url("one/suite.plist")) == data)
  }

  @Test("A link that leads to an empty folder for a moment changes nothing in the next folder")
  func emptyFolder() throws {
    try store(1, in: "one/suite.plist")
    try folder.makeFolder("two")
    try store(5, in: "three/suite.plist")
    try folder.link("data", to: "one")
    let suite = try Defaults.PropertyListSuite(url: folder.url("data/suite.plist"))
    suite.set(7, forKey: "y")
    try suite.flush(.snapshot)
    let store = try #require(suite.storage.persistence as? FileStore)
    for name in ["two", "three"] {
      try folder.link("new", to: name)
      #expect(rename(folder["new"], folder["data"]) == 0)
      store.checkFiles()
    }
    #expect(suite.entries == ["x": 5])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder["two"]).isEmpty)
  }

  @Test(
    "Two suites on one path share one state after the link at the path changed its destination",
    .timeLimit(.aHang))
  func shared() async throws {
    try store(1, in: "one/suite.plist")
    try store(2, in: "two/suite.plist")
    try folder.link("data", to: "one")
    let url = folder.url("data/suite.plist")
    let suites = try [Defaults.PropertyListSuite(url: url), Defaults.PropertyListSuite(url: url)]
    var changes = suites[0].storage.changes().makeAsyncIterator()
    await suites[0].storage.finishListening()
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    // Opened before the suite follows the link, and after.
    let early = try Defaults.PropertyListSuite(url: url)
    #expect(await changes.next()?.entries["x"] == .init(old: 1, new: 2))
    let late = try Defaults.PropertyListSuite(url: folder.url("two/suite.plist"))
    for suite in [suites[1], early, late] {
      #expect(suite.storage === suites[0].storage)
      #expect(suite.url?.path == folder["two/suite.plist"])
    }
    let other = try Defaults.PropertyListSuite(url: folder.url("one/suite.plist"))
    #expect(other.storage !== suites[0].storage)
    suites[1].set(7, forKey: "x")
    #expect(suites[0].integer(forKey: "x") == 7)
    #expect(other.integer(forKey: "x") == 1)
    #expect(try twins.stored("two/suite.plist") == ["x": 7])
  }

  @Test(
    "If one of a suite's two paths leads to another file, the suite keeps its file, with an issue")
  func divided() async throws {
    try store(1, in: "one/suite.plist")
    try store(2, in: "two/suite.plist")
    try folder.link("data", to: "one")
    let (issues, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("data/suite.plist"), onIssue: { report.yield($0) })
    let direct = try Defaults.PropertyListSuite(url: folder.url("one/suite.plist"))
    #expect(direct.storage === suite.storage)
    await suite.storage.finishListening()
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    var iterator = issues.makeAsyncIterator()
    #expect(await iterator.next()?.code == .fileWatchingUnavailable)
    #expect(suite.integer(forKey: "x") == 1)
  }

  /// Opens the suite by a link to `one/suite.plist`, which has one exported and one later change.
  private func openByLink(
    on disk: any FileSystem = LocalFileSystem()
  ) throws -> (suite: Defaults.StoredSuite, file: FileStore) {
    try store(1, in: "one/suite.plist")
    try folder.link("suite.plist", to: "one/suite.plist")
    let suite = try twins.open(isAutomatic: false, on: disk)
    suite.set(5, forKey: "y")
    return (suite, try #require(suite.persistence as? FileStore))
  }

  private func changeLink(to destination: String = "two/suite.plist") throws {
    try folder.link("new", to: destination)
    #expect(rename(folder["new"], folder["suite.plist"]) == 0)
  }

  @Test("If a link is changed to lead to a missing file, the suite stores all entries there")
  func missingDestination() throws {
    let (suite, file) = try openByLink()
    try changeLink()
    file.followRoutes()
    #expect(suite.entries == ["x": 1, "y": 5])
    #expect(file.file.path == folder["two/suite.plist"])
    suite.set(6, forKey: "z")
    #expect(try twins.stored("two/suite.plist") == ["x": 1, "y": 5, "z": 6])
    #expect(try twins.stored("one/suite.plist") == ["x": 1, "y": 5])
  }

  @Test("A link that is removed and made again doesn't copy the old file's exported entries")
  func removedLink() throws {
    let (suite, file) = try openByLink()
    try suite.flush(.snapshot)
    suite.set(6, forKey: "z")
    try folder.makeFolder("two")
    try Defaults.PropertyListFormat.xml.encode(["v": 2]).write(to: folder.url("two/suite.plist"))
    try FileManager.default.removeItem(atPath: folder["suite.plist"])
    file.followRoutes()
    #expect(suite.entries == ["x": 1, "y": 5, "z": 6])
    try folder.link("suite.plist", to: "two/suite.plist")
    file.followRoutes()
    suite.set(7, forKey: "w")
    #expect(suite.entries == ["v": 2, "z": 6, "w": 7])
    #expect(try twins.stored("two/suite.plist") == suite.entries)
  }

  @Test("A link's third destination gets the changes as they were at the second one")
  func thirdDestination() throws {
    let disk = FaultyFileSystem()
    let (suite, file) = try openByLink(on: disk)
    try suite.flush(.snapshot)
    suite.set(6, forKey: "z")
    for name in ["two", "three"] { try folder.makeFolder(name) }
    try Defaults.PropertyListFormat.xml.encode(["v": 2]).write(to: folder.url("three/suite.plist"))
    try changeLink()
    file.followRoutes()
    suite.set(8, forKey: "z")
    // The second destination's journal is lost, and the next one can't be made at once.
    try FileManager.default.removeItem(atPath: folder["two/suite.plist.journal"])
    disk.fail(with: .ENOSPC) { $0.operation == .create }
    suite.set(9, forKey: "w")
    disk.heal()
    try changeLink(to: "three/suite.plist")
    file.followRoutes()
    try suite.flush()
    #expect(suite.entries["z"] == 8)
    #expect(try twins.stored("three/suite.plist") == suite.entries)
  }

  @Test("A change that was stored after the rights came back is taken along by a changed link")
  func returnedRights() throws {
    let disk = FaultyFileSystem()
    disk.fail(with: .EACCES) { $0.operation == .access }
    try store(1, in: "one/suite.plist")
    try folder.link("suite.plist", to: "one/suite.plist")
    let suite = try twins.open(isAutomatic: false, on: disk)
    #expect(suite.persistence.health == .readOnly)
    disk.heal()
    suite.set(5, forKey: "y")
    #expect(suite.persistence.health == .intact)
    try folder.makeFolder("two")
    try Defaults.PropertyListFormat.xml.encode(["v": 2]).write(to: folder.url("two/suite.plist"))
    try changeLink()
    try #require(suite.persistence as? FileStore).followRoutes()
    try suite.flush()
    #expect(suite.entries == ["v": 2, "y": 5])
  }

  @Test("A read-only suite takes no changes along when its link is changed")
  func readOnlyLink() throws {
    // Released, it would export its later change.
    let (writer, _) = try openByLink()
    defer { withExtendedLifetime(writer) {} }
    let disk = LocalFileSystem(isReadOnly: true)
    let (suite, _) = try FileStore.open(
      StoredFile(path: folder["suite.plist"], on: disk), isAutomatic: false)
    #expect(suite.entries == ["x": 1, "y": 5])
    try folder.makeFolder("two")
    try Defaults.PropertyListFormat.xml.encode(["y": 2]).write(to: folder.url("two/suite.plist"))
    // Older than the change.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -10)],
      ofItemAtPath: folder["two/suite.plist"])
    try changeLink()
    try #require(suite.persistence as? FileStore).followRoutes()
    try suite.refresh()
    #expect(suite.entries == ["y": 2])
  }

  @Test("A suite without a journal stores all entries at a link's new, missing destination")
  func missingDestinationWithoutJournal() throws {
    try store(1, in: "one/suite.plist")
    try FileManager.default.removeItem(atPath: folder["one/suite.plist.journal"])
    try folder.makeFolder("two")
    try folder.link("suite.plist", to: "one/suite.plist")
    let suite = try twins.open(isAutomatic: false)
    try changeLink()
    try #require(suite.persistence as? FileStore).followRoutes()
    suite.set(6, forKey: "z")
    try suite.flush(.snapshot)
    #expect(suite.entries == ["x": 1, "z": 6])
    #expect(try twins.stored("two/suite.plist") == suite.entries)
  }

  @Test("A suite without a journal whose folder is removed stores all entries with its next change")
  func removedFolderWithoutJournal() throws {
    try store(1, in: "one/suite.plist")
    try FileManager.default.removeItem(atPath: folder["one/suite.plist.journal"])
    let suite = try twins.open("one/suite.plist", isAutomatic: false)
    try FileManager.default.removeItem(atPath: folder["one"])
    suite.set(6, forKey: "z")
    #expect(suite.entries == ["x": 1, "z": 6])
    #expect(try twins.stored("one/suite.plist") == suite.entries)
  }

  @Test(
    "A journal or a file alone at a link's new destination is used, with the unsaved changes",
    arguments: [true, false])
  func loneDestination(isJournal: Bool) throws {
    let (suite, file) = try openByLink()
    if isJournal {
      let process = try OpenSuite(folder["two/suite.plist"])
      process.set(2, "v")
      process.kill()
    } else {
      try folder.makeFolder("two")
      try Defaults.PropertyListFormat.xml.encode(["v": 2])
        .write(to: folder.url("two/suite.plist"))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder["two"])
        == [isJournal ? "suite.plist.journal" : "suite.plist"])
    try changeLink()
    file.followRoutes()
    suite.set(6, forKey: "z")
    #expect(suite.entries == ["v": 2, "y": 5, "z": 6])
    #expect(try twins.stored("two/suite.plist") == suite.entries)
  }
}
