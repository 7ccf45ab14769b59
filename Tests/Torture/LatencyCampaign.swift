import Foundation

/// Measures the time from a set in one process to the handler in another, beside that of a bare
/// write and inotify between the same processes.
///
/// The processes are tied to cores: left alone, the scheduler moves them, and the figures of either
/// kind jump between those of one placement and the other.
struct LatencyCampaign: Campaign {
  let name = "latency"
  let scratch: Scratch

  /// How many times as long as bare inotify it may take.
  private static let limit = 3.0

  /// Where the two processes run: that decides what waking the other one costs.
  private enum Placement: String, CaseIterable {
    case oneCore = "both on one core"
    case twoCores = "each on a core of its own"

    /// The cores of the listener and the sender; nil on a machine with one.
    var cores: (listener: Int, sender: Int)? {
      switch self {
      case .oneCore: (0, 0)
      case .twoCores: ProcessInfo.processInfo.activeProcessorCount > 1 ? (0, 1) : nil
      }
    }
  }

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    #if canImport(Darwin)
      return []
    #else
      return try Placement.allCases.compactMap { placement in
        try placement.cores.map { try measure(scale.count(2_000, atLeast: 500), placement, $0) }
      }
    #endif
  }

  private func measure(
    _ count: Int, _ placement: Placement, _ cores: (listener: Int, sender: Int)
  ) throws -> Row {
    let folder = try scratch.newFolder(name)
    defer { scratch.remove(folder) }
    let environment = Subject.environment(for: folder)
    let answers = try Descriptor.pipe()
    let listener = try Child(
      ChildCommand.arguments("listen", .defaults, folder, cores.listener),
      environment: environment, output: answers.writing)
    let sender = try Child(
      ChildCommand.arguments("send", .defaults, folder, count, cores.sender),
      environment: environment, input: answers.reading)
    let lines = try sender.output.rest()
    var failures: [String] = []
    if sender.wait() != .exited(0) { failures.append("The sender ended with \(sender.wait())") }
    listener.closeInput()
    if listener.wait() != .exited(0) {
      failures.append("The listener ended with \(listener.wait())")
    }
    func times(_ word: String) -> Latencies {
      Latencies(lines.filter { $0.hasPrefix(word) }.compactMap { Int($0.dropFirst(word.count)) })
    }
    failures += lines.filter { $0.hasPrefix("!") }
    if times("set ").count < count {
      failures.append("A set didn't arrive in 5 s; it ends there")
    }
    let (ours, bare) = (times("set "), times("bare "))
    let ratio = ours.median / bare.median
    return Row(
      name: name, what: "set to handler, \(placement.rawValue)", times: count,
      lost: count - ours.count,
      figures: [
        Self.describe("Defaults", ours), Self.describe("bare inotify", bare),
        String(format: "ratio %.2f, limit %.0f: ", ratio, Self.limit)
          + (ratio <= Self.limit ? "kept" : "MISSED"),
      ], failures: failures)
  }

  private static func describe(_ name: String, _ times: Latencies) -> String {
    String(format: "%@: median %.1f µs, 99%% %.0f µs", name, times.median, times.percentile99)
  }
}
