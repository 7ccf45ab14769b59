import Defaults
import Harness

/// A process's report about the steps of a scenario, and its end.
struct CallReport {
  let prefix: String
  private let scenario: CallScenario
  let ending: Child.Ending
  /// The steps that returned.
  private(set) var done: [Int] = []
  /// The error codes of the steps that threw, by step.
  private(set) var refused: [Int: String] = [:]
  /// The entries of other processes at the end.
  private(set) var sees: String?
  /// The number of calls, and whether the fault happened at one; nil if the process was killed.
  private(set) var calls: (count: Int, faultHappened: Bool)?
  /// The reported issues.
  private(set) var issues: [String] = []
  /// The issues after the last step, which were reported at exit.
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

  /// The step with an unknown result, if the process was killed in one.
  private var unknown: Int? {
    guard case .killed = ending else { return nil }
    return scenario.steps.indices.first { !done.contains($0) && refused[$0] == nil }
  }

  /// The possible results of the process.
  var outcomes: [(entries: CallScenario.Entries, count: Int)] {
    let certain = scenario.outcome(of: done)
    return [certain] + (unknown.map { [scenario.outcome(of: done + [$0])] } ?? [])
  }

  /// Whether all steps were reported.
  var isComplete: Bool { done.count + refused.count == scenario.steps.count }

  /// The process's own entries among these, and the number of entries that it can't have left.
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

/// The possible values of the counter, and the check of the actual one.
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

  /// The difference between the counter and its possible values.
  func error(in entries: CallScenario.Entries) -> Int {
    guard case .integer(let count) = entries[CallScenario.counter] ?? .integer(0) else {
      return most
    }
    return max(0, least - Int(count), Int(count) - most)
  }
}
