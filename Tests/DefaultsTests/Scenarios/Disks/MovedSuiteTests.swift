import Foundation
import Harness
import Synchronization
import TestSupport
import Testing

@testable import Defaults
@testable import DefaultsLayers

@Suite("Suites whose folder is replaced")
struct MovedSuiteTests {
  let twins: TwinSuites
  var folder: TemporaryFolder { twins.folder }

  init() throws { twins = try TwinSuites() }

  /// Stores a value in a file as another process.
  func store(_ value: Int, in path: String) throws {
    let suite = try twins.open(path)
    suite.set(value, forKey: "x")
    try suite.flush(.snapshot)
  }

  @Test(
    "After a parent folder was replaced, a suite has the entries of the new file at its path",
    .timeLimit(.aHang), arguments: FolderMove.allCases)
  func moved(by move: FolderMove) async throws {
    try move.prepare("a", "new", in: folder)
    try store(1, in: "a/b/suite.plist")
    try store(2, in: "new/b/suite.plist")
    let suite = try twins.open("a/b/suite.plist")
    let x = Defaults.Key("x", default: 0, suite: suite)
    var changes = suite.changes().makeAsyncIterator()
    #expect(suite[x] == 1)
    await suite.finishListening()
    // On a busy machine, the file could be missing for so long that it counts as deleted.
    try suite.withoutBackgroundWork { try move.run("a", "new", in: folder) }
    var change = try #require(await changes.next())
    #expect(change.source == .external)
    #expect(change.entries["x"] == .init(old: 1, new: 2))
    #expect(suite[x] == 2)
    // The suite watches and writes the new folder.
    try store(3, in: "a/b/suite.plist")
    change = try #require(await changes.next())
    #expect(change.entries["x"] == .init(old: 2, new: 3))
    suite[x] = 4
    #expect(try twins.stored("a/b/suite.plist") == ["x": 4])
    #expect(twins.issues.count == 0)
  }

