import Harness

/// Lets programs that queue their sets write to a cluster whose answers are lost, and kills them: a
/// set that returned counts at the end unless a later one has replaced it.
struct QueueCampaign: Campaign {
  let name = "queue"
  let scratch: Scratch

  /// How many seconds the programs write in a campaign among others.
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
