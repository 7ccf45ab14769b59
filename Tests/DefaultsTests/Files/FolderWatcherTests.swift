#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import Testing

  @testable import Defaults

  @Suite("Watching folders")
  struct FolderWatcherTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A folder that can't be watched is an error, and others are watched all the same")
    func unwatchable() async throws {
      // One of its own, so that its first folder is the one that can't be watched.
      let watcher = Defaults.FolderWatcher()
      let unwatchable = folder[String(repeating: "too/long/", count: 1_000)]
      let (names, report) = AsyncStream.makeStream(of: String.self)
      func watch(_ path: String) throws -> Defaults.FolderWatcher.Watch {
        try watcher.watch(path) { name, event in
          if event == .complete { report.yield(name) }
          return true
        }
      }
      let first = #expect(throws: POSIXError.self) { try watch(unwatchable) }
      #expect(first?.code == .ENAMETOOLONG)
      let present = try watch(folder.path)
      let second = #expect(throws: POSIXError.self) { try watch(unwatchable) }
      #expect(second?.code == .ENAMETOOLONG)
      try folder.write("x", to: "file")
      var iterator = names.makeAsyncIterator()
      #expect(await iterator.next() == "file")
      withExtendedLifetime(present) {}
    }

    @Test("A folder that isn't there yet is watched as soon as it is")
    func laterFolder() async throws {
      let (names, report) = AsyncStream.makeStream(of: String.self)
      let watch = try Defaults.FolderWatcher.shared.watch(folder["a/b"]) { name, event in
        report.yield(event == .unknown ? "anything" : name)
        return true
      }
      try folder.makeFolder("a/b")
      for await name in names where name == "anything" { break }
      // The folder's own events have no name.
      try folder.write("x", to: "a/b/file")
      for await name in names where name == "file" { break }
      withExtendedLifetime(watch) {}
    }
  }
#endif
