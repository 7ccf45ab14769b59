import Foundation
import Harness

/// Reads a million damaged files and journals.
struct HostileCampaign: Campaign {
  let name = "mutations"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let result = try MutationCampaign.run(
      count: scale.count(1_000_000, atLeast: 20_000), seed: seed,
      workers: ProcessInfo.processInfo.activeProcessorCount)
    return [
      Row(
        name: name, what: "damaged files and journals, read", times: Int(clamping: result.inputs),
        lost: 0,
        figures: [
          "\(Int(clamping: result.accepted).grouped) read, "
            + "\(Int(clamping: result.refused).grouped) rejected",
          "\(result.traps.count) traps, \(result.hangs.count) hangs, "
            + "\(result.memoryExcesses.count) memory excesses",
        ],
        failures: result.harm(seed: seed))
    ]
  }
}
