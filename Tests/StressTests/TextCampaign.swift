import Foundation
import Harness
import FuzzInputs

/// Converts values of every stored type to texts and back.
struct TextCampaign: Campaign {
  let name = "texts"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.count(100_000, atLeast: 1_000)
    var (lost, failures) = (0, [String]())
    for (index, sample) in TextSample.all.enumerated() {
      var generator = SplitMix64(state: seed &+ UInt64(index))
      for _ in 0..<count {
        guard let failure = sample.tryOne(&generator) else { continue }
        lost += 1
        if failures.count < 20 { failures.append("\(sample): \(failure)") }
      }
    }
    return [
      Row(
        name: name, what: "values, to text and back", times: count * TextSample.all.count,
        lost: lost, figures: ["\(TextSample.all.count) types"], failures: failures)
    ]
  }
}
