import Defaults
import Foundation

/// One run of a schedule, and its result.
struct SimulationRun {
  struct Outcome {
    var violations: [String] = []
    var steps = 0
    var turns: [SimulationChoices.Turn] = []
    var trace = ""
    /// Of the whole final content of the disk.
    var fingerprint = 0
  }

  let schedule: SimulationSchedule
  /// The given turns; nil if the seed decides.
  var turns: [Int: Int]?
  var isTraced = false

  /// Runs the schedule on these threads.
  func run(on workers: SimulationWorkers) throws -> Outcome {
    let disk = SimulatedDisk(
      try SimulationStart.image(of: schedule), reusesNumbers: schedule.reusesNumbers)
    let start = disk.image
    let threads = schedule.processes.reduce(2) { $0 + $1.threads.count }
    let trace = isTraced ? SimulationTrace() : nil
    let scheduler = SimulationScheduler(
      SimulationChoices(seed: schedule.seed, threads: threads, turns: turns), trace: trace)
    let simulation = SimulationContext(schedule, scheduler, disk: disk)
    simulation.note(schedule.start)
    begin(simulation, scheduler, workers)
    scheduler.run()
    var violations = simulation.stuckThreads
    let image = simulation.isPowerless ? powerless(start, disk.log) : nil
    for process in simulation.others { process.kill() }
    for process in simulation.processes where !process.isRunning || !violations.isEmpty {
      process.kill()
    }
    scheduler.drain()
    if violations.isEmpty {
      violations = try SimulationEnd(simulation: simulation, image: image).violations()
    }
    simulation.releaseAll()
    return Outcome(
      violations: violations, steps: scheduler.step, turns: scheduler.choices.made,
      trace: trace?.text ?? "", fingerprint: disk.image.fingerprint)
  }

  private func begin(
    _ simulation: SimulationContext, _ scheduler: SimulationScheduler, _ workers: SimulationWorkers
  ) {
    var count = 0
    func add(_ name: String, _ process: SimulatedProcess, _ body: @escaping @Sendable () -> Void) {
      _ = scheduler.add(name, of: process, on: workers[count], body)
      count += 1
    }
    for (number, plan) in schedule.processes.enumerated() {
      let process = SimulatedProcess(number, disk: simulation.disk)
      process.clockOffset = plan.clockOffset
      simulation.processes.append(process)
      let program = SimulatedProgram(process: process, plan: plan, simulation: simulation)
      for thread in plan.threads.indices {
        add("P\(number).\(thread)", process) { program.run(thread: thread) }
      }
    }
    let editor = SimulatedProcess(90, disk: simulation.disk)
    add("editor", editor) { SimulatedEditor(process: editor, simulation: simulation).run() }
    let world = SimulatedProcess(91, disk: simulation.disk)
    add("world", world) { SimulatedEvents(process: world, simulation: simulation).run() }
    scheduler.whenIdle = { [weak simulation] in simulation?.resumeStopped() ?? false }
    simulation.others = [editor, world]
  }

  /// The disk after the power is restored.
  private func powerless(_ start: DiskImage, _ log: [DiskOperation]) -> DiskImage {
    var states = CrashStates(from: start, log: log, seed: schedule.seed)
    while states.advance() {}
    return states.sample()
  }
}

extension SimulationContext {
  /// Resumes the temporarily stopped processes. Returns whether there were any.
  fileprivate func resumeStopped() -> Bool {
    let stopped = processes.filter { $0.phase == .stopped && !$0.isStoppedForGood }
    for process in stopped { process.resume() }
    return !stopped.isEmpty
  }

  /// The threads of running processes that haven't ended.
  fileprivate var stuckThreads: [String] {
    scheduler.threads.filter { !$0.isFinished && $0.process.isRunning }
      .map { "\($0.name) doesn't end" }
  }

  /// Records the initial values.
  fileprivate func note(_ start: SimulationSchedule.Start) {
    for (key, value) in SimulationStart.values(of: start) {
      let kind: HistoryOperation.Kind =
        [SimulatedSettings.chain, SimulatedSettings.pair].contains(key) ? .swap : .set
      record.deeds.append(
        SimulatedDeed(
          kind: kind, process: SimulatedDeed.editor, key: key, new: value, start: -2, end: -1,
          hasRead: true, hasRecord: true))
    }
  }

  /// Releases all memory of the processes.
  fileprivate func releaseAll() {
    for process in processes {
      process.kill()
      process.observations = []
      process.suite = nil
    }
  }
}

/// Threads of the system, reused for one schedule after another.
final class SimulationWorkers {
  private var workers: [Worker] = []

  subscript(number: Int) -> Worker {
    while workers.count <= number { workers.append(Worker()) }
    return workers[number]
  }
}
