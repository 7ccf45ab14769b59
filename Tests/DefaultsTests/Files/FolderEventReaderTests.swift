#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite("The reader of folder events", .timeLimit(.aHang))
  struct FolderEventReaderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A postponed event is handled again until its handler no longer postpones it")
    func postponed() async throws {
      let watcher = FolderWatcher()
      let calls = Log<String>()
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let watch = watcher.watch(folder.path, names: ["file"]) { name, _ in
        calls.append(name)
        guard calls.count >= 30 else { return .postponed }
        end.yield()
        return .handled
      }
      try folder.write("x", to: "file")
      var iterator = ends.makeAsyncIterator()
      await iterator.next()
      #expect(Set(calls.all) == ["file"])
      withExtendedLifetime(watch) {}
    }

    @Test(
      "While all events of a folder are postponed, writes aren't reported; afterwards, they are")
    func muted() async throws {
      let masks = Log<UInt32>()
      let watcher = FolderWatcher { descriptor, path, mask in
        masks.append(mask)
        return Inotify.system(descriptor, path, mask)
      }
      @Sendable func isMuted() -> Bool {
        masks.all.contains { $0 & UInt32(IN_MODIFY | IN_CREATE) == UInt32(IN_CREATE) }
      }
      let calls = Log<Void>()
      let (texts, text) = AsyncStream.makeStream(of: String.self)
      try folder.write("a", to: "file")
      let watch = watcher.watch(folder.path, names: ["file"]) { [folder] _, _ in
        calls.append(())
        if !isMuted(), calls.count < 1_000 { return .postponed }
        text.yield((try? folder.text(of: "file")) ?? "")
        return .news
      }
      let file = try FileHandle(forUpdating: folder.url("file"))
      try file.write(contentsOf: Data("b".utf8))
      var iterator = texts.makeAsyncIterator()
      #expect(await iterator.next() == "b")
      #expect(isMuted())
      try file.write(contentsOf: Data("c".utf8))
      while let text = await iterator.next(), text != "bc" {}
      withExtendedLifetime(watch) {}
    }

    @Test("A muted folder is muted again after its path was compared with it")
    func mutedAgain() async throws {
      let masks = Log<UInt32>()
      let (mutes, mute) = AsyncStream.makeStream(of: Void.self)
      let watcher = FolderWatcher { descriptor, path, mask in
        masks.append(mask)
        if mask & UInt32(IN_MODIFY | IN_CREATE) == UInt32(IN_CREATE) { mute.yield() }
        return Inotify.system(descriptor, path, mask)
      }
      let watch = watcher.watch(folder.path, names: ["file"]) { _, _ in .postponed }
      try folder.write("a", to: "file")
      var iterator = mutes.makeAsyncIterator()
      await iterator.next()
      watcher.verify(folder.path)
      await iterator.next()
      let last = try #require(masks.all.last { $0 & UInt32(IN_CREATE) != 0 })
      #expect(last & UInt32(IN_MODIFY) == 0)
      withExtendedLifetime(watch) {}
    }

    @Test("A folder isn't muted while one of its watches handles its events")
    func shared() async throws {
      let masks = Log<UInt32>()
      let watcher = FolderWatcher { descriptor, path, mask in
        masks.append(mask)
        return Inotify.system(descriptor, path, mask)
      }
      let calls = Log<Void>()
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let busy = watcher.watch(folder.path, names: ["busy"]) { _, _ in
        calls.append(())
        if calls.count == 30 { end.yield() }
        return calls.count < 30 ? .postponed : .handled
      }
      let other = watcher.watch(folder.path, names: ["other"]) { _, _ in .news }
      try folder.write("x", to: "busy")
      var iterator = ends.makeAsyncIterator()
      await iterator.next()
      #expect(masks.all.allSatisfy { $0 & UInt32(IN_CREATE) == 0 || $0 & UInt32(IN_MODIFY) != 0 })
      withExtendedLifetime((busy, other)) {}
    }
  }
#endif
