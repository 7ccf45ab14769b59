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
      let writer = try settings.open()
      writer.set(1, "a")
      // No event is ever read.
      let watcher = FolderWatcher(addingBy: { _, path, _ in CInt(path.utf8.count) })
      let (suite, _) = try FileStore.open(
        StoredFile(path: settings.path), isAutomatic: false, watcher: watcher)
      let store = try #require(suite.persistence as? FileStore)
      store.startWatch()
      let watch = try #require(store.watch.withLock { $0 })
      let other = try #require(writer.suite.persistence as? FileStore)
      /// Appends records that change nothing, without notes between them.
      func reaction(to count: Int) throws -> FolderWatcher.Reaction {
        try other.withLog { state throws(Defaults.SuiteError) in
          for _ in 0..<count { try state.append(.placed(id: 0)) }
        }
        return watch.handler(SettingsFolder.journal, .complete)
      }
      #expect(try reaction(to: 0) == .handled)
      #expect(try reaction(to: 2) == .news)
      suite.write(.set(1), named: "own")
      // Without a look.
      #expect(try reaction(to: 0) == .postponed)
      #expect(try reaction(to: 1) == .news)
      #expect(try reaction(to: 0) == .handled)
      for _ in 0..<50 { #expect(try reaction(to: 2) == .postponed) }
      #expect(try reaction(to: 2) == .news)
    }
  }
#endif
