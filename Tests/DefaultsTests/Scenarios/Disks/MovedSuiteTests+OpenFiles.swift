import Foundation
import TestSupport
import Testing

@testable import Defaults

// Opening files whose suites follow links.

extension MovedSuiteTests {
  @Test("The suite of a new file can be found by that file before its entries are published")
  func movedFirst() throws {
    try store(1, in: "one/suite.plist")
    try store(2, in: "two/suite.plist")
    try folder.link("data", to: "one")
    let mayPublish = Log<Bool>()
    let table = Lock<EntryTable?>(nil)
    let (suite, _) = try FileStore.open(
      StoredFile(path: folder["data/suite.plist"]), isAutomatic: false,
      moved: { _ in
        let writer = table.withLock { $0?.writer }
        mayPublish.append(writer?.withLockIfFree(attempts: 1) { _ in } != nil)
      })
    table.replace(with: suite.table)
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    let store = try #require(suite.persistence as? FileStore)
    try suite.flush()
    store.followRoutes()
    // Of the new file's folders, nothing is known.
    #expect(!store.state.withLock { $0.durability.hasName })
    try suite.refresh()
    #expect(mayPublish.all == [false])
    #expect(suite.entries == ["x": 2])
  }

  @Test("A suite that follows a link is found by its new file, whatever suites were open before")
  func reusedMemory() throws {
    try store(1, in: "one/suite.plist")
    try store(2, in: "two/suite.plist")
    try folder.link("data", to: "one")
    // Most of these stay in the list of open files, and their memory is used again.
    do {
      let old = try (0..<200).map {
        try Defaults.PropertyListSuite(url: folder.url("old \($0).plist"))
      }
      withExtendedLifetime(old) {}
    }
    let suite = try Defaults.PropertyListSuite(url: folder.url("data/suite.plist"))
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    try #require(suite.storage.persistence as? FileStore).followRoutes()
    #expect(suite.url?.path == folder["two/suite.plist"])
    let late = try Defaults.PropertyListSuite(url: folder.url("two/suite.plist"))
    #expect(late.storage === suite.storage)
  }

  @Test("A suite that follows a link watches the folder of its new file", .timeLimit(.aHang))
  func watchedFolder() async throws {
    for (number, name) in zip(1..., ["one", "two"]) {
      try store(number, in: "\(name)/suite.plist")
    }
    try folder.link("data", to: "one")
    let suite = try Defaults.PropertyListSuite(url: folder.url("data/suite.plist"))
    var changes = suite.storage.changes().makeAsyncIterator()
    await suite.storage.finishListening()
    try folder.link("new", to: "two")
    #expect(rename(folder["new"], folder["data"]) == 0)
    #expect(await changes.next()?.entries["x"]?.new == 2)
    await suite.storage.finishListening()
    try twins.open("two/suite.plist", isAutomatic: false).write(.set(3), named: "x")
    #expect(await changes.next()?.entries["x"]?.new == 3)
  }

  #if canImport(Glibc) || canImport(Musl)
    @Test("A suite whose path has a link reports that the system can't watch the link")
    func unwatchedLink() throws {
      try store(1, in: "one/suite.plist")
      try folder.link("data", to: "one")
      let watcher = FolderWatcher { _, _, _ in
        errno = ENOSPC
        return -1
      }
      let issues = IssueLog()
      let (suite, _) = try FileStore.open(
        StoredFile(path: folder["data/suite.plist"]), watcher: watcher,
        onIssue: { issues.append($0) })
      try #require(suite.persistence as? FileStore).followRoutes()
      #expect(issues.codes == [.fileWatchingUnavailable])
    }
  #endif
}
