import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "check the settings for problems; the status is 1 if there are any"
  ) { command, _ in
    var report = Report()
    let suite = command.suite
    report.tell("suite", suite.label)
    if let stored = suite.stored {
      let health = stored.persistence.health
      report.tell("health", health.words, isProblem: ![.intact, .inMemory].contains(health))
    }
    for key in command.keys {
      for entry in suite.inspect(key) {
        guard let problem = entry.error else { continue }
        report.tell(key.name, "\(entry.place ?? entry.layer): \(problem.reason)", isProblem: true)
      }
    }
    for problem in suite.problems(declaring: command.keys) where problem.code == .missing {
      report.tell(problem.key ?? "", problem.reason, isProblem: true)
    }
    for problem in suite.layerProblems(declaring: command.keys) {
      report.tell(
        problem.layer, "\(problem.place): \(problem.error.reason)", isProblem: true)
    }
    for entry in suite.unknownEntries(declaring: command.keys) {
      let nearest = entry.name.nearest.map { "; did you mean \($0)?" } ?? ""
      report.tell(
        entry.name.name, "\(entry.place): no setting has this name\(nearest)",
        isProblem: entry.preventsStart)
    }
    do {
      try suite.flush()
      report.tell("flush", "all changes are on the disk")
    } catch {
      report.tell("flush", "\(error)", isProblem: true)
    }
    try report.end()
  }
}

/// The findings of a `doctor`, printed as they are found.
package struct Report {
  private var problems = 0

  package init() {}

  /// Prints a line, marked if it is a problem.
  package mutating func tell(_ topic: String, _ words: String, isProblem: Bool = false) {
    if isProblem { problems += 1 }
    Console.printMessage(
      "\(isProblem ? "!" : " ") \(escaped(topic)): \(words)", inColour: isProblem)
  }

  /// Prints that there are no problems, or throws their number with status 1.
  package func end() throws(Defaults.CommandError) {
    switch problems {
    case 0: Console.print("  No problems found.")
    case 1: throw Defaults.CommandError("1 problem found", status: 1)
    default: throw Defaults.CommandError("\(problems) problems found", status: 1)
    }
  }
}

extension Defaults.Health {
  /// An explanation for the user.
  package var words: String {
    switch self {
    case .intact: "the file is intact"
    case .recoveredFromJournal: "the file was damaged; the journal is used instead"
    case .startedEmpty: "the file was damaged, and there was no intact journal"
    case .readOnly: "the settings can't be written now"
    case .savedAsBinary: "the file is binary, because XML can't hold one of the entries"
    case .inMemory: "there is no file; changes are lost when the program ends"
    }
  }
}
