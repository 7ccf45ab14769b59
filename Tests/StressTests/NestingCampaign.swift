import FuzzInputs

/// Nests and flattens random entries, and changes files whose objects hold settings.
struct NestingCampaign: Campaign {
  let name = "nesting"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = scale.tries ?? scale.count(50_000, atLeast: 1_000)
    return [
      row("settings with nested names, to objects and back", count, seed) {
        try NestingSample.tryRoundTrip(&$0)
      },
      row("files of nested settings, 5 changes of each", count, seed) {
        try NestingSample.tryChanges(&$0)
      },
    ]
  }

  private func row(
    _ what: String, _ count: Int, _ seed: UInt64,
    _ tryOne: (inout SplitMix64) throws -> String?
  ) -> Row {
    var random = SplitMix64(state: seed)
    var (lost, failures) = (0, [String]())
    for number in 0..<count {
      let failure: String?
      do { failure = try tryOne(&random) } catch { failure = "\(error)" }
      guard let failure else { continue }
      lost += 1
      if failures.count < 20 { failures.append("\(number): \(failure)") }
    }
    return Row(name: name, what: what, times: count, lost: lost, failures: failures)
  }
}
