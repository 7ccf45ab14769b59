import Defaults
import Foundation
import Harness

/// A thread of a process that records its operations.
struct HistoryWorker {
  private let suite: Defaults.StoredSuite
  private let process: Int
  private let parent: Parent
  private let keys: [[Defaults.Key<Int>]]
  private var random: SeededGenerator
  /// The last written value. Values are unique to this worker.
  private var value: Int
  private(set) var operations: [HistoryOperation] = []

  init(
    suite: Defaults.StoredSuite, process: Int, thread: Int, random: SeededGenerator,
    parent: Parent
  ) {
    self.suite = suite
    self.process = process
    self.random = random
    self.parent = parent
    value = (process + 1) << 40 | thread << 32
    keys = HistorySettings.all.map { number in
      HistorySettings.names(of: number).map { Defaults.Key<Int>($0, default: 0, suite: suite) }
    }
  }

  /// Does a random operation.
  mutating func work() {
    value += 1
    let mixed = Int.random(in: HistorySettings.mixed, using: &random)
    switch Int.random(in: 0..<1_000, using: &random) {
    case 0..<400: swap(Int.random(in: HistorySettings.chains, using: &random))
    case 400..<550: swap(HistorySettings.pair)
    case 550..<640: swap(mixed)
    case 640..<760: set(mixed)
    case 760..<800: remove(mixed)
    case 800..<990: read(Int.random(in: HistorySettings.all, using: &random))
    case 990..<997: flush(.durable)
    default: flush(.snapshot)
    }
  }

  private mutating func swap(_ number: Int) {
    let (new, keys) = (value, keys[number])
    let start = MonotonicTime.now
    do {
      let old = try suite.transaction { draft throws(any Error) in
        let old = keys.map { draft[$0] }
        for key in keys { draft[key] = new }
        return old
      }
      note(.swap, number, start, old: old[0], second: old[old.count - 1], new: new)
    } catch {
      note(.refusal, number, start, new: new)
      tell(error)
    }
  }

  private mutating func set(_ number: Int) {
    let start = MonotonicTime.now
    do {
      try suite.set(value, for: keys[number][0])
      note(.set, number, start, new: value)
    } catch {
      tell(error)
    }
  }

  private mutating func remove(_ number: Int) {
    let start = MonotonicTime.now
    do {
      try suite.set(nil, for: Defaults.Key<Int?>(keys[number][0].name, suite: suite))
      note(.remove, number, start)
    } catch {
      tell(error)
    }
  }

  private mutating func read(_ number: Int) {
    let start = MonotonicTime.now
    if number == HistorySettings.pair {
      let entries = suite.entries
      let found = HistorySettings.values(of: number) { entries[$0] }
      note(.read, number, start, old: found.value, second: found.second)
    } else {
      let found = suite[keys[number][0]]
      note(.read, number, start, old: found, second: found)
    }
  }

  private mutating func flush(_ extent: Defaults.FlushExtent) {
    let start = MonotonicTime.now
    do {
      try suite.flush(extent)
      note(.flush, 0, start)
    } catch {
      tell(error)
    }
  }

  private mutating func note(
    _ kind: HistoryOperation.Kind, _ number: Int, _ start: Int, old: Int = 0, second: Int = 0,
    new: Int = 0
  ) {
    operations.append(
      HistoryOperation(
        kind: kind, process: process, key: number, old: old, new: new, second: second,
        start: start, end: MonotonicTime.now))
  }

  private func tell(_ error: any Error) {
    let code = (error as? Defaults.SuiteError)?.code.rawValue ?? "other"
    parent.tell("threw \(code) \(error)")
  }
}
