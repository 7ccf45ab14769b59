import Foundation
import Harness
import Synchronization

/// Plays random histories of two to six devices that sync through a carrier which delays, repeats,
/// reorders, cuts, loses and restores their files, with wrong clocks and dying devices.
struct SyncCampaign: Campaign {
  let name = "sync"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.tries ?? scale.count(100_000, atLeast: 1_000)
    let lanes = 2
    let failures = Mutex([String]())
    let passes = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: lanes) { lane in
      var total = 0
      for index in stride(from: lane, to: count, by: lanes) {
        var history = SyncHistory(seed: seed &+ UInt64(index))
        do {
          try history.run(40)
        } catch {
          let failure = error as? SyncHistory.Failure
          var words = "history \(index): \(failure?.reason ?? "\(error)")"
          // One history alone is to be examined.
          if count == 1 { words += ", after\n" + (failure?.steps ?? []).joined(separator: "\n") }
          failures.withLock { $0.append(words) }
        }
        total += history.passes
      }
      let sum = total
      passes.withLock { $0 += sum }
    }
    let found = failures.withLock { $0 }
    return [
      Row(
        name: name, what: "histories of 2 to 6 devices", times: count, lost: found.count,
        figures: ["\(passes.withLock { $0 }.grouped) passes"], failures: Array(found.prefix(20)))
    ]
  }
}
