import Defaults
import Foundation
import Harness

/// Eight processes set different keys of one suite at the same time. None may be lost.
struct KeysCampaign: Campaign {
  let name = "keys"
  let scratch: Scratch

  /// The number of keys of each process. With fewer, a process would end before the others begin.
  private static let count = 1_000

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    let count = Self.count
    let python = Python()
    var lost = 0, inFile = 0, seconds = 0.0
    var failures: [String] = []
    for _ in 0..<scale.rounds {
      let folder = try scratch.newFolder(name)
      defer { scratch.remove(folder) }
      let group = try write(.defaults, count, in: folder)
      seconds += group.seconds
      failures += group.failures
      lost += try missing(.defaults, count, in: folder)
      guard let python else { continue }
      try SuiteStore(folder: folder).writeFile()
      let entries = try python.integers(in: Subject.defaults.file(in: folder))
      inFile += Self.expected(count).count { entries[$0] == $1 }
    }
    let times = scale.rounds * count * WriterGroup.size
    if python != nil, inFile != times {
      failures.append("plistlib finds \(inFile) of \(times) keys in the file")
    }
    let perSecond = Int(Double(times) / seconds).grouped
    return [
      Row(
        name: name,
        what:
          "\(WriterGroup.size) processes, \(count.grouped) different keys each",
        times: times, lost: lost, reference: try reference(scale),
        figures: [
          "\(perSecond) sets/s",
          python == nil
            ? "no python3, plistlib not used"
            : "plistlib finds \(inFile.grouped) after flush(.snapshot)",
        ], failures: failures)
    ]
  }

  /// A much smaller number, since the time of each set grows with the number of keys.
  private func reference(_ scale: Scale) throws -> Row.Reference? {
    guard scale.hasReference else { return nil }
    let count = min(100, scale.count(100, atLeast: 20))
    let folder = try scratch.newFolder(name)
    defer { scratch.remove(folder) }
    let group = try write(.userDefaults, count, in: folder)
    return Row.Reference(
      lost: try missing(.userDefaults, count, in: folder), tried: count * WriterGroup.size,
      remark: group.failures.isEmpty ? "" : "\(group.failures.count) crashed")
  }

  private func write(_ subject: Subject, _ count: Int, in folder: URL) throws -> WriterGroup {
    try WriterGroup(in: folder) { ChildCommand.arguments(name, subject, folder, $0, count) }
  }

  private func missing(_ subject: Subject, _ count: Int, in folder: URL) throws -> Int {
    let entries = try SettingsReader.read(subject, in: folder).entries
    return Self.expected(count).count { entries[$0] != .integer(Int64($1)) }
  }

  private static func expected(_ count: Int) -> [(String, Int)] {
    (0..<WriterGroup.size).flatMap { writer in
      (0..<count).map { number in
        let key = WriterChild.key(number, ofWriter: writer)
        return (key.name, key.value)
      }
    }
  }
}
