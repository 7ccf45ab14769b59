import Defaults

/// The disk and the processes of a scenario while it is played.
final class CrashStage<Subject: CrashSubject> {
  typealias Entries = CrashScenario<Subject>.Entries

  /// The beginning and the end of a step.
  struct Mark {
    let name: String
    let promise: CrashScenario<Subject>.Promise
    /// The index of the expected entries after the step.
    let newest: Int
    /// The number of operations when it began.
    let begin: Int
    /// The number of operations when it returned.
    var end: Int?
  }

  let disk: SimulatedDisk
  /// The initial entries, and those after each change.
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

  /// Does a step, even in the middle of another one.
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

  /// The process with this number, started if it isn't running.
  func process(_ number: Int) throws -> Subject.Process {
    if let process = processes[number] { return process }
    let process = try subject.open(on: disk)
    processes[number] = process
    return process
  }

  /// Ends a process normally.
  func end(_ number: Int) {
    processes[number] = nil
  }

  /// Ends all processes, in the order of their numbers.
  func endAll() {
    for number in processes.keys.sorted() { end(number) }
  }

  /// Kills a process: it does nothing more, not even at exit. Its files stay open.
  func kill(_ number: Int) {
    if let process = processes.removeValue(forKey: number) { killed.append(process) }
  }
}
