import Foundation

/// The times from a set in one process to the handler in another, and for comparison those of a
/// bare write and inotify between the same processes.
///
/// The processes are tied to cores. Otherwise the scheduler moves them, and the figures jump
/// between those of the placements.
package struct LatencyMeasurement {
  /// The times of what arrived, in nanoseconds, in order.
  package let sets: [Int]
  package let bare: [Int]
  /// The failures, one sentence each.
  package let failures: [String]

  /// The cores of the two processes, which determine the cost of waking the other one.
  package enum Placement: String, CaseIterable, Sendable {
    case oneCore = "both on one core"
    case twoCores = "each on a core of its own"

    /// The placements possible on this machine; none without inotify.
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

  /// Measures sets in a folder, with two children of this program.
  ///
  /// `arguments` returns the command line for the part `listen` (``LatencyListener``), with the
  /// number of its core, and for the part `send` (``LatencySender``), with the count and its core.
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
      failures.append(
        "A set didn't arrive in \(Int(LatencySender.patience)) s, so the rest was skipped")
    }
    self.failures = failures
  }

  /// Starts both. The listener's output is the sender's input. This process closes its ends of the
  /// pipe, since an open end would hide the end of a child.
  private static func start(
    _ listening: [String], _ sending: [String], _ environment: [String: String]
  ) throws -> (listener: Child, sender: Child) {
    let answers = try Descriptor.pipe()
    return (
      try Child(listening, environment: environment, output: answers.writing),
      // The sender prints only at its end, since reading would affect the measurement.
      try Child(sending, environment: environment, input: answers.reading, patience: 3_600)
    )
  }
}
