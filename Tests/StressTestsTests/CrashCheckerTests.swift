import Foundation
import TestSupport
import Testing

@testable import Defaults
@testable import StressTests

@Suite("Crash checker", .tags(.slow))
struct CrashCheckerTests {
  /// Two processes that set, flush and write snapshots, on a store with a partial record at its
  /// end.
  private func scenario(_ fault: ToyFault?) -> CrashScenario<ToyStore> {
    typealias Step = CrashScenario<ToyStore>.Step
    func set(_ process: Int, _ key: Character, _ value: UInt8) -> Step {
      Step(
        name: "\(process) sets \(key) to \(value)",
        change: { $0[String(key)] = .integer(Int64(value)) },
        run: { try $0.process(process).set(key, value) })
    }
    func flush(_ process: Int) -> Step {
      Step(
        name: "\(process) flushes", promise: .powerCut, run: { try $0.process(process).flush() })
    }
    func snapshot(_ process: Int) -> Step {
      Step(
        name: "\(process) writes a snapshot", promise: .powerCut,
        run: { try $0.process(process).snapshot() })
    }
    return CrashScenario(
      name: "toy", subject: ToyStore(fault: fault),
      prepare: {
        let disk = SimulatedDisk()
        try disk.makeFolder(ToyProcess.folder, mode: 0o700)
        let process = ToyProcess(disk: disk, fault: nil)
        try process.set("a", 1)
        try process.snapshot()
        try process.set("a", 2)
        let journal = try disk.open(ToyProcess.journal, .update)
        try [UInt8(ascii: "z"), 1].withUnsafeBytes { try journal.writeAll($0, at: 4) }
        return disk.image
      },
      start: ["a": 2],
      steps: [
        set(0, "b", 1), set(1, "c", 1), flush(0), set(1, "a", 3), snapshot(0), set(1, "d", 1),
        flush(1), set(0, "a", 4), set(1, "b", 2), snapshot(1), set(0, "e", 5), flush(0),
      ])
  }

  @Test(
    "The crash checker finds no violation in the correct order of operations",
    arguments: [true, false], [1, 1_000])
  func rightOrder(reusesNumbers: Bool, operationsPerTick: Int) throws {
    var scenario = scenario(nil)
    scenario.reusesNumbers = reusesNumbers
    scenario.operationsPerTick = operationsPerTick
    let report = try CrashChecker(secondCrashes: 5).check(scenario)
    #expect(report.violations.first?.description ?? "" == "")
    #expect(report.opened > 100)
    #expect(report.openedTwice > 200)
  }

  @Test("The crash checker finds each incorrect order of operations", arguments: ToyFault.allCases)
  func brokenOrder(fault: ToyFault) throws {
    let report = try CrashChecker(secondCrashes: 0).check(scenario(fault))
    #expect(!report.violations.isEmpty)
  }

  @Test("If there are too many states, the crash checker finds violations in samples of them")
  func samples() throws {
    for fault in ToyFault.allCases {
      let checker = CrashChecker(limit: 1, samples: 64, secondCrashes: 0)
      #expect(!(try checker.check(scenario(fault)).violations.isEmpty), "\(fault)")
    }
    #expect(try CrashChecker(limit: 1, samples: 64).check(scenario(nil)).violations.isEmpty)
  }

  @Test("The crash checker's violation describes how to reproduce it")
  func description() throws {
    let checker = CrashChecker(secondCrashes: 0)
    let report = try checker.check(scenario(.renameBeforeSync))
    let text = try #require(report.violations.first).description
    for part in [
      "toy, power cut after", "acceptable: [", "rename /d/data.tmp to /d/data", "missing",
    ] {
      #expect(text.contains(part), "\(part) in:\n\(text)")
    }
  }

  @Test("The crash checker tries the same states for the same seed")
  func seed() throws {
    func built(_ seed: UInt64) throws -> [[Int: DiskOperation.Survival]] {
      let recording = try CrashRecording(scenario(nil))
      var states = CrashStates(
        from: recording.start, log: recording.log, seed: seed, limit: 1, samples: 16)
      var survivals: [[Int: DiskOperation.Survival]] = []
      repeat { states.forEach { survivals.append($0.survivals) } } while states.advance()
      return survivals
    }
    #expect(try built(1) == built(1))
    #expect(try built(1) != built(2))
  }

  @Test("In the crash model, neither a failed sync nor the next sync guarantees anything")
  func failedSync() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/f", .create)
    try [1 as UInt8].withUnsafeBytes { try file.writeAll($0, at: 0) }
    disk.decide { if case .synchronize = $0.kind { .failure(.EIO) } else { .success } }
    #expect(throws: Errno(.EIO)) { try file.synchronize() }
    disk.decide(nil)
    try file.synchronize()
    try disk.open("/", .folder).synchronize()
    #expect(contents(of: "/f", in: disk) == [[1], [], [0]])
  }
}

/// All contents that a file can have after a crash; nil if it can be missing.
func contents(of path: String, in disk: SimulatedDisk) -> Set<[UInt8]?> {
  var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
  while states.advance() {}
  var contents: Set<[UInt8]?> = []
  states.forEach { contents.insert($0.image.bytes(of: path)) }
  return contents
}
