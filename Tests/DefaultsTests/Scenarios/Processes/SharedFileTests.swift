import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Several processes on one file", .prompt)
struct SharedFileTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("When several processes update one key, no update is lost", arguments: [false, true])
  func counter(withSnapshots: Bool) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        let suite = try twins.open()
        group.addTask {
          let count = Defaults.Key("count", default: 0, suite: suite)
          for round in 1...250 {
            try suite.update(count) { $0 += 1 }
            if withSnapshots, round % 50 == 10 * number { try suite.flush(.snapshot) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try twins.stored() == ["count": 1_000])
    #expect(twins.issues.count == 0)
  }

  @Test("Different keys that several processes set are all kept")
  func differentKeys() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in ["a", "b", "c", "d"] {
        let suite = try twins.open()
        group.addTask {
          for number in 0..<100 { suite.set(number, forKey: "\(name)\(number)") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try twins.stored().count == 400)
  }

  @Test("Changes of another process are merged before a write, whether watched or not")
  func takesInBeforeWriting() throws {
    let (one, two) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    one.set("one", forKey: "x")
    #expect(two.entries == [:])
    let found = try two.transaction { draft in draft.entry(named: "x") }
    #expect(found == "one")
    #expect(two.entries == ["x": "one"])
  }

  @Test("A lock held by another process delays a set only briefly, and the change is stored later")
  func heldLock() async throws {
    let suite = try twins.open(isAutomatic: false)
    suite.set(1, forKey: "a")
    let path = twins.folder["suite.plist.journal"]
    do {
      let other = try LocalFileSystem().open(path, .update)
      #expect(try other.tryLock())
      suite.set(2, forKey: "a")
      // Later changes don't wait again.
      for number in 0..<100 { suite.set(number, forKey: "b") }
      #expect(suite.entries == ["a": 2, "b": 99])
      #expect(twins.issues.codes == [.locked])
      #expect(twins.issues.last?.description.contains(path) == true)
      let error = await #expect(throws: Defaults.SuiteError.self) { try await suite.flush() }
      #expect(error?.code == .locked)
      #expect(try twins.stored() == ["a": 1])
      try other.unlock()
    }
    try await suite.flush()
    #expect(try twins.stored() == ["a": 2, "b": 99])
  }

  @Test(
    "A change that waited for the lock overwrites earlier changes and not later ones")
  func backlogAgainstExternal() throws {
    let (one, two) = (
      try twins.open(isAutomatic: false), try twins.open(isAutomatic: false)
    )
    one.set("one", forKey: "x")
    let other = try LocalFileSystem().open(
      twins.folder["suite.plist.journal"], .update)
    #expect(try other.tryLock())
    two.set("two", forKey: "x")
    two.set("two", forKey: "y")
    #expect(two.entries == ["x": "two", "y": "two"])
    try other.unlock()
    one.set("one again", forKey: "x")
    try two.flush()
    #expect(two.entries == ["x": "one again", "y": "two"])
    try one.transaction { _ in }
    #expect(one.entries == ["x": "one again", "y": "two"])
  }

  @Test("A symbolic link and its destination open the same suite, also in another process")
  func symbolicLink() async throws {
    try twins.folder.makeFolder("real")
    try twins.folder.link("link.plist", to: "real/suite.plist")
    try twins.folder.link("folder", to: "real")
    let suites = try ["real/suite.plist", "link.plist", "folder/suite.plist"].map {
      try twins.open($0)
    }
    let count = suites.map { Defaults.Key("count", default: 0, suite: $0) }
    for key in count + count { _ = try? Defaults.update(key) { $0 += 1 } }
    try await suites[1].flush(.snapshot)
    #expect(try twins.folder.names() == ["folder", "link.plist", "real"])
    #expect(try twins.stored("real/suite.plist") == ["count": 6])
  }

  @Test("A folder that appears later is found, and changes in it arrive")
  func laterFolder() async throws {
    let reader = try twins.open("a/b/suite.plist")
    var changes = reader.changes().makeAsyncIterator()
    let writer = try twins.open("a/b/suite.plist", isAutomatic: false)
    writer.set(1, forKey: "x")
    #expect(await changes.next()?.entries["x"]?.new == 1)
    writer.set(2, forKey: "x")
    #expect(await changes.next()?.entries["x"]?.new == 2)
  }

  @Test("A deleted folder is created again with all settings of both processes")
  func deletedFolder() async throws {
    let (one, two) = (
      try twins.open("a/suite.plist", isAutomatic: false),
      try twins.open("a/suite.plist", isAutomatic: false)
    )
    one.set(1, forKey: "x")
    try await one.flush(.snapshot)
    two.set(2, forKey: "y")
    try FileManager.default.removeItem(at: twins.folder.url("a"))
    one.set(3, forKey: "z")
    two.set(4, forKey: "w")
    try one.transaction { _ in }
    #expect(one.entries == ["x": 1, "y": 2, "z": 3, "w": 4])
    #expect(try twins.stored("a/suite.plist") == ["x": 1, "y": 2, "z": 3, "w": 4])
  }

  @Test(
    "If the system has no free watch, an issue reports it, and changes still arrive",
    // An ordinary user would use up the watches of the user's other programs.
    .needsRoot, .tags(.root))
  func polling() async throws {
    await #expect(processExitsWith: .success) { [path = twins.folder.path as String] in
      // The limit is per user and so differs from that of other tests.
      becomeOrdinaryUser(owning: path, user: 65_533)
      while inotify_init1(0) >= 0 {}
      let (codes, report) = AsyncStream.makeStream(of: Defaults.SuiteError.Code.self)
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path + "/suite.plist"), onIssue: { report.yield($0.code) })
      for await code in codes {
        #expect(code == .fileWatchingUnavailable)
        break
      }
      var changes = suite.changes().makeAsyncIterator()
      let (twin, _) = try FileStore.open(
        StoredFile(path: path + "/suite.plist"), isAutomatic: false)
      twin.set(1, forKey: "x")
      let change = try #require(await changes.next())
      #expect(change.entries["x"]?.new == 1)
      #expect(change.source == .external)
    }
  }
}
