import Defaults
import Foundation
import Harness

/// The commands that run schedules in this process: `simulate FIRST COUNT`, which prints a line for
/// each failing one; `replay SEED`, which prints a trace; and `shrink SEED`, which removes steps as
/// long as the schedule fails. Each may be followed by the word `text`, for a file of JSON with
/// comments, and by the rule to omit.
struct SimulationCommand {
  enum Task {
    case simulate(first: UInt64, count: Int, isVerbose: Bool)
    case replay(UInt64)
    case shrink(UInt64)
  }

  private let task: Task
  private let rule: EngineRule?
  private let isText: Bool

  /// nil for other arguments.
  init?(_ arguments: [String]) throws {
    guard let word = arguments.first else { return nil }
    let numbers = arguments.dropFirst().compactMap { UInt64($0) }
    switch (word, numbers.count) {
    case ("simulate", 2), ("simulate-each", 2):
      task = .simulate(
        first: numbers[0], count: Int(numbers[1]), isVerbose: word == "simulate-each")
    case ("replay", 1): task = .replay(numbers[0])
    case ("shrink", 1): task = .shrink(numbers[0])
    default: return nil
    }
    var words = arguments.dropFirst(1 + numbers.count)
    isText = words.first == "text"
    if isText { words = words.dropFirst() }
    rule = try words.first.map { name in
      guard let rule = EngineRule(rawValue: name) else {
        throw HarnessError("There is no rule \(name)")
      }
      return rule
    }
    Self.makeHashingDeterministic()
  }

  /// Restarts this program with deterministic hashing, so that dictionaries are written in one
  /// order. Returns if it is already enabled.
  private static func makeHashingDeterministic() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    if getenv(name) != nil { return }
    setenv(name, "1", 1)
    var words = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(Child.program, &words)
  }

  /// Returns whether no schedule failed.
  func run() throws -> Bool {
    let workers = SimulationWorkers()
    switch task {
    case .simulate(let first, let count, let isVerbose):
      var isGood = true
      for seed in first..<first + UInt64(count) {
        if isVerbose { Self.say("at \(seed)") }
        let schedule = SimulationSchedule(seed: seed, omitting: rule, isText: isText)
        let outcome = try SimulationRun(schedule: schedule).run(on: workers)
        guard let violation = outcome.violations.first else { continue }
        isGood = false
        Self.say("failed \(seed) \(violation)")
        // One failure proves that an omitted rule is detected.
        if rule != nil { break }
      }
      Self.say("done")
      return isGood
    case .replay(let seed):
      let schedule = SimulationSchedule(seed: seed, omitting: rule, isText: isText)
      let run = SimulationRun(schedule: schedule, isTraced: true)
      return Self.show(schedule, try run.run(on: workers))
    case .shrink(let seed):
      let schedule = SimulationSchedule(seed: seed, omitting: rule, isText: isText)
      guard var shrinker = try SimulationShrinker(schedule, workers) else {
        Self.say("The schedule doesn't fail")
        return true
      }
      try shrinker.shrink()
      return Self.show(shrinker.schedule, try shrinker.traced())
    }
  }

  private static func show(
    _ schedule: SimulationSchedule, _ outcome: SimulationRun.Outcome
  ) -> Bool {
    print(outcome.trace, terminator: "")
    print(schedule.text)
    print("\(outcome.steps) steps, disk \(outcome.fingerprint)")
    for violation in outcome.violations { print("VIOLATION \(violation)") }
    fflush(nil)
    return outcome.violations.isEmpty
  }

  private static func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}

extension SimulationSchedule {
  /// A readable description of the schedule.
  var text: String {
    var lines = ["seed \(seed), start \(start)"]
    if let omitted { lines.append("without the rule \(omitted)") }
    for (number, process) in processes.enumerated() {
      let predecessor = process.predecessor.map { ", after \($0)" } ?? ""
      lines.append(
        "P\(number): clock \(process.clockOffset)\(predecessor)\(process.closes ? ", closes" : "")")
      for (thread, operations) in process.threads.enumerated() {
        lines.append(
          "  P\(number).\(thread): " + operations.map { "\($0)" }.joined(separator: ", "))
      }
    }
    lines += edits.map { "editor: \($0)" } + events.map { "world: \($0)" }
    lines += faults.map { "fault: \($0)" }
    return lines.joined(separator: "\n")
  }
}
