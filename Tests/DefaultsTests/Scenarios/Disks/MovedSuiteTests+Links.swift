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
}