  @Test(
    "After a parent folder was replaced, a layer has the entries of the new file at its path",
    .timeLimit(.aHang), arguments: FolderMove.allCases)
  func layer(by move: FolderMove) async throws {
    try move.prepare("a", "new", in: folder)
    for (name, value) in [("a", 1), ("new", 2)] {
      try folder.makeFolder(name + "/b")
      try folder.write(#"{"x": \#(value)}"#, to: name + "/b/site.json")
    }
    let (events, report) = AsyncStream.makeStream(of: Void.self)
    let watcher = FolderWatcher()
    let file = WatchedFile(path: folder["a/b/site.json"], watcher: watcher) { report.yield() }
    #expect(try file.read() == Data(#"{"x": 1}"#.utf8))
    await watcher.finishLook()
    try move.run("a", "new", in: folder)
    for await _ in events where try file.read() == Data(#"{"x": 2}"#.utf8) { break }
    try folder.write(#"{"x": 3}"#, to: "a/b/site.json")
    for await _ in events where try file.read() == Data(#"{"x": 3}"#.utf8) { break }
    #expect(!file.isPolling)
  }

  @Test("A missing folder is created by the next set, not by a refresh")
  func missingFolder() async throws {
    try store(1, in: "a/b/suite.plist")
    let suite = try twins.open("a/b/suite.plist")
    let file = try #require(suite.persistence as? FileStore)
    await suite.finishListening()
    #expect(rename(folder["a"], folder["away"]) == 0)
    file.checkFiles()
    try suite.refresh()
    #expect(try folder.names() == ["away"])
    #expect(suite.entries == ["x": 1])
    suite.set(2, forKey: "y")
    #expect(try twins.stored("a/b/suite.plist") == ["x": 1, "y": 2])
  }

  @Test(
    "A suite finds and watches the file on a disk that is mounted over a parent folder",
    .needsSmallDisk, .tags(.root), .timeLimit(.aHang))
  func mountedOver() async throws {
    try store(1, in: "a/b/suite.plist")
    let suite = try twins.open("a/b/suite.plist")
    let watcher = try #require(suite.persistence as? FileStore).watcher
    await suite.finishListening()
    let disk = try MemoryDisk(at: folder["a"], size: "256k")
    defer { disk.unmount() }
    try folder.makeFolder("a/b")
    try store(2, in: "a/b/suite.plist")
    var changes = suite.changes().makeAsyncIterator()
    // The periodic check does this.
    watcher.verify(folder["a/b"])
    #expect(await changes.next()?.entries["x"] == .init(old: 1, new: 2))
    try store(3, in: "a/b/suite.plist")
    #expect(await changes.next()?.entries["x"] == .init(old: 2, new: 3))
  }

  @Test("A set detects that its folder was replaced and watches the new one", .timeLimit(.aHang))
  func foundBySet() async throws {
    try store(1, in: "a/suite.plist")
    try store(2, in: "b/suite.plist")
    // Without the events of a replaced folder.
    let watcher = FolderWatcher { descriptor, path, events in
      guard events & UInt32(IN_MODIFY) != 0 else {
        errno = EACCES
        return -1
      }
      return Inotify.system(descriptor, path, events & ~UInt32(IN_MOVE_SELF | IN_DELETE_SELF))
    }
    let suite = try open("a/suite.plist", watcher)
    await suite.finishListening()
    try LocalFileSystem().exchange(folder["a"], folder["b"])
    suite.set(5, forKey: "y")
    #expect(suite.entries == ["x": 2, "y": 5])
    await watcher.finishLook()
    var changes = suite.changes().makeAsyncIterator()
    try store(3, in: "a/suite.plist")
    while let change = await changes.next(), change.entries["x"]?.new != 3 {}
    #expect(suite.entries == ["x": 3, "y": 5])
  }

  private func open(
    _ path: String, _ watcher: FolderWatcher,
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: folder[path]), watcher: watcher, onIssue: onIssue)
    start()
    return suite
  }

  @Test("Each lost watch is reported as an issue, and changes still arrive")
  func lostWatch() async throws {
    try store(1, in: "a/suite.plist")
    let isExhausted = Atomic(false)
    let watcher = FolderWatcher { descriptor, path, events in
      guard isExhausted.load(ordering: .relaxed) else {
        return Inotify.system(descriptor, path, events)
      }
      errno = ENOSPC
      return -1
    }
    let (issues, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let suite = try open("a/suite.plist", watcher) { report.yield($0) }
    var changes = suite.changes().makeAsyncIterator()
    var reported = issues.makeAsyncIterator()
    for value in [2, 3] {
      await suite.finishListening()
      isExhausted.store(true, ordering: .relaxed)
      try folder.makeFolder("new")
      try store(value, in: "new/suite.plist")
      try LocalFileSystem().exchange(folder["a"], folder["new"])
      try FileManager.default.removeItem(atPath: folder["new"])
      let issue = try #require(await reported.next())
      #expect(issue.code == .fileWatchingUnavailable)
      #expect(issue.description.contains("fs.inotify.max_user_watches"))
      #expect(await changes.next()?.entries["x"]?.new == .integer(Int64(value)))
      isExhausted.store(false, ordering: .relaxed)
      let file = try #require(suite.persistence as? FileStore)
      while file.watch.withLock({ $0?.problem }) != nil { await watcher.finishLook() }
    }
  }

  @Test("A layer's file that can't be watched is polled, and is reported until it can be watched")
  func lostLayerWatch() async throws {
    try folder.write(#"{"x": 1}"#, to: "site.json")
    let isExhausted = Atomic(true)
    let watcher = FolderWatcher { descriptor, path, events in
      guard isExhausted.load(ordering: .relaxed) else {
        return Inotify.system(descriptor, path, events)
      }
      errno = ENOSPC
      return -1
    }
    let (events, report) = AsyncStream.makeStream(of: Void.self)
    let file = WatchedFile(path: folder["site.json"], watcher: watcher) { report.yield() }
    _ = try file.read()
    #expect(file.problem?.code == .fileWatchingUnavailable)
    #expect(file.isPolling)
    try folder.write(#"{"x": 2}"#, to: "site.json")
    for await _ in events where try file.read() == Data(#"{"x": 2}"#.utf8) { break }
    isExhausted.store(false, ordering: .relaxed)
    for await _ in events where file.problem == nil { break }
    try folder.write(#"{"x": 3}"#, to: "site.json")
    for await _ in events where try file.read() == Data(#"{"x": 3}"#.utf8) { break }
  }

  @Test("A suite that waits for the lock of another process doesn't delay changes of other suites")
  func heldLock() async throws {
    let timeouts = LockTimeouts(setter: .seconds(3_600), exact: .seconds(3_600))
    let stuck = try twins.open("a/suite.plist", timeouts: timeouts)
    let other = try twins.open("b/suite.plist")
    stuck.set(1, forKey: "x")
    for suite in [stuck, other] { await suite.finishListening() }
    var changes = other.changes().makeAsyncIterator()
    let lock = try twins.holdLock("a/suite.plist")
    for number in 0..<10 {
      let data = try Defaults.PropertyListFormat.binary.encode(["x": .integer(Int64(number))])
      try data.write(to: folder.url("a/suite.plist"), options: .atomic)
      try store(number, in: "b/suite.plist")
      #expect(await changes.next()?.entries["x"]?.new == .integer(Int64(number)))
    }
    try lock.unlock()
  }
}

extension FolderWatcher {
  /// Returns when a check is done that was due within the shortest time between two checks.
  fileprivate func finishLook() async {
    await withCheckedContinuation { done in lane.perform(after: 0.11) { done.resume() } }
  }
}

extension Defaults.StoredSuite {
  /// Returns when the suite watches its file and the parent folders.
  func finishListening() async {
    guard let file = persistence as? FileStore else { return }
    file.listen()
    await file.background.finish()
    await file.watcher.finishLook()
  }
}
