import Foundation
import Harness

/// The time from a set in one process to the handler in another, compared with write and inotify.
struct ProcessLines {
  let fixtures: Fixtures

  private static let size = 10
  /// The number of sets in a round.
  private static let roundSize = 125

  var lines: [Line] { LatencyMeasurement.Placement.available.map(line) }

  private func line(_ placement: LatencyMeasurement.Placement) -> Line {
    let name = "another process's change to our handler, \(placement.rawValue)"
    return Line(name: name, size: Self.size) { rounds in
      let folder = try fixtures.scratch.newFolder("latency")
      // The first round warms up.
      let measurement = try LatencyMeasurement(
        of: Self.roundSize * (rounds + 1), in: folder, placement
      ) { ChildCommand.arguments([$0, folder.path] + $1.map(String.init)) }
      guard measurement.failures.isEmpty else {
        throw HarnessError("\(name): \(measurement.failures)")
      }
      return [
        Row(
          line: name, size: Self.size, ours: Self.median(measurement.sets),
          peer: Self.median(measurement.bare), peerName: "bare write and inotify",
          unit: .nanoseconds, bar: .atMost(2))
      ]
    }
  }

  /// The median of the rounds' medians, without the first round.
  private static func median(_ times: [Int]) -> Double {
    Contest.median(
      stride(from: roundSize, to: times.count, by: roundSize).map { start in
        Contest.median(times[start...].prefix(roundSize).map(Double.init))
      })
  }
}
