import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The timer of the next snapshot")
struct ExportTimerTests {
  private let settings: SettingsFolder
  private let second: UInt64 = 1_000_000_000

  init() throws { settings = try SettingsFolder() }

  @Test("After failures in a row, the delay of a snapshot doubles from 2 seconds to a minute")
  func failures() {
    let delays = (1...8).map { failures in
      var schedule = ExportSchedule()
      return schedule.arm(isOurs: true, failures: failures, now: 0)
    }
    #expect(delays == [2, 4, 8, 16, 32, 60, 60, 60].map { $0 * second })
  }

  @Test("Snapshots that take long are at most a twentieth of the time")
  func cost() {
    func delay(isOurs: Bool, cost: Duration) -> UInt64? {
      var schedule = ExportSchedule()
      schedule.cost = cost
      return schedule.arm(isOurs: isOurs, now: 0)
    }
    #expect(delay(isOurs: true, cost: .milliseconds(50)) == second)
    #expect(delay(isOurs: true, cost: .milliseconds(500)) == 10 * second)
    #expect(delay(isOurs: false, cost: .milliseconds(50)) == 3 * second)
    #expect(delay(isOurs: false, cost: .milliseconds(500)) == 10 * second)
  }

  @Test("A change is recent for a second, and isn't if the clock was far ahead and was corrected")
  func recent() {
    let second: UInt64 = 1_000_000  // Microseconds.
    let version = LogVersion(5 * second)
    let clocks: [UInt64] = [0, 4 * second, 4 * second + 1, 5 * second, 6 * second - 1, 6 * second]
    let recent = clocks.map { version.isRecent(at: $0, within: .seconds(1)) }
    #expect(recent == [false, false, true, true, true, false])
    #expect(version.isRecent(at: 6 * second, within: .seconds(2)))
  }

  @Test("A reason with the same deadline starts no second timer")
  func sameDeadline() {
    var schedule = ExportSchedule()
    let armed = [
      schedule.arm(isOurs: false, now: 0), schedule.arm(isOurs: true, now: 2 * second),
    ]
    #expect(armed == [3 * second, nil])
  }

  /// Runs a body on the state of a suite without an armed timer, whose file has all changes. Undoes
  /// its changes afterwards.
  private func onExported<Result>(
    _ body: (inout FileState) throws -> Result
  ) throws -> Result {
    let process = try settings.open(isAutomatic: true)
    process.set(1, "a")
    try process.flush(.snapshot)
    let store = try #require(process.suite.persistence as? FileStore)
    return try store.state.withLock { state in
      let (known, health) = (state.propertyList, state.fileHealth)
      state.exports = FileState.ExportProgress()
      defer {
        (state.waiting, state.propertyList, state.fileHealth) = (WaitingChanges(), known, health)
        state.exports = FileState.ExportProgress()
      }
      return try body(&state)
    }
  }

  private static let change = LogRecord.JoinedChange(
    name: "b", edit: .set(1), version: LogVersion(1), writer: 1)

  @Test("Without changes, no timer is armed; changes that wait in memory arm it")
  func waiting() throws {
    try onExported { state in
      #expect(state.armExport() == nil)
      state.waiting.add(Self.change)
      #expect(state.armExport() != nil)
    }
  }

  @Test("A long log arms the timer even if the property list has all changes")
  func longLog() throws {
    try onExported { state in
      let log = state.log
      defer { state.log = log }
      state.log?.offset = 1 << 20
      let isExportDue = state.isExportDue
      #expect(!isExportDue)
      #expect(state.armExport() != nil)
    }
  }

  /// Arms the timer after each change, and then again for a change of this process or of another
  /// one. Returns the deadlines of the second timers; nil if the first one is early enough.
  private func deadlines(
    isOurs: Bool, after changes: [(inout FileState) -> Void]
  ) throws -> [UInt64?] {
    try changes.map { change in
      try onExported { state in
        state.exports.mustRewrite = true
        change(&state)
        let now = MonotonicClock.now
        #expect(state.armExport() != nil)
        return state.exports.schedule.arm(isOurs: isOurs, now: now)
      }
    }
  }

  @Test("A failure of a snapshot delays the next snapshot, failures of sets don't")
  func delayed() throws {
    let failures: [(inout FileState) -> Void] = [
      { $0.exports.failures = 6 },
      { for _ in 0..<6 { $0.fileHealth.count(SuiteError(.unwritable, "No space", path: nil)) } },
      { _ in },
    ]
    // The timer of another process's change is earlier only than that of a failure.
    let areDelayed = try deadlines(isOurs: false, after: failures).map { $0 != nil }
    #expect(areDelayed == [true, false, false])
  }

  @Test(
    "Changes that wait are stored after 2 seconds, later if they are large or the rights are missing",
    arguments: [(0, false, 2), (1 << 24, false, 4), (1 << 30, false, 60), (0, true, 60)])
  func nextAttempt(bytes: Int, lacksRights: Bool, delay: UInt64) throws {
    try onExported { state in
      state.waiting.add(Self.change)
      for _ in 0..<6 { state.fileHealth.count(SuiteError(.unwritable, "No space", path: nil)) }
      (state.exports.failures, state.fileHealth.lacksRights) = (6, lacksRights)
      state.waiting.noteFailure(of: bytes)
      let start = MonotonicClock.now
      let armed = state.armExport()
      let deadline = try #require(armed)
      #expect(deadline >= start + delay * second)
      #expect(deadline <= MonotonicClock.now + delay * second)
    }
  }

