import Defaults
import Harness

/// Runs several engines on one simulated disk step by step, in as many orders as time permits.
struct SimulationCampaign: Campaign {
  let name = "simulation"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.tries ?? scale.count(30_000)
    return [
      try run(count, seed: seed, isText: false), try run(count / 10, seed: seed, isText: true),
    ]
  }

  /// Runs schedules on a property list or on a file of JSON with comments.
  private func run(_ count: Int, seed: UInt64, isText: Bool) throws -> Row {
    let first = Self.first(of: seed)
    let start = MonotonicTime.now
    let result = try SimulationLanes.run(from: first, count: count, isText: isText)
    let seconds = MonotonicTime.seconds(since: start)
    var failures = result.failures.map { "schedule \($0.seed): \($0.text)" }
    if let failure = result.failures.first, !failure.text.hasPrefix("the process ended") {
      failures.insert(
        "the shortest trace of schedule \(failure.seed) "
          + "(StressTests replay \(failure.seed)\(isText ? " text" : "") has all):\n"
          + SimulationLanes.trace(of: failure.seed, isText: isText), at: 0)
    }
    return Row(
      name: name,
      what: "schedules of 2 to 4 processes" + (isText ? " on JSON with comments" : ""),
      times: result.count, lost: result.failures.count,
      figures: ["\(Int(Double(count) / seconds * 60).grouped) a minute"], failures: failures)
  }

  /// The first schedule of a seed.
  static func first(of seed: UInt64) -> UInt64 { seed &* 1_000_000_000 }
}

/// Omits rules of the engine one by one, to prove that the simulation finds the resulting failures.
struct OmittedRuleCampaign: Campaign {
  let name = "omitted rules"

  /// The maximum number of schedules to find a failure.
  static let limit = 10_000

  /// The rules of the engine.
  static let rules = EngineRule.allCases

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    var (figures, failures) = ([String](), [String]())
    for rule in Self.rules {
      let count = try SimulationLanes.count(
        toFind: rule, from: SimulationCampaign.first(of: seed), atMost: Self.limit)
      guard let count else {
        failures.append("\(rule) was omitted in \(Self.limit) schedules, and none failed")
        continue
      }
      figures.append("\(rule): \(count)")
    }
    return [
      Row(
        name: name, what: "rules omitted and detected", times: Self.rules.count,
        lost: failures.count, figures: figures, failures: failures)
    ]
  }
}
