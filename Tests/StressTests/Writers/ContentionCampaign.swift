import Defaults
import Foundation
import Harness

/// Processes increment one key in slow bodies. Each must make progress, each increment must show,
/// and no body may run more than three times.
struct ContentionCampaign: Campaign {
  let name = "contention"
  let scratch: Scratch

  /// Some processes, each with updates that take some time.
  private struct Crowd {
    let processes: Int
    let updates: Int
    let milliseconds: Int
    /// The number of updates of one more process, whose bodies take 300 ms.
    var slowUpdates = 0

    var times: Int { processes * updates + slowUpdates }

    var words: String {
      "\(processes) processes × \(updates) updates of \(milliseconds) ms"
        + (slowUpdates > 0 ? ", one × \(slowUpdates) of 300 ms" : "")
    }
  }

  private static let crowds = [
    Crowd(processes: 8, updates: 60, milliseconds: 10),
    Crowd(processes: 2, updates: 100, milliseconds: 20),
    Crowd(processes: 12, updates: 10, milliseconds: 60),
    Crowd(processes: 4, updates: 8, milliseconds: 300),
    Crowd(processes: 32, updates: 800, milliseconds: 0),
    Crowd(processes: 7, updates: 600, milliseconds: 1, slowUpdates: 5),
  ]

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    // A short campaign uses those that take a few seconds.
    let crowds = scale.factor < 0.25 ? [Self.crowds[1], Self.crowds[4]] : Self.crowds
    return try crowds.map { crowd in
      let folder = try scratch.newFolder(name)
      defer { scratch.remove(folder) }
      let group = try WriterGroup(
        of: crowd.processes + (crowd.slowUpdates > 0 ? 1 : 0), in: folder
      ) { number in
        number < crowd.processes
          ? ChildCommand.arguments("slow", .defaults, folder, crowd.updates, crowd.milliseconds)
          : ChildCommand.arguments("slow", .defaults, folder, crowd.slowUpdates, 300)
      }
      let entries = try SettingsReader.read(.defaults, in: folder).entries
      var found = 0
      if case .integer(let number) = entries[WriterChild.counter] { found = Int(number) }
      return Row(
        name: name,
        what: crowd.words,
        times: crowd.times, lost: abs(crowd.times - found),
        figures: ["counted \(found.grouped)", String(format: "%.1f s", group.seconds)],
        failures: group.failures)
    }
  }
}
