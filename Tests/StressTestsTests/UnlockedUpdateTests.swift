import Testing

@testable import Defaults
@testable import StressTests

/// Applies the history checker to real operations of the library: on a disk whose locks work, and
/// on one that only pretends to lock.
@Suite("Updates without a lock")
struct UnlockedUpdateTests {
  /// Two processes, one of which updates a setting each time the body of the other one's update
  /// runs: the third time, that update holds the lock.
  private func history(on disk: SimulatedDisk) throws -> History {
    let suites = try (0..<2).map { _ in try SuiteSubject().open(on: disk) }
    var history = History()
    var time = 0
    func now() -> Int {
      time += 1
      return time
    }
    func update(_ process: Int, to new: Int, _ body: (_ run: Int) -> Void = { _ in }) {
      var run = 0
      let start = now()
      let key = Defaults.Key<Int>("counter", default: 0, suite: suites[process])
      let old = try? suites[process].update(key) { value throws(any Error) in
        run += 1
        body(run)
        defer { value = new }
        return value
      }
      history.operations.append(
        HistoryOperation(
          kind: old == nil ? .refusal : .swap, process: process, old: old ?? 0, new: new,
          second: old ?? 0, start: start, end: now()))
    }
    update(0, to: 1)
    update(1, to: 2)
    update(0, to: 3) { update(1, to: 3 + $0) }
    for suite in suites { try? suite.flush(.snapshot) }
    let found = try SuiteSubject().open(on: disk)
    if case .integer(let value) = found.entry(named: "counter") { history.stored[0] = Int(value) }
    return history
  }

  @Test("The history checker finds updates that are lost without a working lock")
  func unlocked() throws {
    let disk = SimulatedDisk()
    disk.pretendLocks()
    let violations = HistoryChecker.violations(in: try history(on: disk))
    #expect(violations.contains { $0.kind == .lostUpdate })
  }

  @Test("With a working lock, no update is lost")
  func locked() throws {
    let violations = HistoryChecker.violations(in: try history(on: SimulatedDisk()))
    #expect(violations.map(\.description) == [])
  }
}
