#if canImport(Glibc) || canImport(Musl)
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

    /// A suite that is watched, but never receives an event, and another suite on the same file.
    private struct Pair {
      let suite: Defaults.StoredSuite
      let other: FileStore
      private let writer: OpenSuite
      private let watch: FolderWatcher.Watch

      init(_ settings: SettingsFolder) throws {
        writer = try settings.open()
        writer.set(1, "a")
        let watcher = FolderWatcher(addingBy: { _, path, _ in CInt(path.utf8.count) })
        (suite, _) = try FileStore.open(
          StoredFile(path: settings.path), isAutomatic: false, watcher: watcher)
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
