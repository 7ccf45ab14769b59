import Defaults
import Harness

/// What a process reported of the steps of a scenario, and how it ended.
struct CallReport {
  let prefix: String
  private let scenario: CallScenario
  let ending: Child.Ending
  /// The steps that returned.
  private(set) var done: [Int] = []
  /// The error codes of the steps that threw, by step.
  private(set) var refused: [Int: String] = [:]
  /// The entries of others at the end.
  private(set) var sees: String?
  /// How many calls it made, and whether the fault happened to one of them; nil if it was killed.
  private(set) var calls: (count: Int, faultHappened: Bool)?
  /// What the library told besides.
  private(set) var issues: [String] = []
  /// That of it which came after the last step: what the process said when it went.
  private(set) var lastWords: [String] = []

  init(_ lines: [String], of scenario: CallScenario, prefix: String, ending: Child.Ending) {
    self.prefix = prefix
    self.scenario = scenario
    self.ending = ending
    for line in lines {
      let words = line.split(separator: " ")
      switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
      case ("ok", let number?): done.append(number)
      case ("threw", let number?): refused[number] = words.dropFirst(2).first.map(String.init) ?? ""
      case ("calls", let count?): calls = (count, words.last == "true")
      case ("sees", _): sees = String(line.dropFirst(5))
      default:
        issues.append(line)
        if calls != nil || sees != nil { lastWords.append(line) }
      }
    }
  }

  /// The step that was neither done nor refused, if the process was killed in one.
  private var unknown: Int? {
    guard case .killed = ending else { return nil }
    return scenario.steps.indices.first { !done.contains($0) && refused[$0] == nil }
  }

  /// What the process may have left.
  var outcomes: [(entries: CallScenario.Entries, count: Int)] {
    let certain = scenario.outcome(of: done)
    return [certain] + (unknown.map { [scenario.outcome(of: done + [$0])] } ?? [])
  }

  /// Whether all steps were reported.
  var isComplete: Bool { done.count + refused.count == scenario.steps.count }

  /// Those of these entries that are its own, and how many of them are none that it may have left.
  func compare(
    with found: CallScenario.Entries
  ) -> (entries: CallScenario.Entries, wrong: Int) {
    let own = found.filter { $0.key.hasPrefix(prefix + ".") }
    let wrong = outcomes.map { outcome in
      Set(own.keys).union(outcome.entries.keys).count { own[$0] != outcome.entries[$0] }
    }
    return (own, wrong.min() ?? 0)
  }
}

/// What all processes together may have made of the counter, and what is there.
struct CounterRange {
  private var least = 0
  private var most = 0

  mutating func add(_ report: CallReport) {
    let counts = report.outcomes.map(\.count)
    least += counts.min() ?? 0
    most += counts.max() ?? 0
  }

  mutating func add(_ count: Int) {
    least += count
    most += count
  }

  /// By how much the counter is wrong.
  func error(in entries: CallScenario.Entries) -> Int {
    guard case .integer(let count) = entries[CallScenario.counter] ?? .integer(0) else {
      return most
    }
    return max(0, least - Int(count), Int(count) - most)
  }
}
