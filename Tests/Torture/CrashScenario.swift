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
  /// Brings the disk into the state at which the story begins, which is all certain.
  let prepare: (SimulatedDisk) throws -> Void
  /// The entries at the beginning.
  let start: Entries
  let steps: [Step]
  /// Whether a new file gets the inode number of one that is gone; states in which both are there
  /// are impossible then, and so aren't tried.
  var reusesNumbers = true
  /// How many operations have the same time.
  var operationsPerTick = 1

  /// Something that a process does.
  struct Step {
    let name: String
    var promise = Promise.kill
    /// The change of the entries that it makes.
    var change: (inout Entries) -> Void = { _ in }
    let run: (Stage) throws -> Void
  }

  /// What everything up to the end of a step survives, once it returned.
  enum Promise {
    /// Nothing: the step's change may get lost.
    case nothing
    /// The death of the process.
    case kill
    /// A power cut.
    case powerCut
  }

  /// The disk and the processes on it.
  final class Stage {
    let disk: SimulatedDisk
    private let subject: Subject
    private var processes: [Int: Subject.Process] = [:]

    init(disk: SimulatedDisk, subject: Subject) {
      self.disk = disk
      self.subject = subject
    }

    /// The process with this number, started if it doesn't run.
    func process(_ number: Int) throws -> Subject.Process {
      if let process = processes[number] { return process }
      let process = try subject.open(on: disk)
      processes[number] = process
      return process
    }

    /// Lets a process end, in its own way.
    func end(_ number: Int) {
      processes[number] = nil
    }

    /// Lets all processes end, in the order of their numbers.
    func endAll() {
      for number in processes.keys.sorted() { end(number) }
    }
  }
}

/// What a scenario did, when it was played to its end.
struct CrashRecording<Subject: CrashSubject> {
  let scenario: CrashScenario<Subject>
  let start: DiskImage
  let log: [DiskOperation]
  /// The entries at the beginning and after each step.
  let expected: [CrashScenario<Subject>.Entries]
  /// How many operations there were when each step began and when it returned.
  private let ranges: [Range<Int>]

  /// Plays the scenario.
  init(_ scenario: CrashScenario<Subject>) throws {
    let prepared = SimulatedDisk(reusesNumbers: scenario.reusesNumbers)
    try scenario.prepare(prepared)
    let disk = SimulatedDisk(
      prepared.image, reusesNumbers: scenario.reusesNumbers,
      operationsPerTick: scenario.operationsPerTick)
    let stage = CrashScenario<Subject>.Stage(disk: disk, subject: scenario.subject)
    var expected = [scenario.start]
    var ranges: [Range<Int>] = []
    for step in scenario.steps {
      var entries = expected.last ?? [:]
      step.change(&entries)
      expected.append(entries)
      let begin = disk.log.count
      try step.run(stage)
      ranges.append(begin..<disk.log.count)
    }
    // What a process does when it goes is part of the story, and changes no entry.
    stage.endAll()
    self.scenario = scenario
    start = prepared.image
    log = disk.log
    self.expected = expected
    self.ranges = ranges
  }

  /// Which of the expected entries a crash may lead to: not older than the last step whose promise
  /// holds, not newer than the last step that began.
  func acceptable(after crash: CrashState) -> ClosedRange<Int> {
    var first = 0
    var last = 0
    for (number, (step, range)) in zip(scenario.steps, ranges).enumerated() {
      // A step of which nothing was done yet can't have left anything.
      if range.lowerBound < crash.prefix { last = number + 1 }
      let holds =
        switch step.promise {
        case .nothing: false
        case .kill: crash.isKill
        case .powerCut: true
        }
      if holds, range.upperBound <= crash.returned { first = number + 1 }
    }
    return first...max(first, last)
  }

  /// The steps that had begun, the last one perhaps not at its end.
  func steps(before prefix: Int) -> [String] {
    zip(scenario.steps, ranges).filter { $1.lowerBound < prefix }.map(\.0.name)
  }
}
