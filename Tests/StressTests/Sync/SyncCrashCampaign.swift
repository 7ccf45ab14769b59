import Foundation
import Harness
import Synchronization

/// Interrupts random runs of a device that syncs on a simulated disk at each operation of the disk.
struct SyncCrashCampaign: Campaign {
  let name = "crashes of sync"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.tries ?? scale.count(100, atLeast: 2)
    let total = Mutex((states: 0, violations: [String]()))
    DispatchQueue.concurrentPerform(iterations: count) { index in
      var run = SyncCrashRun(seed: seed &+ UInt64(index))
      var problems: [String] = []
      do {
        try run.run(steps: 14, samples: 4)
      } catch {
        problems.append("run \(index): \(error)")
      }
      let (states, violations) = (run.states, run.violations + problems)
      total.withLock {
        $0.states += states
        $0.violations += violations
      }
    }
    let (states, violations) = total.withLock { $0 }
    return [
      Row(
        name: name, what: "states after a kill or power loss", times: states,
        lost: violations.count, figures: ["\(count) runs"],
        failures: Array(violations.prefix(20)))
    ]
  }
}
