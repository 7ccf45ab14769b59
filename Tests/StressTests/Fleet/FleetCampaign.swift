import Harness

/// Eight processes increment a counter and do everything else on a cluster of three, whose members
/// are constantly killed, stopped and cut off. The counter must equal the number of returned
/// increments, and the observed history must be possible.
struct FleetCampaign: Campaign {
  let name = "fleet"
  let scratch: Scratch

  /// The number of increments of each process in one run.
  private static let count = 1_000
  /// The number of failures of members.
  private static let rounds = 100

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let what = "\(FleetRun.processes) processes on a cluster of 3, members killed, stopped, cut off"
    guard EtcdMember.isInstalled else {
      return [
        Row(
          name: name, what: what, times: 0, lost: 0,
          figures: ["etcd isn't installed (Debian: etcd-server, etcd-client)"])
      ]
    }
    let rounds = scale.count(Self.rounds, atLeast: 4)
    let count = min(Self.count, scale.count(Self.count, atLeast: 50))
    let cluster = try EtcdCluster(
      members: 3, options: ["--heartbeat-interval=50", "--election-timeout=500"])
    let nemesis = FleetNemesis(cluster, seed: seed)
    var lost = 0
    var counted = 0
    var outcome = FleetRun.Outcome()
    var go = 0
    while go == 0 || nemesis.rounds < rounds {
      // Each run has its own prefix.
      let run = FleetRun(number: go, count: count, seed: seed &+ UInt64(go))
      let result = try run.run(on: cluster, nemesis, in: scratch)
      lost += abs(result.returned - result.found)
      counted += result.returned
      outcome.add(result)
      go += 1
    }
    let deeds = nemesis.done.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.value) × \($0.key.rawValue)" }
    let errors = outcome.errors.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }
    return [
      Row(
        name: name, what: what, times: counted + outcome.operations,
        lost: lost + outcome.violations.count,
        figures: [
          "\(counted.grouped) increments returned, and were counted; "
            + "\(outcome.operations.grouped) other operations, \(outcome.events.grouped) events, "
            + "\(Int(Double(counted + outcome.operations) / outcome.seconds).grouped) operations/s",
          "\(nemesis.rounds) rounds: \(deeds.joined(separator: ", "))",
          "issues and errors: \(errors.joined(separator: ", "))",
        ],
        failures: outcome.violations.prefix(20).map(\.description) + outcome.problems.prefix(20))
    ]
  }
}
