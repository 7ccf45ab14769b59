import Foundation
import Harness
import Synchronization

/// Kills processes at random times while they set without flushing. All sets that they reported
/// must survive.
struct KillCampaign: Campaign {
  let name = "kills"
  let scratch: Scratch

  /// The number of parallel lanes.
  private static let lanes = 2

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let kills = scale.count(1_000, atLeast: 40)
    let python = Python()
    let start = MonotonicTime.now
    let (tally, unreadable) = try self.kill(.defaults, kills, seed, python)
    let perSecond = Double(tally.kills) / MonotonicTime.seconds(since: start)
    return [
      Row(
        name: name, what: "kills at random instants, setting without flush", times: tally.kills,
        lost: tally.lost,
        reference: try reference(scale, seed, python),
        figures: [
          "\(tally.reported.grouped) sets reported; \(tally.compared.grouped) values compared,"
            + " \(tally.lost.grouped) lost",
          "\(tally.checks.grouped) openings, \(tally.unopened) failed;"
            + " \(tally.checksByChild.grouped) more by the next child",
          "\(tally.impossible) states that never were, \(tally.damaged) damaged files",
          python == nil
            ? "no python3, plistlib not used"
            : "\(tally.files.grouped) plists, \(unreadable.count) not read by plistlib",
          "\(tally.killsAtStart.grouped) kills at start-up; \(Int(perSecond)) kills/s",
        ],
        failures: tally.failures + unreadable.map { "plistlib doesn't read \($0)" }
          + (tally.damaged > 0 ? ["\(tally.damaged) suites found a damaged file"] : []))
    ]
  }

  /// A smaller number, since the kills take as long, and the first hundred are sufficient.
  private func reference(
    _ scale: Scale, _ seed: UInt64, _ python: Python?
  ) throws -> Row.Reference? {
    guard scale.hasReference else { return nil }
    let (tally, unreadable) = try kill(.userDefaults, scale.count(100), seed, python)
    return Row.Reference(
      lost: tally.lost, tried: tally.compared,
      remark: "\(tally.kills) kills"
        + (python == nil ? "" : ", \(unreadable.count) files broken"))
  }

  private func kill(
    _ subject: Subject, _ kills: Int, _ seed: UInt64, _ python: Python?
  ) throws -> (KillTally, unreadable: [String]) {
    let plists = try scratch.newFolder("plists")
    defer { scratch.remove(plists) }
    let results = Mutex<[Result<KillTally, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: Self.lanes) { number in
      let result = Result {
        var lane = try KillLane(
          subject, kills: (kills + number) / Self.lanes, scratch: scratch, plists: plists,
          lane: number, seed: seed)
        return try lane.run()
      }
      results.withLock { $0.append(result) }
    }
    var tally = KillTally()
    for result in results.withLock({ $0 }) { tally += try result.get() }
    return (tally, try python?.unreadable(in: plists) ?? [])
  }
}
