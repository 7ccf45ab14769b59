import Foundation
import Harness

/// Stress tests that try to make the library lose data, and count the losses.
@main
struct StressTestProgram {
  static func main() {
    // The result of a write shows that a child has ended.
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if ["--help", "-h"].contains(arguments.first) { return print(Options.usage) }
    do {
      if try MutationCampaign.runCommand(arguments) { return }
      if let command = try SimulationCommand(arguments) { exit(try command.run() ? 0 : 1) }
      if let child = ChildCommand(arguments) { return try child.run() }
    } catch {
      report("A child failed: \(error)")
      exit(1)
    }
    do {
      exit(try run(try Options(arguments)) ? 0 : 1)
    } catch {
      report("\(error)\n\(Options.usage)")
      exit(64)
    }
  }

  /// All campaigns, in the order of their rows.
  private static func campaigns(_ scratch: Scratch) -> [any Campaign] {
    [
      KeysCampaign(scratch: scratch),
      CounterCampaign(scratch: scratch),
      ContentionCampaign(scratch: scratch),
      KillCampaign(scratch: scratch),
      CallCampaign(scratch: scratch),
      StopCampaign(scratch: scratch),
      HistoryCampaign(scratch: scratch),
      CrashCampaign(),
      SimulationCampaign(),
      OmittedRuleCampaign(),
      HostileCampaign(),
      UndoCampaign(),
      SyncCampaign(),
      SyncCrashCampaign(),
      TextCampaign(),
      NestingCampaign(),
      SchemaCampaign(scratch: scratch),
      JSONCCampaign(scratch: scratch),
      LatencyCampaign(scratch: scratch),
      FleetCampaign(scratch: scratch),
      QueueCampaign(scratch: scratch),
      WatchCampaign(scratch: scratch),
    ]
  }

  /// Runs the campaigns and prints the table. Returns whether there are no losses and no failures.
  private static func run(_ options: Options) throws -> Bool {
    let scratch = try Scratch()
    defer {
      if options.keeps { report("The files are in \(scratch.folder.path)") }
      if !options.keeps { scratch.removeAll() }
    }
    scratch.removeAtInterrupt()
    let all = campaigns(scratch)
    // A whole name selects one campaign, though others contain it.
    let isWhole = all.contains { $0.name == options.filter }
    let campaigns = all.filter { campaign in
      options.filter.map { isWhole ? campaign.name == $0 : campaign.name.contains($0) } ?? true
    }
    guard !campaigns.isEmpty else { throw HarnessError("The filter matches no campaign") }
    let scale = options.scale(ofOne: campaigns.count == 1)
    let start = MonotonicTime.now
    var table = ResultTable()
    for campaign in campaigns {
      let start = MonotonicTime.now
      let rows: [Row]
      do {
        rows = try campaign.run(scale: scale, seed: options.seed)
      } catch {
        rows = [
          Row(name: campaign.name, what: "didn't run", times: 0, lost: 0, failures: ["\(error)"])
        ]
      }
      scratch.requireNoInterrupt()
      table.rows += rows
      report(String(format: "%@: %.1f s", campaign.name, MonotonicTime.seconds(since: start)))
    }
    print(table)
    print(String(format: "Seed %llu, %.0f s", options.seed, MonotonicTime.seconds(since: start)))
    if let package = options.package {
      var numbers = try Numbers(of: URL(filePath: package))
      let occasion = Numbers.occasion("seed \(options.seed), \(options.minutes) minutes")
      try numbers.record(table.numbers.merging(["stress test": occasion]) { $1 })
    }
    let bad = table.rows.filter { !$0.isGood }
    for row in bad { print(complaint(about: row, options)) }
    return bad.isEmpty
  }

  /// The first failures of a row, and the command that repeats them.
  private static func complaint(about row: Row, _ options: Options) -> String {
    let shown = 10
    let rest = row.failures.count - shown
    return
      (["", row.lost > 0 ? "LOST in \(row.name): \(row.lost)" : "FAILED in \(row.name)"]
      + row.failures.prefix(shown).map { "  \($0)" } + (rest > 0 ? ["  and \(rest) more"] : [])
      + ["Repeat it with: \(options.command(repeating: row.name))"]).joined(separator: "\n")
  }

  private static func report(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
