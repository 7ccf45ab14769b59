import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

/// Random schedules of crashes, external writers and lost logs; a seed reproduces its schedules.
@Suite("Enumerated states of a log", .tags(.slow))
struct LogEnumerationTests {
  @Test(
    "Every state that a kill or a power loss leaves has the committed entries",
    arguments: 1...8 as ClosedRange<UInt64>)
  func crashes(seed: UInt64) {
    var (states, merges, round) = (0, 0, UInt64(0))
    while states < 65_000 || merges < 1_150 {
      round += 1
      var world = LogWorld(seed: seed << 32 | round)
      for _ in 0..<30 where world.problems.isEmpty { world.step() }
      states += world.states
      merges += world.merges
      guard world.problems.isEmpty else {
        Issue.record("Round \(round): \(world.problems.joined(separator: "\n"))")
        return
      }
    }
  }

  @Test(
    "Processes that merge their changes into a new log agree in any order",
    arguments: 1...4 as ClosedRange<UInt64>)
  func joins(seed: UInt64) {
    var numbers = SplitMix64(state: seed)
    for round in 0..<850 {
      // One log up to some record, and then a branch per process: the log was deleted while some
      // processes were stopped.
      var states = [LogState([:], of: nil, version: .zero, id: 0)]
      func append(_ writer: UInt64, to state: inout LogState) {
        let name = LogWorld.names[Int.random(in: 0..<5, using: &numbers)]
        let value = Bool.random(using: &numbers) ? Int.random(in: 0..<5, using: &numbers) : nil
        state.apply(.set(name, value, .random(in: 100..<110, using: &numbers), writer: writer))
      }
      for _ in 0..<Int.random(in: 0..<10, using: &numbers) { append(9, to: &states[0]) }
      states = Array(repeating: states[0], count: 3)
      for index in states.indices {
        for _ in 0..<Int.random(in: 0..<6, using: &numbers) {
          append(UInt64(index), to: &states[index])
        }
      }
      var newest: [String: LogRecord.JoinedChange] = [:]
      for state in states {
        newest.merge(state.changesByName) {
          ($0.version, $0.writer) > ($1.version, $1.writer) ? $0 : $1
        }
      }
      for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        var log = states[order[0]].compacted
        for index in order.dropFirst() {
          for _ in 0..<2 { log.apply(.joined(states[index].missing(in: log))) }
          if Bool.random(using: &numbers) { log = log.compacted }
        }
        #expect(log.changesByName == newest, "round \(round)")
      }
    }
  }

  @Test(
    "An export after damage restores the entries that the damage lost",
    arguments: 1...4 as ClosedRange<UInt64>)
  func damage(seed: UInt64) throws {
    var numbers = SplitMix64(state: seed)
    for round in 0..<500 {
      var whole = LogState([:], of: nil, version: .zero, id: 0)
      var damaged = whole
      let lost = Int.random(in: 0..<8, using: &numbers)..<Int.random(in: 8..<12, using: &numbers)
      for index in 0..<12 {
        let name = LogWorld.names[Int.random(in: 0..<5, using: &numbers)]
        let value = Bool.random(using: &numbers) ? index : nil
        let record = LogRecord.set(name, value, .random(in: 100..<110, using: &numbers))
        whole.apply(record)
        if lost.contains(index) { damaged.noteDamage() } else { damaged.apply(record) }
      }
      let content = whole.values
      let file = LogRecord.FileIdentity.sample(100)
      let began = LogRecord.began(1, whole.horizon.latest.microseconds)
      for record in [began, .exported(1, file), .placed(1), .set("a", 77, 0)] {
        whole.apply(record)
        damaged.apply(record)
      }
      damaged.apply(.joined(damaged.recovering(content, of: 1)))
      #expect(damaged.values == whole.values, "round \(round)")
    }
  }
}
