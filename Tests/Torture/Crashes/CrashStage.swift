import Defaults

/// The disk of a scenario and the processes on it, while it is played.
final class CrashStage<Subject: CrashSubject> {
  typealias Entries = CrashScenario<Subject>.Entries

  /// When a step began and ended.
  struct Mark {
    let name: String
    let promise: CrashScenario<Subject>.Promise
    /// Which of the expected entries it leads to.
    let newest: Int
    /// How many operations there were when it began.
    let begin: Int
    /// How many when it returned.
    var end: Int?
  }

  let disk: SimulatedDisk
  /// The entries at the beginning and after each change.
  private(set) var expected: [Entries]
  private(set) var marks: [Mark] = []
  private let subject: Subject
  private var processes: [Int: Subject.Process] = [:]
  private var killed: [Subject.Process] = []

  init(disk: SimulatedDisk, subject: Subject, start: Entries) {
    self.disk = disk
    self.subject = subject
    expected = [start]
  }

  /// Does a step, also in the middle of another one.
  func perform(_ step: CrashScenario<Subject>.Step) throws {
    if let change = step.change {
      var entries = expected[expected.count - 1]
      change(&entries)
      expected.append(entries)
    }
    let number = marks.count
    marks.append(
      Mark(
        name: step.name, promise: step.promise, newest: expected.count - 1,
        begin: disk.log.count))
    do {
      try step.run(self)
    } catch is Defaults.SuiteError where step.mayFail {
      return
    }
    marks[number].end = disk.log.count
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

  /// Lets a process do nothing more, not even at its end. Its files stay open.
  func kill(_ number: Int) {
    if let process = processes.removeValue(forKey: number) { killed.append(process) }
  }
}
