import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "look for what is wrong with the settings; the status is 1 if something is"
  ) { command, _ in
    var report = Report()
    let suite = command.suite
    report.tell("suite", suite.label)
    if let stored = suite.stored {
      let health = stored.health
      report.tell("health", health.words, isProblem: ![.intact, .inMemory].contains(health))
    }
    for key in command.keys {
      for entry in suite.inspect(key) {
        guard let problem = entry.error else { continue }
        report.tell(key.name, "\(entry.place ?? entry.layer): \(problem.reason)", isProblem: true)
      }
    }
    for problem in suite.layerProblems(declaring: command.keys) {
      report.tell(
        problem.layer, "\(problem.place): \(problem.error.reason)", isProblem: true)
    }
    for entry in suite.unknownEntries(declaring: command.keys) {
      let nearest = entry.name.nearest.map { "; \($0)?" } ?? ""
      report.tell(entry.name.name, "\(entry.place): no setting has this name\(nearest)")
    }
    do {
      try suite.flush()
      report.tell("flush", "what was set is on the disk")
    } catch {
      report.tell("flush", "\(error)", isProblem: true)
    }
    try report.end()
  }
}

/// What a doctor has found, printed as it is found.
package struct Report {
  private var problems = 0

  package init() {}

  /// Prints a line, with a mark if something is wrong.
  package mutating func tell(_ topic: String, _ words: String, isProblem: Bool = false) {
    if isProblem { problems += 1 }
    Console.printMessage(
      "\(isProblem ? "!" : " ") \(escaped(topic)): \(words)", inColour: isProblem)
  }

  /// Prints that all is well, or throws how much isn't, with status 1.
  package func end() throws(Defaults.CommandError) {
    switch problems {
    case 0: Console.print("  Nothing is wrong.")
    case 1: throw Defaults.CommandError("1 thing is wrong", status: 1)
    default: throw Defaults.CommandError("\(problems) things are wrong", status: 1)
    }
  }
}

extension Defaults.Health {
  /// What it means, for a person.
  package var words: String {
    switch self {
    case .intact: "the file is as it should be"
    case .recoveredFromJournal: "the file was damaged, and the journal counts"
    case .startedEmpty: "the file was damaged, and there was no sound journal"
    case .readOnly: "nothing can be stored at present"
    case .savedAsBinary: "the file is binary, because XML can't hold one of the entries"
    case .inMemory: "there is no file; nothing of this run will be kept"
    }
  }
}