  @Test("A change that begins to wait moves the timer of an expensive export forward")
  func waitingBeforeExport() throws {
    try onExported { state in
      state.exports.mustRewrite = true
      (state.exports.hasDuty, state.exports.schedule.cost) = (true, .seconds(3_600))
      let armed = state.armExport()
      let first = try #require(armed)
      state.waiting.add(Self.change)
      let moved = state.armExport()
      #expect(try #require(moved) <= MonotonicClock.now + 2 * second)
      #expect(first > MonotonicClock.now + 60 * second)
      let again = state.armExport()
      #expect(again == nil)
    }
  }

  @Test("A time in which the process was stopped during an export hardly delays the next export")
  func stopped() {
    var schedule = ExportSchedule()
    func delay(after cost: Duration) -> UInt64? {
      schedule.note(cost)
      var next = schedule
      return next.arm(isOurs: true, now: 0)
    }
    #expect(delay(after: .seconds(36_000)) == 2 * second)
    #expect(delay(after: .seconds(36_000)) == 8 * second)
    #expect(delay(after: .milliseconds(50)) == second)
    #expect(delay(after: .seconds(36_000)) == 4 * second)
  }

  @Test("An export records how long it took")
  func recordedCost() throws {
    let process = try settings.open()
    let store = try #require(process.suite.persistence as? FileStore)
    process.set(1, "a")
    store.state.withLock { $0.exports.schedule.cost = .seconds(86_400) }
    try process.flush(.snapshot)
    #expect(store.state.withLock { $0.exports.schedule.cost } < .seconds(86_400))
  }

  @Test("Failures of snapshots in the background are counted until a snapshot is saved")
  func failuresInARow() throws {
    let disk = FaultyFileSystem()
    let process = try OpenSuite(settings.path, on: disk)
    let store = try #require(process.suite.persistence as? FileStore)
    process.set(1, "a")
    disk.fail(with: .ENOSPC) { $0.operation == .create }
    let counts = (1...3).map { _ in
      store.exportInBackground()
      return store.state.withLock { $0.exports.failures }
    }
    #expect(counts == [1, 2, 3])
    #expect(store.state.withLock { $0.exports.pauseEnd } > MonotonicClock.now)
    // While another process exports, which may fail, too, nothing was saved yet.
    let other = try #require(try OpenSuite(settings.path).suite.persistence as? FileStore)
    try other.withLog { state throws(Defaults.SuiteError) in
      _ = try state.append(.exportBegan(id: 9, temporaryName: "x.tmp"))
    }
    store.exportInBackground()
    #expect(store.state.withLock { $0.exports.failures } == 3)
    disk.heal()
    try process.suite.flush(.snapshot)
    #expect(store.state.withLock { $0.exports.failures } == 0)
  }

  @Test("After a failed snapshot in the background, another one is made", .timeLimit(.aHang))
  func nextAttempt() async throws {
    let disk = FaultyFileSystem()
    let issues = IssueLog()
    disk.fail(with: .ENOSPC) { $0.operation == .create && !$0.path.hasSuffix(".journal") }
    let (suite, start) = try FileStore.open(
      StoredFile(path: settings.path, on: disk), onIssue: { issues.append($0) })
    start()
    suite.write(.set(1), named: "a")
    await issues.wait { $0.count == 1 }
    let (steps, report) = AsyncStream.makeStream(of: Void.self)
    disk.delay { [path = settings.path] call in
      if call.operation == .addName, call.path == path { report.yield() }
    }
    disk.heal()
    for await _ in steps { break }
    #expect(issues.count == 1)
  }

  @Test("Own changes and a damaged file are saved earlier than changes of other processes")
  func ours() throws {
    let reasons: [(inout FileState) -> Void] = [
      { $0.exports.hasDuty = true },
      {
        let version = FileVersion(
          device: 1, inode: 1, size: 1, modified: FileTime(seconds: 1, nanoseconds: 0))
        $0.propertyList.damage = (version, mustStay: false, named: nil)
      },
      { _ in },
    ]
    let areOurs = try deadlines(isOurs: true, after: reasons).map { $0 == nil }
    #expect(areOurs == [true, true, false])
  }

  @Test("The same reason doesn't move its timer forward, though it would be earlier now")
  func sameReason() {
    var schedule = ExportSchedule()
    let armed = [
      schedule.arm(isOurs: true, failures: 6, now: 0),
      schedule.arm(isOurs: true, failures: 1, now: 0),
    ]
    #expect(armed == [60 * second, nil])
  }

  @Test("Another process is busy for a second after its announcement, or twice an export's time")
  func rival() throws {
    let cases: [(age: UInt64, cost: Int, isBusy: Bool)] = [
      (1_500_000, 0, false), (5_000_000_000, 3_600, true), (9_000_000_000, 3_600, false),
    ]
    for (age, cost, isBusy) in cases {
      let found = try onExported { state in
        let fold = state.fold
        defer { state.fold = fold }
        state.exports.schedule.cost = .seconds(cost)
        let began = LogVersion(state.places.file.fileSystem.now - age)
        state.fold.apply(
          LogRecord(
            writer: 1, version: began, content: .exportBegan(id: 7, temporaryName: "x.tmp")))
        return state.isRivalBusy
      }
      #expect(found == isBusy, "\(age)")
    }
  }
}

private typealias SuiteError = Defaults.SuiteError
