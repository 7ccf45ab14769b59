import Foundation

/// The times from a set in one process to the handler in another, beside those of a bare write and
/// inotify between the same processes.
///
/// The processes are tied to cores: left alone, the scheduler moves them, and the figures of either
/// kind jump between those of one placement and the other.
package struct LatencyMeasurement {
  /// What arrived, in nanoseconds, in order.
  package let sets: [Int]
  package let bare: [Int]
  /// What went wrong, a sentence each.
  package let failures: [String]

  /// Where the two processes run: that decides what waking the other one costs.
  package enum Placement: String, CaseIterable, Sendable {
    case oneCore = "both on one core"
    case twoCores = "each on a core of its own"

    /// Those that this machine has; none where there is no inotify.
    package static var available: [Self] {
      #if canImport(Darwin)
        return []
      #else
        let count = ProcessInfo.processInfo.activeProcessorCount
        return allCases.filter { max($0.cores.listener, $0.cores.sender) < count }
      #endif
    }

    fileprivate var cores: (listener: Int, sender: Int) {
      switch self {
      case .oneCore: (0, 0)
      case .twoCores: (0, 1)
      }
    }
  }

  /// Measures so many sets in a folder, with two children of this program.
  ///
  /// `arguments` are those that start the parts `listen`, for ``LatencyListener``, with the number
  /// of its core, and `send`, for ``LatencySender``, with the count and its core.
  package init(
    of count: Int, in folder: URL, _ placement: Placement, environment: [String: String] = [:],
    arguments: (_ part: String, _ numbers: [Int]) -> [String]
  ) throws {
    let (listener, sender) = try Self.start(
      arguments("listen", [placement.cores.listener]),
      arguments("send", [count, placement.cores.sender]), environment)
    let lines = try sender.output.rest()
    var failures: [String] = []
    if sender.wait() != .exited(0) { failures.append("The sender ended with \(sender.wait())") }
    listener.closeInput()
    if listener.wait() != .exited(0) {
      failures.append("The listener ended with \(listener.wait())")
    }
    failures += lines.filter { $0.hasPrefix("!") }
    func times(_ word: String) -> [Int] {
      lines.filter { $0.hasPrefix(word) }.compactMap { Int($0.dropFirst(word.count)) }
    }
    sets = times("set ")
    bare = times("bare ")
    if sets.count < count {
      failures.append("A set didn't arrive in \(Int(LatencySender.patience)) s; it ends there")
    }
    self.failures = failures
  }

  /// Starts both, the listener's output being the sender's input. No end of that pipe stays open
  /// here: it would hide that a child is gone.
  private static func start(
    _ listening: [String], _ sending: [String], _ environment: [String: String]
  ) throws -> (listener: Child, sender: Child) {
    let answers = try Descriptor.pipe()
    return (
      try Child(listening, environment: environment, output: answers.writing),
      // It tells nothing before its end: reading that would disturb the measurement.
      try Child(sending, environment: environment, input: answers.reading, patience: 3_600)
    )
  }
}
