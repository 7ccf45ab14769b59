import Defaults
import Foundation

/// The events that affect processes, clocks and files.
struct SimulatedEvents: Sendable {
  /// A process without an engine, for the file system calls.
  let process: SimulatedProcess
  let simulation: SimulationContext

  private static let log = SuiteSubject.journal
  private static let newLog = SuiteSubject.journal + "~"

  private var scheduler: SimulationScheduler { simulation.scheduler }
  private var files: ProcessFileSystem { ProcessFileSystem(process, simulation) }

  func run() {
    if simulation.schedule.losesLog {
      // A log that no process has open would be lost with its content.
      _ = scheduler.wait("waits until all suites are open", isPatient: true) {
        simulation.processes.allSatisfy { $0.hasBegun || $0.isDead }
      }
    }
    for event in simulation.schedule.events {
      _ = scheduler.wait("waits for its time", until: event.step, isPatient: true) {
        scheduler.step >= event.step
      }
      if let call = event.call {
        let count = simulation.calls[call] ?? 0
        scheduler.isCurrentUrgent = true
        _ = scheduler.wait("waits for the call \(call)", isPatient: true) {
          simulation.calls[call] ?? 0 > count
        }
        scheduler.isCurrentUrgent = false
      }
      if process.isDead { return }
      scheduler.step("\(event.event)")
      do {
        try perform(event.event)
      } catch {
        scheduler.step("failed: \(error)")
      }
    }
  }

  private func perform(_ event: SimulationSchedule.Event) throws {
    let processes = simulation.processes
    switch event {
    case .stop(let number): processes[number].stop(forGood: false)
    case .stopForGood(let number): processes[number].stop(forGood: true)
    case .resume(let number): processes[number].resume()
    case .kill(let number): processes[number].kill()
    case .setClock(let number, let offset): processes[number].clockOffset += offset
    case .deleteLog: try files.removeName(Self.log)
    case .deleteNextLog: try deleteNextLog()
    case .cutLog(let percent):
      let bytes = simulation.disk.image.bytes(of: Self.log) ?? []
      let records = bytes.lastIndex { $0 != 0 } ?? 0
      try files.open(Self.log, .update).truncate(to: records * percent / 100)
    case .copyLog: simulation.copy = simulation.disk.image.bytes(of: Self.log)
    case .restoreLog: try restore()
    case .powerCut:
      simulation.isPowerless = true
      for process in processes + simulation.others { process.kill() }
    }
  }

  /// Deletes the log if each process has opened it. As at the beginning, a log that a process has
  /// never opened would be lost to it.
  private func deleteNextLog() throws {
    let isFollowed = scheduler.wait("waits until all have opened the log", isPatient: true) {
      self.simulation.processes.allSatisfy { self.hasEnded($0) || self.isFollowing($0) }
    }
    guard isFollowed else { return }
    // The others no longer look by themselves, as their watchers would.
    for process in simulation.processes where !process.isDead && !isFollowing(process) {
      try process.suite?.refresh()
    }
    if simulation.processes.allSatisfy({ $0.isDead || isFollowing($0) }) {
      try files.removeName(Self.log)
    }
  }

  private func hasEnded(_ process: SimulatedProcess) -> Bool {
    process.isDead
      || process.endedThreads == simulation.schedule.processes[process.number].threads.count
  }

  /// Whether a process has opened the log at the path.
  private func isFollowing(_ process: SimulatedProcess) -> Bool {
    let log = try? simulation.disk.statusIfPresent(of: Self.log, followingLinks: false)
    return log.map { process.hasOpen($0.version.inode) } ?? false
  }

  private func restore() throws {
    guard let copy = simulation.copy else { return }
    let file = try files.open(Self.newLog, .create)
    var written = 0
    while written < copy.count {
      written += try copy.withUnsafeBytes { bytes in
        try file.write(UnsafeRawBufferPointer(rebasing: bytes[written...]), at: written)
      }
    }
    try files.move(Self.newLog, to: Self.log)
  }
}
