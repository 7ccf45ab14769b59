import Defaults
import Foundation

/// The scenarios that expose the library's own files to every crash.
enum SuiteCrashes {
  typealias Scenario = CrashScenario<SuiteSubject>
  typealias Step = Scenario.Step

  /// All scenarios, each with reused and with fresh inode numbers, with an exact and a coarse
  /// clock.
  static var all: [Scenario] {
    plain.flatMap { scenario in
      [(true, 1), (false, 1), (true, 1_000), (false, 1_000)].map { reuses, operations in
        var scenario = scenario
        scenario.reusesNumbers = reuses
        scenario.operationsPerTick = operations
        return scenario
      }
    }
  }

  /// Each scenario once.
  static var plain: [Scenario] {
    [
      changes, flushes, snapshots, twoProcesses, killedProcess, foreignEdit, foreignRemoval,
      foreignFile, fullDisk, failedSync,
    ]
      + [
        damagedFile, damagedRecord, tornRecord, damagedHeader, editAtRest,
      ]
      + (1...3).flatMap { [rotation(at: $0, by: 0), rotation(at: $0, by: 1)] }
      + (1...3).flatMap { [flushBeside(at: $0, by: 0), flushBeside(at: $0, by: 1)] }
      + (1...6).map { failedSnapshotSync(at: $0) } + (1...6).map { failedMergeSync(at: $0) }
  }

  // MARK: - Steps

  static func set(
    _ name: String, _ value: Defaults.PropertyListValue, by process: Int = 0,
    promise: Scenario.Promise = .kill
  ) -> Step {
    Step(
      name: "\(process) sets \(name)", promise: promise, change: { $0[name] = value },
      run: { try $0.process(process).write(.set(value), named: name) })
  }

  static func remove(_ name: String, by process: Int = 0) -> Step {
    Step(
      name: "\(process) removes \(name)", change: { $0[name] = nil },
      run: { try $0.process(process).write(.remove, named: name) })
  }

  /// Sets several entries at once.
  static func setAll(_ entries: Scenario.Entries, by process: Int = 0) -> Step {
    Step(
      name: "\(process) sets \(entries.sortedText)",
      change: { $0.merge(entries) { $1 } },
      run: { stage in
        try stage.process(process).transaction { draft in
          for (name, value) in entries { try draft.setEntry(value, named: name) }
        }
      })
  }

  /// With `mayFail`, an error voids the promise.
  static func flush(
    _ extent: Defaults.FlushExtent = .durable, by process: Int = 0, mayFail: Bool = false
  ) -> Step {
    Step(
      name: "\(process) flushes \(extent)", promise: .powerCut, mayFail: mayFail,
      run: { try $0.process(process).flush(extent) })
  }

  static func end(_ process: Int) -> Step {
    Step(name: "\(process) ends", run: { $0.end(process) })
  }

  // MARK: - Scenarios

  private static var changes: Scenario {
    Scenario(
      name: "changes", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), set("b", "text"), setAll(["a": 2, "c": [1, 2, 3]]), remove("b"), set("a", 3),
      ])
  }

  private static var flushes: Scenario {
    Scenario(
      name: "changes with flush", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(), set("b", "text"), set("a", 2), flush(), remove("a"), flush(),
        set("c", .data(Data(repeating: 7, count: 300))), set("a", 4), flush(),
      ])
  }

  private static var snapshots: Scenario {
    Scenario(
      name: "snapshots", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot), set("b", 1), flush(), set("a", 2), flush(.snapshot),
        set("a", 3), remove("b"), flush(.snapshot), set("c", 1), flush(),
      ])
  }

  private static var twoProcesses: Scenario {
    Scenario(
      name: "two processes", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), set("b", 1, by: 1), flush(), set("a", 2, by: 1), flush(.snapshot),
        set("c", 1, by: 1), set("a", 3), flush(by: 1), flush(.snapshot, by: 1), set("b", 2),
        set("d", 1, by: 1), flush(), end(0), set("d", 2, by: 1), set("e", 1), flush(by: 1),
      ])
  }

  private static var killedProcess: Scenario {
    Scenario(
      name: "a killed process", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), set("b", 1, by: 1), flush(.snapshot), set("a", 2),
        Step(name: "0 is killed", run: { $0.kill(0) }), set("b", 2, by: 1), flush(by: 1),
        set("c", 1), flush(.snapshot, by: 1), set("a", 3), flush(),
      ])
  }

  private static var foreignEdit: Scenario {
    Scenario(
      name: "an edit by another program", subject: SuiteSubject(), prepare: { DiskImage() },
      start: [:],
      steps: [
        setAll(["a": 1, "b": 1]), flush(.snapshot), set("a", 2), flush(),
        foreignWrite(["a": 1, "b": 5, "c": 5], changing: ["b": 5, "c": 5]),
        flush(.snapshot), set("d", 1), flush(), set("b", 6), flush(.snapshot),
      ])
  }

  /// Another program replaces the suite's file, with these changes.
  static func foreignWrite(_ entries: [String: Int], changing changes: Scenario.Entries) -> Step {
    Step(
      name: "another program sets \(changes.sortedText)", promise: .powerCut,
      change: { $0.merge(changes) { $1 } },
      run: { stage in
        let path = SuiteSubject.folder + "/" + SuiteSubject.otherName
        try write(entries, to: path, on: stage.disk)
        try stage.disk.move(path, to: SuiteSubject.file)
        try stage.disk.open(SuiteSubject.folder, .folder).synchronize()
      })
  }

  private static var foreignRemoval: Scenario {
    Scenario(
      name: "a file that another program removes", subject: SuiteSubject(),
      prepare: { DiskImage() },
      start: [:],
      steps: [
        setAll(["a": 1, "b": 1]), flush(.snapshot), set("a", 2), flush(.snapshot),
        Step(
          name: "another program removes the file", promise: .powerCut, change: { $0 = [:] },
          run: { stage in
            try stage.disk.removeName(SuiteSubject.file)
            try stage.disk.open(SuiteSubject.folder, .folder).synchronize()
          }), set("c", 1), flush(), set("d", 1), flush(.snapshot),
      ])
  }

  private static var foreignFile: Scenario {
    Scenario(
      name: "a file without a journal", subject: SuiteSubject(),
      prepare: {
        let disk = SimulatedDisk()
        try disk.makeFolder(SuiteSubject.folder, mode: 0o700)
        try write(["a": 1, "b": 1], to: SuiteSubject.file, on: disk)
        return disk.image
      },
      start: ["a": 1, "b": 1],
      steps: [set("a", 2), flush(), set("b", 2, by: 1), flush(.snapshot, by: 1), remove("a")])
  }

  /// Writes a property list as another program does.
  static func write(
    _ entries: [String: Int], to path: String, on disk: SimulatedDisk
  ) throws {
    let data = try PropertyListSerialization.data(
      fromPropertyList: entries, format: .binary, options: 0)
    let file = try disk.open(path, .create)
    _ = try data.withUnsafeBytes { try file.write($0, at: 0) }
    try file.synchronize()
  }
}
