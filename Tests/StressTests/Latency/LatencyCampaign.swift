import Foundation
import Harness

/// Measures the time from a set in one process to the handler in another, compared with a bare
/// write and inotify between the same processes.
struct LatencyCampaign: Campaign {
  let name = "latency"
  let scratch: Scratch

  /// The allowed difference to bare inotify in microseconds. A ratio wouldn't work, since inotify
  /// takes two microseconds on a quiet machine and many more on a busy one.
  private static let limit = 15.0

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    try LatencyMeasurement.Placement.available.map {
      try measure(scale.count(2_000, atLeast: 500), $0)
    }
  }

  private func measure(_ count: Int, _ placement: LatencyMeasurement.Placement) throws -> Row {
    let folder = try scratch.newFolder(name)
    defer { scratch.remove(folder) }
    let measurement = try LatencyMeasurement(
      of: count, in: folder, placement, environment: Subject.environment(for: folder)
    ) { ChildCommand.arguments($0, .defaults, folder, $1) }
    let (ours, bare) = (Latencies(measurement.sets), Latencies(measurement.bare))
    let difference = ours.median - bare.median
    return Row(
      name: name, what: "set to handler, \(placement.rawValue)", times: count,
      lost: count - ours.count,
      figures: [
        Self.describe("Defaults", ours), Self.describe("bare inotify", bare),
        String(format: "%.1f µs more, limit %.0f: ", difference, Self.limit)
          + (difference <= Self.limit ? "kept" : "MISSED"),
      ], failures: measurement.failures)
  }

  private static func describe(_ name: String, _ times: Latencies) -> String {
    String(format: "%@: median %.1f µs, 99%% %.0f µs", name, times.median, times.percentile99)
  }
}
