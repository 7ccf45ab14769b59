#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite("Folder watches")
  struct FolderWatcherTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("If a folder can't be watched, an event reports it, and other folders are watched")
    func unwatchable() async throws {
      // A new watcher, so that its first folder is the one that can't be watched.
      let watcher = FolderWatcher()
      let unwatchable = folder[String(repeating: "too/long/", count: 1_000)]
      let (names, report) = AsyncStream.makeStream(of: String.self)
      let problems = Log<POSIXErrorCode>()
      func watch(_ path: String) -> FolderWatcher.Watch {
        watcher.watch(path, names: ["file"]) { name, event in
          if case .unwatched(let code) = event { problems.append(code) }
          if event == .complete { report.yield(name) }
          return .news
        }
      }
      let first = watch(unwatchable)
      #expect(problems.all == [.ENAMETOOLONG])
      #expect(first.problem == .ENAMETOOLONG)
      let present = watch(folder.path)
      #expect(present.problem == nil)
      try folder.write("x", to: "file")
      var iterator = names.makeAsyncIterator()
      #expect(await iterator.next() == "file")
      #expect(problems.count == 1)
      withExtendedLifetime((first, present)) {}
    }

    @Test("A folder that can't be watched is checked twice a second", .timeLimit(.aHang))
    func pollInterval() async throws {
      let watcher = FolderWatcher { _, _, _ in
        errno = ENOSPC
        return -1
      }
      let (intervals, report) = AsyncStream.makeStream(of: UInt64.self)
      let watch = watcher.watch(folder.path, names: ["file"]) { _, event in
        // The next comparison is scheduled, but can't begin before the handler returns.
        let looks = watcher.state.withLock { $0.looks }
        if event == .unknown, let time = looks.deadline { report.yield(time - looks.last) }
        return .news
      }
      var iterator = intervals.makeAsyncIterator()
      for _ in 1...2 { #expect(try #require(await iterator.next()) >= 500_000_000) }
      withExtendedLifetime(watch) {}
    }

    @Test("A missing folder is watched as soon as it exists")
    func laterFolder() async throws {
      let (names, report) = AsyncStream.makeStream(of: String.self)
      let watch = FolderWatcher.shared.watch(
        folder["a/b"], names: ["file"]
      ) { name, event in
        report.yield(event == .unknown ? "anything" : name)
        return .news
      }
      try folder.makeFolder("a/b")
      for await name in names {
        if name == "file" { break }
        // The folder's own events have no name. The first may arrive when half of the path exists.
        if name == "anything" { try folder.write("x", to: "a/b/file") }
      }
      withExtendedLifetime(watch) {}
    }

    @Test("Of a thousand watches of a folder, only those for an event's file receive the event")
    func names() async throws {
      let watcher = FolderWatcher()
      let calls = Log<Int>()
      let (done, report) = AsyncStream.makeStream(of: Void.self)
      let watches = (0..<1_000).map { number in
        watcher.watch(folder.path, names: ["\(number)", "\(number).journal"]) { name, event in
          calls.append(number)
          if name == "999", event == .complete { report.yield() }
          return .news
        }
      }
      for name in ["5", "7.journal", "unwatched", "999"] { try folder.write("x", to: name) }
      var iterator = done.makeAsyncIterator()
      await iterator.next()
      #expect(Set(calls.all) == [5, 7, 999])
      // Creating, writing, closing, and other changes that Foundation makes to a file.
      #expect(calls.all.count < 100)
      withExtendedLifetime(watches) {}
    }

    @Test("Ending one watch of a file keeps the other watches of the file")
    func leaving() async throws {
      let watcher = FolderWatcher()
      let calls = Log<String>()
      let (done, report) = AsyncStream.makeStream(of: Void.self)
      func watch(_ id: String) -> FolderWatcher.Watch {
        watcher.watch(folder.path, names: ["file"]) { _, event in
          calls.append(id)
          if id == "last", event == .complete { report.yield() }
          return .news
        }
      }
      var first: FolderWatcher.Watch? = watch("first")
      let second = watch("second")
      withExtendedLifetime(first) {}
      first = nil
      let last = watch("last")
      try folder.write("x", to: "file")
      var iterator = done.makeAsyncIterator()
      await iterator.next()
      #expect(Set(calls.all) == ["second", "last"])
      withExtendedLifetime((second, last)) {}
    }

    @Test("A watch may end while its event is handled")
    func endDuringEvent() async throws {
      let watcher = FolderWatcher()
      let path = folder.path
      // An event of the folder itself visits all watches while they end one after another.
      let changes = Task.detached {
        var mode: mode_t = 0o700
        while !Task.isCancelled {
          mode ^= 0o070
          chmod(path, mode)
          await Task.yield()
        }
      }
      for _ in 0..<300 {
        var watches = (0..<100).map { number in
          watcher.watch(path, names: ["\(number)", "\(number).journal"]) { _, _ in .news }
        }
        while !watches.isEmpty { watches.removeLast() }
        await Task.yield()
      }
      changes.cancel()
      await changes.value
      // The watcher still works.
      let (names, report) = AsyncStream.makeStream(of: String.self)
      let watch = watcher.watch(path, names: ["file"]) { name, event in
        if event == .complete, !name.isEmpty { report.yield(name) }
        return .news
      }
      try folder.write("x", to: "file")
      var iterator = names.makeAsyncIterator()
      #expect(await iterator.next() == "file")
      withExtendedLifetime(watch) {}
    }

    @Test("All watches of a folder are notified when it is removed and when it exists again")
    func returningFolder() async throws {
      let watcher = FolderWatcher()
      try folder.makeFolder("a")
      let (names, report) = AsyncStream.makeStream(of: String.self)
      let watches = ["x", "y"].map { name in
        watcher.watch(folder["a"], names: [name]) { event, kind in
          report.yield(kind == .unknown ? "anything for \(name)" : "\(event) for \(name)")
          return .news
        }
      }
      var missing: Set<String> = ["anything for x", "anything for y"]
      try FileManager.default.removeItem(atPath: folder["a"])
      for await name in names {
        missing.remove(name)
        if missing.isEmpty { break }
      }
      try folder.makeFolder("a")
      missing = ["x for x", "y for y"]
      for await name in names {
        missing.remove(name)
        if missing.isEmpty { break }
        // Not before the folder is watched again.
        guard name.hasPrefix("anything") else { continue }
        for name in ["x", "y"] { try folder.write("x", to: "a/" + name) }
      }
      withExtendedLifetime(watches) {}
    }

    @Test("A folder is watched until its last watch ends")
    func lastWatch() async throws {
      let watcher = FolderWatcher()
      let folders = ["a", "b"].map { folder[$0] }
      for name in ["a", "b"] { try folder.makeFolder(name) }
      func watch(_ folder: String, _ name: String) -> FolderWatcher.Watch {
        watcher.watch(folder, names: [name]) { _, _ in .news }
      }
      var watches = [watch(folders[0], "x"), watch(folders[0], "y"), watch(folders[1], "x")]
      /// The folders that the system watches, without their parent folders.
      func watched() throws -> [String] {
        let numbers = try folders.map { try LocalFileSystem().status(of: $0).version.inode }
        let inotify = try #require(watcher.state.withLock { $0.inotify })
        let lines = try String(
          contentsOfFile: "/proc/self/fdinfo/\(inotify.descriptor)", encoding: .utf8
        ).split(separator: "\n").filter { $0.hasPrefix("inotify ") }
        let found = Set(
          lines.flatMap { line in
            line.split(separator: " ").filter { $0.hasPrefix("ino:") }
              .compactMap { UInt64($0.dropFirst(4), radix: 16) }
          })
        return zip(folders, numbers).filter { found.contains($1) }.map(\.0)
      }
      #expect(try watched() == folders)
      watches.removeFirst()
      #expect(try watched() == folders)
      // A check that has begun may watch the folders a last time.
      watches.removeFirst()
      await watcher.lane.finish()
      #expect(try watched() == [folders[1]])
      watches.removeFirst()
      await watcher.lane.finish()
      #expect(try watched() == [])
      #expect(watcher.state.withLock { $0.folders.isEmpty })
    }
  }
#endif
