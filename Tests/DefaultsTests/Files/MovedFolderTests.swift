#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite("Folder watches whose path leads to another folder")
  struct MovedFolderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
      "The folder at a path is watched after a folder above was moved",
      .timeLimit(.aHang), arguments: FolderMove.allCases)
    func moved(by move: FolderMove) async throws {
      try move.prepare("a", "new", in: folder)
      try folder.makeFolder("a/b/c")
      try folder.makeFolder("new/b/c")
      let watcher = FolderWatcher()
      let (events, report) = AsyncStream.makeStream(of: FolderWatcher.Event.self)
      let watch = watcher.watch(folder["a/b/c"], names: ["file"]) { _, event in
        report.yield(event)
        return .news
      }
      await watcher.lane.finishLooks()
      try move.run("a", "new", in: folder)
      // The watcher can't detect an exchanged link by itself: see `WatchedPath`.
      if move == .relinked { watcher.verify(watch.folder) }
      for await event in events {
        if event == .complete { break }
        // The folder may have been away for a moment and isn't watched before the next event.
        if event == .unknown { try folder.write("x", to: "a/b/c/file") }
      }
      #expect(watch.problem == nil)
    }

    @Test(
      "A removed folder is watched again as soon as it exists, although a removed file is open",
      .timeLimit(.aHang))
    func removedWithOpenFile() async throws {
      let (events, held) = try await watchOpenFile()
      try FileManager.default.removeItem(atPath: folder["a"])
      for await event in events where event == .unknown { break }
      try folder.makeFolder("a/b")
      for await event in events {
        if event == .complete { break }
        // Not before the folder is watched again.
        if event == .unknown { try folder.write("x", to: "a/b/file") }
      }
      withExtendedLifetime(held) {}
    }

    /// Watches the folder of a file that stays open.
    private func watchOpenFile() async throws -> (
      events: AsyncStream<FolderWatcher.Event>, held: (FileHandle, FolderWatcher.Watch)
    ) {
      // Rounds would find a change of the folder, too.
      let watcher = FolderWatcher(round: 3_600)
      try folder.makeFolder("a/b")
      try folder.write("x", to: "a/b/file")
      let file = try FileHandle(forReadingFrom: folder.url("a/b/file"))
      let (events, report) = AsyncStream.makeStream(of: FolderWatcher.Event.self)
      let watch = watcher.watch(folder["a/b"], names: ["file"]) { _, event in
        report.yield(event)
        return .news
      }
      await watcher.lane.finishLooks()
      return (events, (file, watch))
    }

    @Test(
      "An emptied folder that was replaced is watched again, although a removed file is open",
      .timeLimit(.aHang))
    func replacedWithOpenFile() async throws {
      let (events, held) = try await watchOpenFile()
      try folder.makeFolder("new")
      #expect(unlink(folder["a/b/file"]) == 0)
      #expect(rename(folder["new"], folder["a/b"]) == 0)
      for await event in events where event == .unknown { break }
      try folder.write("x", to: "a/b/file")
      for await event in events where event == .complete { break }
      withExtendedLifetime(held) {}
    }

    @Test("The root is watched for the removal of a watched folder in it, but not for others")
    func inRoot() async throws {
      let roots = Log<CInt>()
      let watcher = FolderWatcher(
        addingBy: { descriptor, path, events in
          let number = Inotify.system(descriptor, path, events)
          if path == "/" { roots.append(number) }
          return number
        }, round: 3_600)
      let watch = watcher.watch("/tmp", names: [UUID().uuidString]) { _, _ in .handled }
      await watcher.lane.finishLooks()
      let root = try #require(roots.last)
      let areSuspect = watcher.state.withLock { state in
        ["tmp", "other"].map {
          state.folders.suspect(root, isItself: false, removed: $0)
        }
      }
      #expect(areSuspect == [true, false])
      withExtendedLifetime(watch) {}
    }

    @Test("A folder is watched after being swapped repeatedly", .timeLimit(.aHang))
    func restless() async throws {
      for name in ["a", "b"] { try folder.makeFolder(name + "/c") }
      let watcher = FolderWatcher()
      let (events, report) = AsyncStream.makeStream(of: FolderWatcher.Event.self)
      let calls = Log<FolderWatcher.Event>()
      let watch = watcher.watch(folder["a/c"], names: ["file"]) { _, event in
        calls.append(event)
        report.yield(event)
        return .news
      }
      await watcher.lane.finishLooks()
      for _ in 0..<10_001 { try LocalFileSystem().exchange(folder["a"], folder["b"]) }
      for await event in events {
        if event == .complete { break }
        // The last event comes after the last exchange.
        if event == .unknown { try folder.write("x", to: "a/c/file") }
      }
      #expect(calls.all.filter { $0 == .unknown }.count < 1_000)
      withExtendedLifetime(watch) {}
    }

    @Test(
      "With a thousand watches of a folder, its parent is watched once per check until they end"
    )
    func ancestors() async throws {
      let numbers = Log<CInt>()
      let paths = Log<String>()
      let watcher = FolderWatcher { descriptor, path, events in
        let number = Inotify.system(descriptor, path, events)
        numbers.append(number)
        paths.append(path)
        return number
      }
      try folder.makeFolder("a/b/c")
      var watches = (0..<1_000).map { number in
        watcher.watch(folder["a/b/c"], names: ["\(number)"]) { _, _ in .news }
      }
      await watcher.lane.finishLooks()
      // Once per check, of which a slow machine makes several; not once per watched folder.
      #expect(paths.all.filter { $0 == folder["a"] }.count < 500)
      #expect(paths.all.contains(folder["a/b"]))
      #expect(!paths.all.contains("/"))
      watches = []
      #expect(watcher.state.withLock { $0.folders.isEmpty })
      // The check finds no watched folder and watches nothing above.
      let count = paths.count
      watcher.scheduleLook(after: 0)
      await watcher.lane.finishLooks()
      #expect(paths.count == count)
      withExtendedLifetime(watches) {}
    }

    @Test(
      "If no watch is free, events report the failure and the possibly missed changes",
      .timeLimit(.aHang), arguments: [ENOSPC, ENOMEM])
    func noWatchLeft(problem: CInt) async throws {
      try folder.makeFolder("a/b")
      try folder.makeFolder("new/b")
      let isExhausted = Atomic(false)
      let watcher = FolderWatcher { descriptor, path, events in
        guard isExhausted.load(ordering: .relaxed) else {
          return Inotify.system(descriptor, path, events)
        }
        errno = problem
        return -1
      }
      let (events, report) = AsyncStream.makeStream(of: FolderWatcher.Event.self)
      let watches = ["file", "other"].map { name in
        watcher.watch(folder["a/b"], names: [name]) { _, event in
          if name == "file" { report.yield(event) }
          return .news
        }
      }
      await watcher.lane.finishLooks()
      isExhausted.store(true, ordering: .relaxed)
      try LocalFileSystem().exchange(folder["a"], folder["new"])
      let code = POSIXErrorCode(rawValue: problem) ?? .EIO
      for await event in events where event == .unwatched(code) { break }
      #expect(watches.map(\.problem) == [code, code])
      for await event in events where event == .unknown { break }
      isExhausted.store(false, ordering: .relaxed)
      for await event in events where event == .watched { break }
      try folder.write("x", to: "a/b/file")
      for await event in events where event == .complete { break }
      #expect(watches.map(\.problem) == [nil, nil])
    }

    @Test("At the user's limit of watches, the old folder is unwatched to watch the new one")
    func lastNumber() async throws {
      try folder.makeFolder("a/b")
      try folder.makeFolder("new/b")
      let used = Lock(Set<CInt>())
      let watcher = FolderWatcher { descriptor, path, events in
        // A limit of one folder, without the folders above.
        if events & UInt32(IN_MODIFY) == 0 { return Inotify.system(descriptor, path, events) }
        let number = Inotify.system(descriptor, path, events)
        return used.withLock { used in
          if used.isEmpty || used.contains(number) {
            used.insert(number)
            return number
          }
          inotify_rm_watch(descriptor, number)
          // The old watch is removed before the next attempt.
          used = []
          errno = ENOSPC
          return -1
        }
      }
      let (events, report) = AsyncStream.makeStream(of: FolderWatcher.Event.self)
      let watch = watcher.watch(folder["a/b"], names: ["file"]) { _, event in
        report.yield(event)
        return .news
      }
      await watcher.lane.finishLooks()
      try LocalFileSystem().exchange(folder["a"], folder["new"])
      var iterator = events.makeAsyncIterator()
      #expect(await iterator.next() == .unknown)
      #expect(watch.problem == nil)
    }
  }

  extension BackgroundLane {
    /// Returns when the check that follows a new watch is done.
    fileprivate func finishLooks() async {
      await withCheckedContinuation { done in perform(after: 0.11) { done.resume() } }
    }
  }
#endif
