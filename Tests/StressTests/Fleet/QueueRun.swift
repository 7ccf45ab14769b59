import Defaults
import DefaultsEtcd
import Foundation
import Harness
import Synchronization

/// A run of the queue campaign.
struct QueueRun {
  let seconds: Double
  let seed: UInt64

  static let processes = 6
  static let prefix = "queue/"
  /// The numbers of settings that only one program sets, and that all programs share.
  static let ownSettings = 4
  static let sharedSettings = 2

  struct Outcome: Sendable {
    var returned = 0
    var queued = 0
    var unknown = 0
    var deeds = 0
    var kills = 0
    var conflicts = 0
    var lost: [String] = []
    var problems: [String] = []
  }

  func run(in scratch: Scratch) throws -> Outcome {
    let folder = try scratch.newFolder("queue")
    defer { scratch.remove(folder) }
    let cluster = try EtcdCluster()
    let lanes = try (0..<Self.processes).map { process in
      try QueueLane(
        process: process, folder: folder, port: cluster.members[0].clientPort,
        seed: seed, end: MonotonicTime.now + Int(seconds * 1e9))
    }
    let group = DispatchGroup()
    let results = Mutex<[QueueLane.Result]>([])
    for lane in lanes {
      group.enter()
      // From now on, only the thread uses the lane.
      nonisolated(unsafe) let lane = lane
      Thread.detachNewThread {
        let result = lane.run()
        results.withLock { $0.append(result) }
        group.leave()
      }
    }
    group.wait()
    let stored = try Self.stored(in: cluster)
    return judge(results.withLock { $0 }, stored)
  }

  private static func stored(in cluster: EtcdCluster) throws -> [String: Int] {
    let suite = try Defaults.EtcdSuite(endpoints: cluster.endpoints, prefix: prefix, keys: [])
    try suite.refresh()
    return suite.entries.compactMapValues { entry in
      if case .integer(let number) = entry { Int(number) } else { nil }
    }
  }

  private func judge(_ results: [QueueLane.Result], _ stored: [String: Int]) -> Outcome {
    var outcome = Outcome()
    for result in results {
      outcome.deeds += result.deeds
      outcome.kills += result.kills
      outcome.conflicts += result.record.conflicts.count
      outcome.problems += result.problems
      for set in result.record.sets {
        if set.end != nil { outcome.returned += 1 } else { outcome.unknown += 1 }
        if set.isQueued { outcome.queued += 1 }
      }
      // A conflict about a setting that no other program sets.
      outcome.lost += result.record.conflicts.filter { $0.isOwn(of: result.process) }.map {
        "program \(result.process) has a conflict of its own setting \($0.name)"
      }
    }
    let all = results.flatMap(\.record.sets)
    for (name, sets) in Dictionary(grouping: all, by: \.name) {
      let last = stored[name].flatMap { value in sets.first { $0.value == value } }
      for set in sets where set.end != nil {
        // Within a program, a set replaces earlier ones, whatever their results.
        let isReplaced =
          last.map { last in
            last.value == set.value || last.process == set.process && last.start > set.start
              || last.process != set.process && (last.end.map { $0 > set.start } ?? true)
          } ?? false
        guard !isReplaced else { continue }
        // The set was discarded in favor of another program's, as the issue says.
        let isConflict = results.contains { result in
          result.process == set.process
            && (result.record.conflicts.contains { $0.name == name && $0.time > set.start }
              || !set.isOwn && result.lastKill > set.start)
        }
        if isConflict { continue }
        outcome.lost.append(
          "\(name) is \(stored[name].map(String.init) ?? "missing"), and program \(set.process) "
            + "has set \(set.value)\(set.isQueued ? ", queued" : "")")
      }
    }
    return outcome
  }
}

/// The output of a program of the queue campaign.
struct QueueRecord: Sendable {
  struct Set: Sendable {
    let process: Int
    let name: String
    let value: Int
    let start: Int
    /// nil if it threw, or the program was killed.
    var end: Int?
    var isQueued = false

    var isOwn: Bool { name.hasPrefix("own") }
  }

  struct Conflict: Sendable {
    let name: String
    let time: Int

    func isOwn(of process: Int) -> Bool { name.hasPrefix("own-\(process)-") }
  }

  let process: Int
  var sets: [Set] = []
  var conflicts: [Conflict] = []
  /// Other output.
  var others: [String] = []

  init(process: Int) { self.process = process }

  /// Reads a line of the program.
  mutating func take(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    let numbers = words.dropFirst(2).compactMap { Int($0) }
    switch words.first {
    case "begin" where numbers.count == 2:
      sets.append(Set(process: process, name: words[1], value: numbers[0], start: numbers[1]))
    case "end" where numbers.count == 2 && !sets.isEmpty:
      sets[sets.count - 1].end = numbers[0]
      sets[sets.count - 1].isQueued = numbers[1] == 1
    case "conflict" where numbers.count == 1:
      conflicts.append(Conflict(name: words[1], time: numbers[0]))
    default: others.append(line)
    }
  }
}
