import Defaults

/// A store of entries, as the crash checker uses it.
protocol CrashSubject {
  associatedtype Process

  /// Opens the store, as a process that starts does.
  func open(on disk: SimulatedDisk) throws -> Process
  /// What the process sees.
  func entries(of process: Process) throws -> CrashScenario<Self>.Entries
  /// Does all that a process does before it ends.
  func finish(_ process: Process) throws
  /// Throws a sentence about something on the disk that mustn't be there, after a process has run
  /// to its end.
  func inspect(_ disk: SimulatedDisk) throws
}

extension CrashSubject {
  func finish(_ process: Process) throws {}
  func inspect(_ disk: SimulatedDisk) throws {}
}

/// A story of one or more processes on a disk, which is then cut off at every point.
struct CrashScenario<Subject: CrashSubject> {
  typealias Entries = [String: Defaults.PropertyListValue]

  let name: String
  let subject: Subject
  /// Makes the disk on which the story begins; all of it is certain.
  let prepare: () throws -> DiskImage
  /// The entries at the beginning.
  let start: Entries
  let steps: [Step]
  /// Whether a new file gets the inode number of one that is gone; states in which both are there
  /// are impossible then, and so aren't tried.
  var reusesNumbers = true
  /// How many operations have the same time.
  var operationsPerTick = 1
  /// What becomes of operations from the beginning.
  var outcome: (@Sendable (DiskOperation) -> SimulatedDisk.Outcome)?

  /// Something that a process does.
  struct Step {
    let name: String
    var promise = Promise.kill
    /// Whether it may throw an error of the library; then it promises nothing.
    var mayFail = false
    /// The change of the entries that it makes.
    var change: ((inout Entries) -> Void)?
    let run: (CrashStage<Subject>) throws -> Void
  }

  /// What everything that was done before a step and in it survives, once it returned.
  enum Promise {
    /// Nothing: the step's change may get lost.
    case nothing
    /// The death of the process.
    case kill
    /// A power cut.
    case powerCut
  }
}

/// What a scenario did, when it was played to its end.
struct CrashRecording<Subject: CrashSubject> {
  typealias Entries = CrashScenario<Subject>.Entries

  let scenario: CrashScenario<Subject>
  let start: DiskImage
  let log: [DiskOperation]
  /// The entries at the beginning and after each change.
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
    // What a process does when it goes is part of the story, and changes no entry.
    stage.endAll()
    self.scenario = scenario
    self.start = start
    log = disk.log
    expected = stage.expected
    marks = stage.marks
  }

  /// Which of the expected entries a crash may lead to: not older than the last step whose promise
  /// holds, not newer than the last step that began.
  func acceptable(after crash: CrashState) -> ClosedRange<Int> {
    // A step of which nothing was done yet can't have left anything.
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

  /// The steps that had begun, the last one perhaps not at its end.
  func steps(before prefix: Int) -> [String] {
    marks.filter { $0.begin < prefix }.map(\.name)
  }
}
