import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The thread that watches the files of all suites", .timeLimit(.aHang))
struct WatcherThreadTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  /// Writes the beginning of a record, which can't be judged without the lock, after the records of
  /// a journal.
  private func writeIncompleteRecord(to journal: String) throws {
    let log = Array(try Data(contentsOf: twins.folder.url(journal)))
    let handle = try FileHandle(forUpdating: twins.folder.url(journal))
    try handle.seek(toOffset: UInt64(LoadedLog(log, path: journal).end))
    try handle.write(contentsOf: [UInt8](repeating: 7, count: 40))
    try handle.close()
  }

  @Test("A suite whose lock another process holds doesn't delay the handlers of other suites")
  func heldLock() throws {
    let forever = LockTimeouts(setter: .seconds(86_400), exact: .seconds(86_400))
    let held = try twins.open("held.plist", timeouts: forever)
    held.write(.set(1), named: "a")
    let (suite, other) = (try twins.open(), try twins.open())
    let isCalled = DispatchSemaphore(value: 0)
    let observations = [
      held.observe(nil, options: []) { _ in },
      suite.observe(["x"], options: []) { _ in isCalled.signal() },
    ]
    let lock = try twins.holdLock("held.plist")
    try writeIncompleteRecord(to: "held.plist.journal")
    other.write(.set(1), named: "x")
    #expect(isCalled.wait(timeout: .now() + 600) == .success)
    try lock.unlock()
    for observation in observations { observation.invalidate() }
    #expect(try twins.stored("held.plist") == ["a": 1])
  }

  @Test("An incomplete record is removed by a process that only watches")
  func incompleteRecord() throws {
    let disk = FaultyFileSystem()
    let suite = try twins.open(on: disk)
    // An export appends where this test writes.
    try suite.postponeExports()
    suite.write(.set(1), named: "a")
    let observation = suite.observe(nil, options: []) { _ in }
    let isRemoved = DispatchSemaphore(value: 0)
    let journal = twins.folder["suite.plist.journal"]
    disk.delay { call in
      if call.operation == .truncate, call.path == journal { isRemoved.signal() }
    }
    // The first ones may be found by the check that follows the opening.
    for _ in 0..<4 {
      try writeIncompleteRecord(to: "suite.plist.journal")
      // Twice: the record is cut off, and room is added in its place.
      for _ in 0..<2 { #expect(isRemoved.wait(timeout: .now() + 600) == .success) }
    }
    observation.invalidate()
  }

  #if canImport(Glibc) || canImport(Musl)
    @Test("A change shortly before the watch of a file begins is found when the watch begins")
    func changeBeforeWatch() async throws {
      let writer = try twins.open(isAutomatic: false)
      writer.write(.set(1), named: "x")
      let beginning = Lock<(@Sendable () -> Void)?>(nil)
      let watcher = FolderWatcher { descriptor, path, events in
        beginning.exchange(nil)?()
        return Inotify.system(descriptor, path, events)
      }
      let (suite, _) = try FileStore.open(
        StoredFile(path: twins.folder["suite.plist"]), watcher: watcher)
      let store = try #require(suite.persistence as? FileStore)
      beginning.replace(with: {
        // After a check that was made too early.
        let isIdle = DispatchSemaphore(value: 0)
        store.background.perform { isIdle.signal() }
        isIdle.wait()
        writer.write(.set(2), named: "x")
      })
      var changes = suite.changes().makeAsyncIterator()
      #expect(await changes.next()?.entries["x"]?.new == 2)
    }
  #endif
}
