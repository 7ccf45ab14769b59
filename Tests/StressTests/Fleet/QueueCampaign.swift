import Harness

/// Programs with queued sets write to a cluster whose answers are lost, and are killed. A set that
/// returned must be in the cluster at the end, unless a later one has replaced it.
struct QueueCampaign: Campaign {
  let name = "queue"
  let scratch: Scratch

  /// The number of seconds of writing if it is one of several campaigns.
  private static let seconds = 15.0

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let what = "\(QueueRun.processes) programs that queue sets, answers lost, programs killed"
    guard EtcdMember.isInstalled else {
      return [
        Row(
          name: name, what: what, times: 0, lost: 0,
          figures: ["etcd isn't installed (Debian: etcd-server, etcd-client)"])
      ]
    }
    let outcome = try QueueRun(seconds: scale.seconds(Self.seconds, atLeast: 2), seed: seed)
      .run(in: scratch)
    return [
      Row(
        name: name, what: what, times: outcome.returned, lost: outcome.lost.count,
        figures: [
          "\(outcome.returned.grouped) sets returned, \(outcome.queued.grouped) of them queued; "
            + "\(outcome.unknown.grouped) have an unknown outcome",
          "\(outcome.deeds.grouped) troubles of the network, \(outcome.kills.grouped) kills",
          "\(outcome.conflicts.grouped) conflicts of settings that several programs set",
        ],
        failures: outcome.lost + outcome.problems)
    ]
  }
}
