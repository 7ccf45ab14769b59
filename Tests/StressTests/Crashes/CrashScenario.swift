import Defaults

/// A store of entries for the crash checker.
protocol CrashSubject {
  associatedtype Process

  /// Opens the store, as a starting process does.
  func open(on disk: SimulatedDisk) throws -> Process
  /// The entries that the process reads.
  func entries(of process: Process) throws -> CrashScenario<Self>.Entries
  /// Does all work of a process before it ends.
  func finish(_ process: Process) throws
  /// Throws a sentence about anything unexpected on the disk after a process has ended.
  func inspect(_ disk: SimulatedDisk) throws
}

extension CrashSubject {
  func finish(_ process: Process) throws {}
  func inspect(_ disk: SimulatedDisk) throws {}
}

/// The actions of one or more processes on a disk, which is then interrupted at every point.
struct CrashScenario<Subject: CrashSubject> {
  typealias Entries = [String: Defaults.PropertyListValue]

  let name: String
  let subject: Subject
  /// Creates the initial disk, which is completely durable.
  let prepare: () throws -> DiskImage
  /// The initial entries.
  let start: Entries
  let steps: [Step]
  /// Whether a new file gets the inode number of a removed one. States with both files are then
  /// impossible, and are skipped.
  var reusesNumbers = true
  /// The number of operations with the same time.
  var operationsPerTick = 1
  /// The result of each operation from the beginning.
  var outcome: (@Sendable (DiskOperation) -> SimulatedDisk.Outcome)?

  /// An action of a process.
  struct Step {
    let name: String
    var promise = Promise.kill
    /// Whether it may throw an error of the library, which voids its promise.
    var mayFail = false
    /// The change of the entries.
    var change: ((inout Entries) -> Void)?
    let run: (CrashStage<Subject>) throws -> Void
  }

  /// What all changes up to the end of a step survive, once it has returned.
  enum Promise {
    /// Nothing: the step's change may be lost.
    case nothing
    /// The death of the process.
    case kill
    /// A power loss.
    case powerCut
  }
}

/// The record of a scenario that was played to its end.
struct CrashRecording<Subject: CrashSubject> {
  typealias Entries = CrashScenario<Subject>.Entries

  let scenario: CrashScenario<Subject>
  let start: DiskImage
  let log: [DiskOperation]
  /// The initial entries, and those after each change.
  let expected: [Entries]
  private let marks: [CrashStage<Subject>.Mark]

  /// Plays the scenario.
  init(_ scenario: CrashScenario<Subject>) throws {
    let start = try scenario.prepare()
    let disk = SimulatedDisk(
      start, reusesNumbers: scenario.reusesNumbers, operationsPerTick: scenario.operationsPerTick)
    let stage = CrashStage(disk: disk, subject: scenario.subject, start: scenario.start)
    disk.decide(scenario.outcome)
    for step in scenario.steps { try stage.perform(step) }
    // The processes' work at exit belongs to the scenario, and changes no entry.
    stage.endAll()
    self.scenario = scenario
    self.start = start
    log = disk.log
    expected = stage.expected
    marks = stage.marks
  }

  /// The range of acceptable entries after a crash: not older than the last step with a valid
  /// promise, not newer than the last step that had begun.
  func acceptable(after crash: CrashState) -> ClosedRange<Int> {
    // A step without an operation so far can't have changed anything.
    let last = marks.filter { $0.begin < crash.prefix }.map(\.newest).max() ?? 0
    let kept = marks.filter { mark in
      guard let end = mark.end, end <= crash.returned else { return false }
      return switch mark.promise {
      case .nothing: false
      case .kill: crash.isKill
      case .powerCut: true
      }
    }
    let first = kept.map(\.newest).max() ?? 0
    return first...max(first, last)
  }

  /// The steps that had begun. The last one may be incomplete.
  func steps(before prefix: Int) -> [String] {
    marks.filter { $0.begin < prefix }.map(\.name)
  }
}
