#if canImport(Glibc) || canImport(Musl)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite("Background snapshots")
  struct BackgroundSnapshotTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
      "The settings of a running program are in the file soon, without a flush",
      .timeLimit(.aHang))
    func soon() async throws {
      let (events, report) = AsyncStream.makeStream(of: Void.self)
      let watch = FolderWatcher().watch(
        folder.path, names: ["suite.plist"]
      ) { _, _ in
        report.yield()
        return .news
      }
      let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
      for number in 1...2 as ClosedRange<Int64> {
        suite.set(number, forKey: "x")
        for await _ in events {
          // The file is replaced in one step, so it is the old one, the new one or missing.
          guard let data = try? Data(contentsOf: folder.url("suite.plist")) else { continue }
          let entries = try Defaults.PropertyListFormat.decode(data).entries
          if entries == ["x": .integer(number)] { break }
        }
      }
      withExtendedLifetime((suite, watch)) {}
    }

    @Test(
      "After a killed run, a local change moves the scheduled snapshot to an earlier time")
    func afterKilledRun() throws {
      let killed = try OpenSuite(folder["suite.plist"])
      killed.set(1, "x")
      killed.kill()
      let (suite, start) = try FileStore.open(StoredFile(path: folder["suite.plist"]))
      let persistence = try #require(suite.persistence as? FileStore)
      func deadline() -> UInt64? { persistence.state.withLock { $0.exports.schedule.deadline } }
      // So that both deadlines are after the test: in a day, and then in an hour.
      try suite.postponeExports()
      start()
      let before = try #require(deadline())
      persistence.state.withLock { $0.exports.schedule.cost = .seconds(180) }
      suite.write(.set(2), named: "x")
      let after = try #require(deadline())
      #expect(after < before)
      suite.write(.set(3), named: "x")
      #expect(deadline() == after)
    }

    @Test(
      "A snapshot is scheduled for the earliest reason, and later reasons don't change the timer")
    func deadlines() {
      let second: UInt64 = 1_000_000_000
      var schedule = ExportSchedule()
      let armed = [
        schedule.arm(isOurs: false, now: 0),
        schedule.arm(isOurs: false, now: 1),
        schedule.arm(isOurs: true, now: second / 2),
        schedule.arm(isOurs: true, now: second),
        schedule.arm(isOurs: true, isUrgent: true, now: second),
        schedule.arm(isOurs: true, isUrgent: true, now: second),
      ]
      #expect(armed == [3 * second, nil, second * 3 / 2, nil, second, nil])
      // Timers that were started earlier do nothing.
      let fired = [3 * second, second * 3 / 2, second].map { schedule.fire($0) }
      #expect(fired == [false, false, true])
      #expect(schedule.deadline == nil)
    }

    @Test("A local change shortly before the deadline doesn't postpone the snapshot")
    func noDelay() {
      let second: UInt64 = 1_000_000_000
      var schedule = ExportSchedule()
      let armed = [
        schedule.arm(isOurs: false, now: 0), schedule.arm(isOurs: true, now: 5 * second / 2),
      ]
      #expect(armed == [3 * second, nil])
      #expect(schedule.deadline == 3 * second)
    }

    @Test("A snapshot that waits a minute after failures is written soon after a change succeeds")
    func afterFailures() {
      let second: UInt64 = 1_000_000_000
      var schedule = ExportSchedule()
      let armed = [
        schedule.arm(isOurs: true, failures: 9, now: 0),
        schedule.arm(isOurs: true, failures: 10, now: 0),
        schedule.arm(isOurs: true, now: 2 * second),
      ]
      #expect(armed == [60 * second, nil, 3 * second])
      #expect(schedule.deadline == 3 * second)
    }

    @Test(
      "A background snapshot isn't made while another process makes one",
      arguments: [false, true])
    func rival(isInPlace: Bool) throws {
      let (one, two) = (try OpenSuite(folder["suite.plist"]), try OpenSuite(folder["suite.plist"]))
      one.set(1, "x")
      two.set(2, "y")
      let store = try #require(two.suite.persistence as? FileStore)
      // So that the other process's export counts as recent during the whole test.
      store.state.withLock { $0.exports.schedule.cost = .seconds(3_600) }
      let calls = Log<Int>()
      one.disk.delay { [folder] call in
        let isFolder = call.path == folder.path && access(folder["suite.plist"], F_OK) == 0
        guard call.operation == .synchronize,
          isInPlace ? isFolder : call.path.hasSuffix(".tmp")
        else { return }
        calls.append(1)
        store.exportInBackground()
      }
      try one.flush(.snapshot)
      let data = try Data(contentsOf: folder.url("suite.plist.journal"))
      var exports = 0
      _ = LoadedLog(Array(data), path: "journal") { record, _ in
        if case .exportBegan = record.content { exports += 1 }
      }
      #expect(!calls.all.isEmpty && exports == 1)
      #expect(two.issues.codes == [])
    }

    @Test("A background snapshot that another process makes instead is due again")
    func rivalAtDeadline() throws {
      let one = try OpenSuite(folder["suite.plist"])
      let two = try OpenSuite(folder["suite.plist"], isAutomatic: true)
      let store = try #require(two.suite.persistence as? FileStore)
      try two.suite.postponeExports()
      one.set(1, "x")
      two.set(2, "y")
      let deadlines = Log<UInt64?>()
      one.disk.delay { call in
        guard call.operation == .synchronize, call.path.hasSuffix(".tmp") else { return }
        let hasFired = store.state.withLock { state in
          state.exports.schedule.deadline.map { state.exports.schedule.fire($0) }
        }
        #expect(hasFired == true)
        store.exportInBackground()
        deadlines.append(store.state.withLock { $0.exports.schedule.deadline })
      }
      try one.flush(.snapshot)
      #expect(deadlines.all.count == 1 && deadlines.all.first != .some(nil))
    }

    @Test("A failure of a background snapshot is reported, and counted for the next delay")
    func failure() async throws {
      let process = try OpenSuite(folder["suite.plist"], isAutomatic: true)
      let persistence = try #require(process.suite.persistence as? FileStore)
      process.set(1, "x")
      process.disk.fail(with: .EIO) { [path = folder["suite.plist"]] call in
        [.move, .exchange, .addName].contains(call.operation) && call.path == path
      }
      process.set(.data(Data(count: 1 << 22)), "large")
      await persistence.background.finish()
      #expect(process.issues.codes == [.unwritable])
      #expect(persistence.state.withLock { $0.exports.failures } > 0)
      process.disk.heal()
    }

    @Test("A journal that has grown large causes a snapshot at once, however long snapshots take")
    func outgrown() async throws {
      let process = try OpenSuite(folder["suite.plist"], isAutomatic: true)
      let persistence = try #require(process.suite.persistence as? FileStore)
      try process.suite.postponeExports()
      process.set(1, "x")
      await persistence.background.finish()
      #expect(try folder.names() == ["suite.plist.journal"])
      process.set(.data(Data(count: 1 << 22)), "large")
      await persistence.background.finish()
      let data = try Data(contentsOf: folder.url("suite.plist"))
      #expect(try Defaults.PropertyListFormat.decode(data).entries == process.entries)
    }
  }
#endif
