import Defaults
import Foundation
import Harness

/// Eight processes increment one key at the same time. Each increment must show.
struct CounterCampaign: Campaign {
  let name = "counter"
  let scratch: Scratch

  /// The number of increments of each process.
  private static let count = 1_000

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    var counted: [Int] = [], lost = 0, seconds = 0.0
    var failures: [String] = []
    for _ in 0..<scale.rounds {
      let (found, group) = try count(.defaults, Self.count)
      counted.append(found)
      lost += abs(Self.count * WriterGroup.size - found)
      seconds += group.seconds
      failures += group.failures
    }
    let times = scale.rounds * Self.count * WriterGroup.size
    return [
      Row(
        name: name,
        what:
          "\(WriterGroup.size) processes, one counter, \(Self.count.grouped) updates each",
        times: times, lost: lost,
        reference: try reference(scale),
        figures: [
          "counted \(Set(counted).sorted().map(\.grouped).joined(separator: ", "))",
          "\(Int(Double(times) / seconds).grouped) updates/s",
        ], failures: failures)
    ]
  }

  private func reference(_ scale: Scale) throws -> Row.Reference? {
    guard scale.hasReference else { return nil }
    let count = min(Self.count, scale.count(Self.count))
    let (found, group) = try self.count(.userDefaults, count)
    let tried = count * WriterGroup.size
    return Row.Reference(
      lost: tried - found, tried: tried,
      remark: group.failures.isEmpty ? "" : "\(group.failures.count) crashed")
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
