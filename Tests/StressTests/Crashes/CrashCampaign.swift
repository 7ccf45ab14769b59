import Harness

/// Opens every state that a crash or power loss can leave on a simulated disk.
struct CrashCampaign: Campaign {
  let name = "crash states"

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let isShort = scale.factor < 1
    let scenarios = isShort ? SuiteCrashes.plain : SuiteCrashes.all
    var total = CrashChecker.Report()
    for round in 0..<scale.count(1) {
      for scenario in scenarios {
        let checker = CrashChecker(
          seed: seed &+ UInt64(round), limit: isShort ? 128 : 1024, samples: isShort ? 64 : 256,
          secondCrashes: 20, violationLimit: 1)
        total += try checker.check(scenario)
      }
    }
    return [
      Row(
        name: name, what: "states opened, \(SuiteCrashes.plain.count) scenarios",
        times: total.opened + total.openedTwice, lost: total.violations.count,
        figures: [
          "\(total.built.grouped) combinations built",
          "\(total.openedTwice.grouped) states after a second crash",
        ],
        failures: total.violations.map(\.description))
    ]
  }
}
