#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite("The watcher's reactions to records")
  struct WatcherReactionTests {
    private let settings: SettingsFolder

    init() throws { settings = try SettingsFolder() }

    @Test("After an own change, up to 50 checks with several changes of others are postponed")
    func reactions() throws {
      let pair = try Pair(settings)
      #expect(try pair.reaction(to: 0) == .handled)
      #expect(try pair.reaction(to: 2) == .news)
      pair.suite.write(.set(1), named: "own")
      // Without a look.
      #expect(try pair.reaction(to: 0) == .postponed)
      #expect(try pair.reaction(to: 1) == .news)
      #expect(try pair.reaction(to: 0) == .handled)
      for _ in 0..<50 { #expect(try pair.reaction(to: 2) == .postponed) }
      #expect(try pair.reaction(to: 2) == .news)
    }

    @Test("The check after a set that waited for the lock is postponed, and the next one isn't")
    func waiting() throws {
      let pair = try Pair(settings)
      try pair.other.withLog { _ throws(Defaults.SuiteError) in
        pair.suite.write(.set(1), named: "own")
      }
      #expect(try pair.reaction(to: 0) == .postponed)
      #expect(try pair.reaction(to: 1) == .news)
    }

    @Test("The file is checked once for all events while a check waits")
    func manyEvents() async throws {
      let pair = try Pair(settings)
      let store = try #require(pair.suite.persistence as? FileStore)
      let isBlocked = DispatchSemaphore(value: 0)
      store.background.perform { isBlocked.wait() }
      for _ in 0..<100 { #expect(pair.watch.handler(SettingsFolder.file, .complete) == .handled) }
      let checks = pair.statusCalls
      let before = checks.count
      isBlocked.signal()
      await store.background.finish()
      #expect(1...10 ~= checks.count - before)
    }

    /// A suite that is watched, but never receives an event, and another suite on the same file.
    private struct Pair {
      let suite: Defaults.StoredSuite
      let other: FileStore
      private let writer: OpenSuite
      let watch: FolderWatcher.Watch
      /// The suite's looks at the file.
      let statusCalls = Log<Void>()

      init(_ settings: SettingsFolder) throws {
        writer = try settings.open()
        writer.set(1, "a")
        let watcher = FolderWatcher(addingBy: { _, path, _ in CInt(path.utf8.count) })
        let disk = FaultyFileSystem()
        disk.delay { [statusCalls, path = settings.path] call in
          if call.operation == .status, call.path == path { statusCalls.append(()) }
        }
        (suite, _) = try FileStore.open(
          StoredFile(path: settings.path, on: disk), isAutomatic: false, watcher: watcher)
        let store = try #require(suite.persistence as? FileStore)
        store.startWatch()
        watch = try #require(store.watch.withLock { $0 })
        other = try #require(writer.suite.persistence as? FileStore)
      }

      /// Appends records that change nothing, without notes between them, and returns the reaction.
      func reaction(to count: Int) throws -> FolderWatcher.Reaction {
        try other.withLog { state throws(Defaults.SuiteError) in
          for _ in 0..<count { try state.append(.placed(id: 0)) }
        }
        return watch.handler(SettingsFolder.journal, .complete)
      }
    }
  }
#endif
