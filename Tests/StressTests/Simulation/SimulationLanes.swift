import Defaults
import Foundation
import Harness
import Synchronization

/// Runs many schedules in parallel processes.
///
/// A process ends after some schedules, so that a trap can be attributed to one schedule, and
/// memory leaked by killed engines is freed.
struct SimulationLanes {
  struct Failure: Sendable {
    let seed: UInt64
    let text: String
  }

  struct Result: Sendable {
    var failures: [Failure] = []
    var count = 0
  }

  /// The number of schedules per process.
  private static let batch = 1_000

  /// Deterministic hashing, so that dictionaries are written in one order.
  static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no"]

  /// Runs a number of schedules, starting with a seed.
  static func run(from first: UInt64, count: Int, isText: Bool = false) throws -> Result {
    let batches = Mutex(stride(from: 0, to: count, by: batch).reversed().map { $0 })
    let result = Mutex(Result())
    let problem = Mutex<(any Error)?>(nil)
    let lanes = ProcessInfo.processInfo.activeProcessorCount
    DispatchQueue.concurrentPerform(iterations: lanes) { _ in
      while let start = batches.withLock({ $0.popLast() }) {
        do {
          let seeds = first + UInt64(start)..<first + UInt64(min(count, start + batch))
          let failures = try run(seeds, isText: isText)
          result.withLock { result in
            result.failures += failures
            result.count += seeds.count
          }
        } catch {
          problem.withLock { $0 = error }
        }
      }
    }
    if let problem = problem.withLock({ $0 }) { throw problem }
    var all = result.withLock { $0 }
    all.failures.sort { $0.seed < $1.seed }
    return all
  }

  private static func run(_ seeds: Range<UInt64>, isText: Bool) throws -> [Failure] {
    var failures: [Failure] = []
    var rest = seeds
    while !rest.isEmpty {
      let (lines, isDone, ending) = try simulate("simulate", rest, isText: isText)
      if isDone { return failures + lines.compactMap(failure) }
      // Repeats them, up to the schedule that ended the process.
      let (again, isDoneNow, _) = try simulate("simulate-each", rest, isText: isText)
      failures += again.compactMap(failure)
      if isDoneNow {
        let text = "the process ended once, in this or a later schedule: \(ending)"
        return failures + [Failure(seed: rest.lowerBound, text: text)]
      }
      let last = again.last { $0.hasPrefix("at ") }.flatMap { UInt64($0.dropFirst(3)) }
      guard let last else { throw HarnessError("The simulation ended at once: \(ending)") }
      failures.append(Failure(seed: last, text: "the process ended: \(ending)"))
      rest = last + 1..<seeds.upperBound
    }
    return failures
  }

  private static func simulate(
    _ word: String, _ seeds: Range<UInt64>, isText: Bool = false, omitting rule: EngineRule? = nil
  ) throws -> (lines: [String], isDone: Bool, ending: Child.Ending) {
    let child = try Child(
      [word, "\(seeds.lowerBound)", "\(seeds.count)"] + (isText ? ["text"] : [])
        + (rule.map { [$0.rawValue] } ?? []),
      environment: environment)
    var lines: [String] = []
    do {
      while let line = try child.output.next() { lines.append(line) }
    } catch {
      // It hangs, which is a failure of one of its schedules.
      child.kill()
    }
    return (lines, lines.last == "done", child.wait())
  }

  private static func failure(_ line: String) -> Failure? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "failed", let seed = UInt64(words[1]) else { return nil }
    return Failure(seed: seed, text: String(words[2]))
  }

  /// The number of schedules up to the first one that detects an omitted rule; nil if none within
  /// the limit does.
  static func count(toFind rule: EngineRule, from first: UInt64, atMost limit: Int) throws -> Int? {
    let (lines, isDone, ending) = try simulate(
      "simulate", first..<first + UInt64(limit), omitting: rule)
    // A trap of an engine without a rule is also a detection.
    guard isDone else { throw HarnessError("The simulation without \(rule) ended: \(ending)") }
    return lines.lazy.compactMap(failure).first.map { Int($0.seed - first) + 1 }
  }

  /// The trace of a failing schedule, reduced as long as it still fails; the error if that hangs.
  static func trace(of seed: UInt64, isText: Bool) -> String {
    do {
      let child = try Child(
        ["shrink", "\(seed)"] + (isText ? ["text"] : []), environment: environment)
      return try child.output.rest().joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }
}
