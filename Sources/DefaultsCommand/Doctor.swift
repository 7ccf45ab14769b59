import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "look for what is wrong with the settings; the status is 1 if something is"
  ) { command, _ in
    var problems = 0
    func tell(_ topic: String, _ words: String, isProblem: Bool = false) {
      if isProblem { problems += 1 }
      Console.print("\(isProblem ? "!" : " ") \(topic): \(words)", inColour: isProblem)
    }
    let suite = command.suite
    tell("suite", suite.label)
    if let stored = suite.stored {
      tell("health", stored.health.words, isProblem: ![.intact, .inMemory].contains(stored.health))
    }
    for key in command.keys {
      for entry in suite.inspect(key) {
        guard let problem = entry.problem else { continue }
        tell("\(key.name)", "\(entry.place ?? entry.layer): \(problem.reason)", isProblem: true)
      }
    }
    for name in suite.unknownNames(declaring: command.keys) {
      tell("\(name.name)", "no setting has this name" + (name.nearest.map { "; \($0)?" } ?? ""))
    }
    do {
      try suite.flush()
      tell("flush", "what was set is on the disk")
    } catch {
      tell("flush", "\(error)", isProblem: true)
    }
    if problems > 0 {
      throw Defaults.CommandError(
        problems == 1 ? "1 thing is wrong" : "\(problems) things are wrong", status: 1)
    }
    Console.print("  Nothing is wrong.")
  }
}

extension Defaults.Health {
  /// What it means, for a person.
  package var words: String {
    switch self {
    case .intact: "the file is as it should be"
    case .recoveredFromBackup: "the file was damaged, and the previous one counts"
    case .startedEmpty: "the file was damaged, and there was no previous one"
    case .readOnly: "nothing can be stored at present"
    case .inMemory: "there is no file; nothing of this run will be kept"
    }
  }
}
