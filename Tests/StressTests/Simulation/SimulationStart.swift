import Defaults
import Foundation
import Synchronization

/// The initial content of the disk.
enum SimulationStart {
  private struct Kind: Hashable {
    let start: SimulationSchedule.Start
    let isText: Bool
  }

  private static let images = Mutex<[Kind: DiskImage]>([:])

  /// The initial values, by setting. They are larger than all values of a schedule.
  static func values(of start: SimulationSchedule.Start) -> [(key: Int, value: Int)] {
    if start == .nothing { return [] }
    return SimulatedSettings.all.map { ($0, 1_000_000 + $0) }
  }

  static func image(of schedule: SimulationSchedule) throws -> DiskImage {
    let kind = Kind(start: schedule.start, isText: schedule.isText)
    if let image = images.withLock({ $0[kind] }) { return image }
    let image = try make(kind.start, isText: kind.isText)
    images.withLock { $0[kind] = image }
    return image
  }

  private static func make(
    _ start: SimulationSchedule.Start, isText: Bool
  ) throws -> DiskImage {
    let disk = SimulatedDisk()
    if start == .nothing { return disk.image }
    let schedule = SimulationSchedule(seed: 0, isText: isText)
    let scheduler = SimulationScheduler(SimulationChoices(seed: 0, threads: 1), trace: nil)
    // Long before the actual schedule.
    let simulation = SimulationContext(schedule, scheduler, disk: disk, start: 0)
    let process = SimulatedProcess(80, disk: disk)
    let program = SimulatedProgram(
      process: process, plan: SimulationSchedule.Process(threads: []), simulation: simulation)
    try disk.makeFolder(SuiteSubject.folder, mode: 0o700)
    try program.open()
    if start == .longLog {
      for _ in 0..<2 { program.perform(.set(SimulatedSettings.large)) }
    }
    try process.suite?.transaction { draft in
      for (key, value) in values(of: start) {
        for name in SimulatedSettings.names(of: key) {
          try draft.setEntry(SimulatedSettings.entry(of: key, value), named: name)
        }
      }
    }
    try process.suite?.flush(.snapshot)
    if start == .propertyList { try disk.removeName(SuiteSubject.journal) }
    let image = disk.image
    process.kill()
    process.observations = []
    process.suite = nil
    return image
  }
}
