import Defaults
import Foundation

/// The end of a run, when all processes finish, and their operations and observations are checked.
struct SimulationEnd {
  let simulation: SimulationContext
  /// The disk after a power loss; nil without one.
  let image: DiskImage?

  private var schedule: SimulationSchedule { simulation.schedule }
  private var record: SimulationRecord { simulation.record }

  /// The violations.
  func violations() throws -> [String] {
    if let image { return record.problems + afterPowerCut(image) }
    let live = simulation.processes.filter { $0.isRunning && $0.suite != nil && !$0.isClosed }
    simulation.areFaultsOver = true
    var violations: [String] = []
    // Twice, so that all processes have the changes of the last one.
    for _ in 0..<2 { violations += commit(live) }
    let reader = SimulatedProcess(95, disk: simulation.disk)
    do {
      try open(reader)
      try reader.suite?.flush(.snapshot)
    } catch {
      violations.append("the suite can't be opened: \(error)")
    }
    // An export also finds a file that a killed process had exchanged for its own.
    violations += commit(live)
    let views = live.map(view)
    let stored = view(reader)
    let exported = simulation.values(in: simulation.disk.image.bytes(of: SuiteSubject.file))
    if exported != stored {
      violations.append("the property list has \(text(exported)), and \(text(stored)) is stored")
    }
    if schedule.edits.isEmpty, schedule.faults.isEmpty, !schedule.losesLog {
      do { try SuiteSubject().inspect(simulation.disk) } catch { violations.append("\(error)") }
    }
    release(reader)
    var checker = SimulationChecker(schedule: schedule, record: record, stored: stored)
    checker.views = views
    checker.live = Set(live.map(\.number))
    return record.problems + violations + checker.violations()
  }

  private func commit(_ processes: [SimulatedProcess]) -> [String] {
    processes.compactMap { process in
      do {
        try commit(process)
        return nil
      } catch {
        return "process \(process.number) can't store anything: \(error)"
      }
    }
  }

  /// Stores all waiting changes of a process, and applies those of other processes.
  private func commit(_ process: SimulatedProcess) throws {
    guard let suite = process.suite else { return }
    let name = "sync\(process.number)"
    let deed = simulation.begin(.flush, by: process.number)
    try suite.transaction { draft in
      let count: Int64 = if case .integer(let count) = draft.entry(named: name) { count } else { 0 }
      try draft.setEntry(.integer(count + 1), named: name)
    }
    try suite.flush()
    simulation.end(deed)
  }

  private func view(_ process: SimulatedProcess) -> [Int: Int] {
    guard let entries = process.suite?.entries else { return [:] }
    var view: [Int: Int] = [:]
    for key in SimulatedSettings.all {
      let value = SimulatedSettings.value(of: key) { entries[$0] }.value
      if value != 0 { view[key] = value }
    }
    return view
  }

  private func open(_ process: SimulatedProcess) throws {
    try SimulatedProgram(
      process: process, plan: SimulationSchedule.Process(threads: []), simulation: simulation
    ).open()
  }

  private func release(_ process: SimulatedProcess) {
    process.kill()
    process.observations = []
    process.suite = nil
  }

  private func afterPowerCut(_ image: DiskImage) -> [String] {
    let disk = SimulatedDisk(image, reusesNumbers: schedule.reusesNumbers)
    simulation.areFaultsOver = true
    let reader = SimulatedProcess(95, disk: disk)
    defer { release(reader) }
    do {
      if schedule.editsAfterPowerLoss {
        let editor = SimulatedProcess(90, disk: disk)
        try SimulatedEditor(process: editor, simulation: simulation)
          .perform(SimulationSchedule.Edit(saving: .rename, isMixed: false, step: 0))
      }
      try open(reader)
    } catch {
      return ["the suite can't be opened after a power cut: \(error)"]
    }
    let stored = view(reader)
    let checker = SimulationChecker(schedule: schedule, record: record, stored: stored)
    return checker.violationsAfterPowerCut()
      + (schedule.editsAfterPowerLoss ? checker.edits : [])
  }

  private func text(_ values: [Int: Int]) -> String {
    values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }
}
