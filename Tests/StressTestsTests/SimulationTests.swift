import Defaults
import Foundation
import TestSupport
import Testing

@testable import StressTests

@Suite("Simulation of several processes on one disk", .tags(.slow), .timeLimit(.aHang))
struct SimulationTests {
  private static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

  /// Runs StressTests with these arguments in a process of its own.
  private func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await ChildProcess.run(
      ChildProcess.product("StressTests"), arguments, environment: Self.environment)
  }

  @Test(
    "A simulated schedule has the same trace, byte for byte, in two processes",
    arguments: [3, 20, 41])
  func sameTrace(seed: Int) async throws {
    let first = try await run("replay", "\(seed)")
    let second = try await run("replay", "\(seed)")
    #expect(first.output == second.output)
    // The trace, the schedule, and a checksum of everything on the disk.
    #expect(first.lines.count > 30)
    #expect(first.output.contains(" steps, disk "))
  }

  @Test("A hundred simulated schedules meet the engine's guarantees")
  func schedules() async throws {
    let outcome = try await run("simulate", "1", "100")
    #expect(outcome.lines == ["done"])
    #expect(outcome.status == 0)
  }

  @Test("Simulated schedules on a file of JSON with comments meet the guarantees")
  func texts() async throws {
    let outcome = try await run("simulate", "1", "50", "text")
    #expect(outcome.lines == ["done"])
    #expect(outcome.status == 0)
  }

  /// An omitted rule, and the first of a few schedules that detect it.
  static let omissions: [(rule: EngineRule, first: Int)] = [
    (.namesRead, 1), (.foldBeforeAppend, 1), (.syncBeforeRename, 440), (.exchangedFile, 430),
    (.placed, 1_710), (.mergeBegan, 1), (.versionMaximum, 2_160), (.tailAtCompaction, 1_360),
    (.folderSync, 1),
  ]

  @Test("An omitted rule of the engine is detected by a simulated schedule", arguments: omissions)
  func omission(rule: EngineRule, first: Int) async throws {
    let outcome = try await run("simulate", "\(first)", "20", rule.rawValue)
    #expect(outcome.lines.first?.hasPrefix("failed ") == true)
    #expect(outcome.status == 1)
  }

  @Test("Each rule that can be omitted has a simulated schedule that detects it")
  func allRules() {
    #expect(Set(Self.omissions.map(\.rule)) == Set(OmittedRuleCampaign.rules))
  }

  @Test("A failing simulated schedule is shortened to the cause of its failure")
  func shortened() throws {
    let workers = SimulationWorkers()
    // Dictionaries have another order in each process, so different schedules may fail.
    var found: SimulationShrinker?
    for seed in 1...500 where found == nil {
      found = try SimulationShrinker(
        SimulationSchedule(seed: UInt64(seed), omitting: .foldBeforeAppend), workers)
    }
    var shrinker = try #require(found)
    let count = shrinker.schedule.processes.reduce(0) { $0 + $1.threads.joined().count }
    try shrinker.shrink()
    let rest = shrinker.schedule.processes.reduce(0) { $0 + $1.threads.joined().count }
    #expect(rest < count)
    #expect(!(try shrinker.traced().violations.isEmpty))
  }

  @Test("A simulated schedule that doesn't fail isn't shortened")
  func sound() throws {
    let schedule = SimulationSchedule(seed: 3)
    #expect(try SimulationShrinker(schedule, SimulationWorkers()) == nil)
  }

  @Test("A simulated thread that waits for a lock of its process lets the lock's owner run")
  func lockOfProcess() {
    let scheduler = SimulationScheduler(
      // The first thread stops in its body, and the second one gets its turn.
      SimulationChoices(seed: 1, threads: 2, turns: [1: 1]), trace: SimulationTrace())
    let process = SimulatedProcess(0, disk: SimulatedDisk())
    let workers = SimulationWorkers()
    let lock = Lock([String]())
    for (number, name) in ["first", "second"].enumerated() {
      _ = scheduler.add(name, of: process, on: workers[number]) {
        lock.withLock { names in
          scheduler.step("has the lock")
          names.append(name)
        }
      }
    }
    scheduler.run()
    #expect(lock.withLock { $0 } == ["first", "second"])
    let areFinished = scheduler.threads.allSatisfy { $0.isFinished }
    #expect(areFinished)
    #expect(scheduler.trace?.lines.contains { $0.contains("waits for a lock") } == true)
  }
}
