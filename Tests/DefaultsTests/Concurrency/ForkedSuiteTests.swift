import Foundation
import TestSupport
import Testing

@testable import Defaults

/// Each test runs in a process of its own: a fork of the test process would copy the state of other
/// tests.
@Suite("Suites in forked processes", .prompt)
struct ForkedSuiteTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("A forked child reads its parent's settings, and each write fails with `forked`")
  func writes() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let issues = IssueLog()
      let suite = try opened(path) { issues.append($0) }
      let count = Defaults.Key("count", default: 0, suite: suite)
      Defaults[count] = 1
      let memory = Defaults.MemorySuite()
      let child = try forked()
      if child == 0 {
        let codes = [
          code { try Defaults.set(2, for: count) },
          code { try suite.update(count) { $0 += 1 } },
          code { try suite.transaction { (draft: inout Defaults.Draft) in draft[count] = 2 } },
          code { try suite.flush() }, code { try suite.flush(.snapshot) },
          code { try suite.refresh() },
        ]
        let untyped = issues.all.count
        suite.set(2, forKey: "count")
        let isReported = untyped == 0 && issues.all.map(\.code) == [.forked]
        memory.set(2, forKey: "count")
        let isRead = Defaults[count] == 1 && suite.entries == ["count": 1]
        let isAsExpected =
          codes == Array(repeating: .forked, count: 6) && isReported && isRead
          && memory.entries == ["count": 2]
        // Not `_exit`: the exit handlers must leave the parent's files alone.
        exit(isAsExpected ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
      try suite.update(count) { $0 += 1 }
      try suite.flush(.snapshot)
    }
    #expect(try settings.entries() == ["count": 2])
  }

  @Test(
    "A child forked inside a transaction changes nothing, and its parent's change is made",
    arguments: [false, true])
  func transaction(exitsInBody: Bool) async throws {
    await #expect(processExitsWith: .success) {
      [path = settings.path as String, exitsInBody] in
      dieAtHang()
      let suite = try opened(path)
      suite.set("flushed", forKey: "before")
      try suite.flush()
      var child: pid_t = -1
      let code = code {
        try suite.transaction { (draft: inout Defaults.Draft) in
          try draft.setEntry("parent", named: "inside")
          child = try forked()
          if child == 0 {
            try draft.setEntry("child", named: "inside")
            if exitsInBody { exit(0) }
            return
          }
          #expect(try status(of: child) == 0)
        }
      }
      if child == 0 { exit(code == .forked && suite.entries == ["before": "flushed"] ? 0 : 1) }
      #expect(code == nil)
      #expect(suite.entries == ["before": "flushed", "inside": "parent"])
      // The entries that another process reads.
      #expect(try OpenSuite(path).entries == ["before": "flushed", "inside": "parent"])
    }
    #expect(try settings.entries() == ["before": "flushed", "inside": "parent"])
  }

  @Test("A child that was forked after a write was permitted takes no lock")
  func lock() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let suite = try opened(path)
      suite.set(1, forKey: "count")
      let store = try #require(suite.persistence as? FileStore)
      let child = try forked()
      if child == 0 {
        var isRun = false
        let code = code { try store.withLog { _ in isRun = true } }
        exit(code == .forked && !isRun ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
    }
  }

  @Test("A child whose write was rejected doesn't hold the lock of a killed parent")
  func orphan() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let (refusal, end) = (Pipe(), Pipe())
      let parent = try forked()
      if parent == 0 {
        let suite = try opened(path)
        let other = try OpenSuite(path)
        let code = code {
          try suite.transaction { (draft: inout Defaults.Draft) in
            // A body that was overtaken twice runs with the lock.
            var runs: Int64 = 0
            if case .integer(let value)? = draft.entry(named: "runs") { runs = value }
            try draft.setEntry(1, named: "inside")
            if runs < 2 { return other.set(.integer(runs + 1), "runs") }
            if try forked() == 0 { return }
            kill(getpid(), SIGKILL)
          }
        }
        try refusal.fileHandleForWriting.write(contentsOf: Data([code == .forked ? 1 : 0]))
        try end.fileHandleForWriting.close()
        _ = try end.fileHandleForReading.readToEnd()
        _exit(0)
      }
      #expect(try status(of: parent) == SIGKILL)
      #expect(try refusal.fileHandleForReading.read(upToCount: 1) == Data([1]))
      #expect(canLock(path + ".journal"))
      try end.fileHandleForWriting.close()
    }
  }

  @Test("A child forked before the first suite is opened can open and write suites")
  func early() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let child = try forked()
      if child == 0 {
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
        suite.set("child", forKey: "writer")
        exit(0)
      }
      #expect(try status(of: child) == 0)
    }
    #expect(try settings.entries() == ["writer": "child"])
  }

  @Test("A suite that a forked child opens can be read but not written")
  func opening() async throws {
    try settings.run { $0.set("other", "writer") }
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      dieAtHang()
      let own = try OpenSuite(path + "2")
      let child = try forked()
      if child == 0 {
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
        let code = code {
          try suite.transaction { (draft: inout Defaults.Draft) in
            try draft.setEntry("child", named: "writer")
          }
        }
        exit(code == .forked && suite.entries == ["writer": "other"] ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
      withExtendedLifetime(own) {}
    }
    #expect(try settings.found() == ["writer": "other"])
  }

  @Test("A suite on a store saves nothing in a forked child")
  func store() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let saves = Pipe()
      let suite = try Defaults.StoredSuite(PipeStore(saves: saves))
      var child: pid_t = -1
      let code = code {
        try suite.transaction { (draft: inout Defaults.Draft) in
          try draft.setEntry(1, named: "a")
          child = try forked()
        }
      }
      if child == 0 { exit(code == .forked && suite.entries.isEmpty ? 0 : 1) }
      #expect(try status(of: child) == 0)
      #expect(code == nil)
      try suite.flush()
      try saves.fileHandleForWriting.close()
      #expect(try saves.fileHandleForReading.readToEnd()?.count == 1)
    }
  }

  @Test("A child that a background job forks doesn't run the parent's jobs")
  func jobs() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let done = Pipe()
      let lane = BackgroundLane()
      let child = Log<pid_t>()
      lane.perform { if let process = try? forked() { child.append(process) } }
      await withCheckedContinuation { continuation in
        lane.perform {
          try? done.fileHandleForWriting.write(contentsOf: Data([1]))
          continuation.resume()
        }
      }
      // The child's only thread ends here.
      #expect(try status(of: try #require(child.last)) == 0)
      try done.fileHandleForWriting.close()
      #expect(try done.fileHandleForReading.readToEnd() == Data([1]))
    }
  }

  @Test("A child that ends its folder watch leaves the parent's watch in place")
  func watching() async throws {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let folder = try TemporaryFolder()
      let watcher = FolderWatcher()
      let isHere = DispatchSemaphore(value: 0)
      var watch: FolderWatcher.Watch? = watcher.watch(
        folder.path, names: ["file"]
      ) { _, event in
        if event == .complete { isHere.signal() }
        return .news
      }
      let child = try forked()
      if child == 0 {
        watch = nil
        _exit(0)
      }
      #expect(try status(of: child) == 0)
      try folder.write("x", to: "file")
      isHere.wait()
      withExtendedLifetime(watch) {}
    }
  }
}

/// Opens a suite without background work. A thread of the background could hold a lock when the
/// test forks, and the child would wait for that lock forever.
private func opened(
  _ path: String, onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
) throws -> Defaults.StoredSuite {
  let (suite, start) = try FileStore.open(
    StoredFile(path: path), isAutomatic: false, onIssue: onIssue)
  start()
  return suite
}

/// The code of the error that a body throws.
private func code(_ body: () throws -> Void) -> Defaults.SuiteError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? Defaults.SuiteError)?.code
  }
}

/// Whether no process holds the lock of a file.
private func canLock(_ path: String) -> Bool {
  guard let file = try? LocalFileSystem().open(path, .update) else { return false }
  return (try? file.tryLock()) == true
}

/// A store that writes a byte to a pipe for each save.
private struct PipeStore: Defaults.Store {
  let saves: Pipe
  let label = "pipe"

  func load() -> [String: Defaults.PropertyListValue] { [:] }

  func save(
    _ entries: [String: Defaults.PropertyListValue], changed names: Set<String>
  ) throws {
    try saves.fileHandleForWriting.write(contentsOf: Data([1]))
  }
}
