import Foundation
import Harness

/// Several processes do everything at the same time, with and without a nemesis. The observed
/// history must be possible.
struct HistoryCampaign: Campaign {
  let name = "history"
  let scratch: Scratch

  private struct Part {
    let what: String
    let deeds: [HistoryNemesis.Deed]
    var hasLayers = false
    /// The number of operations of each thread.
    let count: Int
    var isInShort = false
  }

  private static let parts = [
    Part(what: "alone", deeds: [], count: 18_000, isInShort: true),
    Part(what: "holders stopped", deeds: [.stop], count: 4_000),
    Part(what: "journals deleted, renamed", deeds: [.delete, .rename], count: 4_000),
    Part(what: "files edited", deeds: [.edit], count: 4_000),
    Part(what: "disks full", deeds: [.fill], count: 4_000),
    Part(
      what: "all of that", deeds: [.stop, .delete, .rename, .edit, .fill], count: 4_000,
      isInShort: true),
    Part(what: "folders restored", deeds: [.restore], count: 2_000),
    Part(
      what: "in suites of layers that change, files edited", deeds: [.edit], hasLayers: true,
      count: 4_000, isInShort: true),
  ]

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let isShort = scale.factor < 1
    return try Self.parts.enumerated().filter { !isShort || $1.isInShort }.map { number, part in
      let count = scale.count(part.count, atLeast: 300)
      var deeds = part.deeds
      let run = { (deeds: [HistoryNemesis.Deed]) in
        try HistoryRun(
          deeds: deeds, hasLayers: part.hasLayers, count: count, seed: seed &+ UInt64(number)
        ).run(in: scratch)
      }
      do {
        return row(part, try run(deeds))
      } catch let error as POSIXError where error.code == .EPERM && deeds.contains(.fill) {
        deeds.removeAll { $0 == .fill }
        let remark = "no disk can be mounted here, so full disks weren't tested"
        guard !deeds.isEmpty else {
          return Row(name: name, what: part.what, times: 0, lost: 0, figures: [remark])
        }
        var row = row(part, try run(deeds))
        row.figures.append(remark)
        return row
      }
    }
  }

  private func row(_ part: Part, _ outcome: HistoryRun.Outcome) -> Row {
    let deeds = part.deeds.compactMap { deed in
      outcome.deeds[deed].map { "\($0.grouped) × \(deed.rawValue)" }
    }
    let issues = outcome.issues.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }
    return Row(
      name: name,
      what: "\(HistoryRun.processes) processes × \(HistoryRun.threads) threads: \(part.what)",
      times: outcome.operations, lost: outcome.violations.count,
      figures: [
        "\(outcome.events.grouped) events, \(outcome.refusals.grouped) updates rejected, "
          + "\(Int(Double(outcome.operations) / outcome.seconds).grouped) operations/s"
      ] + (deeds.isEmpty ? [] : [deeds.joined(separator: ", ")])
        + (issues.isEmpty ? [] : ["issues and errors: " + issues.joined(separator: ", ")]),
      failures: outcome.violations.prefix(20).map { "\(part.what): \($0)" }
        + outcome.problems.prefix(20).map { "\(part.what): \($0)" })
  }
}
