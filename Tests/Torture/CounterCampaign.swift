import Defaults
import Foundation

/// Eight processes count with one key at the same time; each increment has to show.
struct CounterCampaign: Campaign {
  let name = "counter"
  let scratch: Scratch

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let rounds = scale.rounds(of: 1_000, atLeast: 50)
    var counted: [Int] = [], lost = 0, seconds = 0.0
    var failures: [String] = []
    for count in rounds {
      let (found, group) = try self.count(.defaults, count)
      counted.append(found)
      lost += abs(count * WriterGroup.size - found)
      seconds += group.seconds
      failures += group.failures
    }
    let referenceCount = min(1_000, rounds[0])
    let (found, group) = try count(.userDefaults, referenceCount)
    let tried = referenceCount * WriterGroup.size
    let times = rounds.reduce(0, +) * WriterGroup.size
    return [
      Row(
        name: name, what: "\(WriterGroup.size) processes, one counter, \(rounds[0]) updates each",
        times: times, lost: lost,
        reference: Row.Reference(
          lost: tried - found, tried: tried,
          remark: group.failures.isEmpty ? "" : "\(group.failures.count) crashed"),
        figures: [
          "counted \(Set(counted).sorted().map(ResultTable.grouped).joined(separator: ", "))",
          "\(ResultTable.grouped(Int(Double(times) / seconds))) updates/s",
        ], failures: failures)
    ]
  }

  private func count(_ subject: Subject, _ count: Int) throws -> (found: Int, WriterGroup) {
    let folder = try scratch.newFolder(name)
    defer { scratch.remove(folder) }
    let group = try WriterGroup(in: folder) { _ in
      ChildCommand.arguments(name, subject, folder, count)
    }
    let entries = try SettingsReader.read(subject, in: folder).entries
    guard case .integer(let found) = entries[WriterChild.counter] else { return (0, group) }
    return (Int(found), group)
  }
}
