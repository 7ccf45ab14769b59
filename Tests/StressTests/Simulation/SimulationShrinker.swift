/// Removes everything from a failing schedule without which it still fails.
struct SimulationShrinker {
  private(set) var schedule: SimulationSchedule
  private var turns: [Int: Int]?
  /// The kind of the violation.
  private let kind: String
  private let workers: SimulationWorkers

  /// nil if the schedule doesn't fail.
  init?(_ schedule: SimulationSchedule, _ workers: SimulationWorkers) throws {
    let outcome = try SimulationRun(schedule: schedule).run(on: workers)
    guard let violation = outcome.violations.first else { return nil }
    self.schedule = schedule
    self.workers = workers
    kind = Self.kind(of: violation)
  }

  /// The text up to the first number or colon, which is equal for violations of one kind.
  private static func kind(of violation: String) -> String {
    String(violation.prefix { $0 != ":" && !$0.isNumber })
  }

  /// The run of the reduced schedule.
  func traced() throws -> SimulationRun.Outcome {
    try SimulationRun(schedule: schedule, turns: turns, isTraced: true).run(on: workers)
  }

  mutating func shrink() throws {
    while try shrinkOnce() {}
    let outcome = try SimulationRun(schedule: schedule).run(on: workers)
    turns = Dictionary(outcome.turns.map { ($0.step, $0.thread) }) { $1 }
    guard try fails(schedule, turns) else { return turns = nil }
    try shrinkTurns()
  }

  private func fails(
    _ schedule: SimulationSchedule, _ turns: [Int: Int]? = nil
  ) throws -> Bool {
    try SimulationRun(schedule: schedule, turns: turns).run(on: workers).violations
      .contains { Self.kind(of: $0) == kind }
  }

  /// Tries each schedule with one thing less, in several orders of its steps.
  private mutating func shrinkOnce() throws -> Bool {
    for candidate in candidates {
      for attempt in 0..<30 {
        var candidate = candidate
        if attempt > 0 { candidate.seed = schedule.seed &+ UInt64(attempt) &* 7_919 }
        if try fails(candidate) {
          schedule = candidate
          return true
        }
      }
    }
    return false
  }

  /// The schedules with one thing less, the largest things first.
  private var candidates: [SimulationSchedule] {
    var candidates: [SimulationSchedule] = []
    func add(_ change: (inout SimulationSchedule) -> Void) {
      var candidate = schedule
      change(&candidate)
      candidates.append(candidate)
    }
    for index in schedule.faults.indices { add { $0.faults.remove(at: index) } }
    for index in schedule.edits.indices { add { $0.edits.remove(at: index) } }
    for index in schedule.events.indices { add { $0.events.remove(at: index) } }
    for (number, process) in schedule.processes.enumerated() {
      if process.threads.contains(where: { !$0.isEmpty }) {
        add { $0.processes[number].threads = [[]] }
      }
      if process.threads.count > 1 { add { $0.processes[number].threads.removeLast() } }
      for (thread, operations) in process.threads.enumerated() {
        for index in operations.indices {
          add { $0.processes[number].threads[thread].remove(at: index) }
        }
      }
      if process.closes { add { $0.processes[number].closes = false } }
      if process.predecessor != nil { add { $0.processes[number].predecessor = nil } }
      if process.clockOffset != 0 { add { $0.processes[number].clockOffset = 0 } }
    }
    if schedule.isImpatient { add { $0.isImpatient = false } }
    return candidates
  }

  /// Removes turns in decreasing portions.
  private mutating func shrinkTurns() throws {
    guard var steps = turns?.keys.sorted() else { return }
    var size = max(1, steps.count / 2)
    while size > 0 {
      var start = 0
      while start < steps.count {
        var rest = steps
        rest.removeSubrange(start..<min(start + size, steps.count))
        let candidate = turns?.filter { rest.contains($0.key) }
        if try fails(schedule, candidate) {
          (steps, turns) = (rest, candidate)
        } else {
          start += size
        }
      }
      size /= 2
    }
  }
}
