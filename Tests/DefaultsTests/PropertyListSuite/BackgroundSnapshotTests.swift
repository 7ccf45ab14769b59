#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import Testing

  @testable import Defaults

  @Suite("Snapshots in the background")
  struct BackgroundSnapshotTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
      "A program that keeps running has what was set in its file soon, without a flush",
      .timeLimit(.aHang))
    func soon() async throws {
      let (events, report) = AsyncStream.makeStream(of: Void.self)
      let watch = try FolderWatcher().watch(
        folder.path, names: ["suite.plist"]
      ) { _, _ in
        report.yield()
        return true
      }
      let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
      for number in 1...2 as ClosedRange<Int64> {
        suite.set(number, forKey: "x")
        for await _ in events {
          // Replaced in one step, so it is the old one, the new one, or isn't there yet.
          guard let data = try? Data(contentsOf: folder.url("suite.plist")) else { continue }
          let entries = try Defaults.PropertyListFormat.decode(data).entries
          if entries == ["x": .integer(number)] { break }
        }
      }
      withExtendedLifetime((suite, watch)) {}
    }

    @Test("A journal that has grown far is done with at once, however long snapshots take")
    func outgrown() async throws {
      let process = try OpenSuite(folder["suite.plist"], isAutomatic: true)
      let persistence = try #require(process.suite.persistence as? JournaledFile)
      // After snapshots that take so long, the next one is due in a day.
      persistence.state.withLock { $0.snapshots.schedule.cost = .seconds(3_600) }
      process.set(1, "x")
      await persistence.lane.finish()
      #expect(try folder.names() == ["suite.plist.journal"])
      process.set(.data(Data(count: 1 << 20)), "large")
      await persistence.lane.finish()
      let data = try Data(contentsOf: folder.url("suite.plist"))
      #expect(try Defaults.PropertyListFormat.decode(data).entries == process.entries)
    }
  }
#endif
