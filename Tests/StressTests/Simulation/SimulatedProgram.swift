import Defaults
import DefaultsText
import Foundation

/// The threads of one process. The first one opens and closes the suite.
struct SimulatedProgram: Sendable {
  let process: SimulatedProcess
  let plan: SimulationSchedule.Process
  let simulation: SimulationContext

  private var scheduler: SimulationScheduler { simulation.scheduler }

  /// Runs one of its threads.
  func run(thread: Int) {
    if thread == 0 { begin() }
    _ = scheduler.wait("waits for the suite") { process.hasBegun }
    for operation in plan.threads[thread] {
      if process.isDead { return }
      perform(operation)
    }
    process.endedThreads += 1
    guard thread == 0, plan.closes else { return }
    _ = scheduler.wait("waits for the other threads") {
      process.endedThreads == plan.threads.count
    }
    if !process.isDead { close() }
  }

  private func begin() {
    if let predecessor = plan.predecessor {
      _ = scheduler.wait("waits for process \(predecessor)", isPatient: true) {
        let process = simulation.processes[predecessor]
        return process.isDead || process.isClosed
      }
    }
    scheduler.step("opens the suite")
    // A call may fail according to the schedule.
    for _ in 0..<3 where process.suite == nil && !process.isDead {
      do {
        try open()
      } catch {
        simulation.note(error, by: process)
      }
    }
    process.hasBegun = true
  }

  func open() throws {
    let (suite, start) = try FileStore.open(
      StoredFile(
        path: SuiteSubject.file, on: ProcessFileSystem(process, simulation)),
      custom: simulation.schedule.isText ? Defaults.EditableFormat.jsonc : nil, isAutomatic: false,
      onIssue: { [process, simulation] issue in simulation.note(issue, of: process) })
    process.suite = suite
    start()
    process.observations = SimulatedSettings.all.map { observe($0, in: suite) }
  }

  private func observe(_ key: Int, in suite: Defaults.StoredSuite) -> any Defaults.Observation {
    let names = SimulatedSettings.names(of: key)
    let observer = SimulationRecord.Observer(process: process.number, key: key)
    return suite.observe(Set(names), options: .initial) { [process, simulation] change in
      if process.isDead { return }
      let old = SimulatedSettings.value(of: key) { change.entries[$0]?.old }
      let new = SimulatedSettings.value(of: key) { change.entries[$0]?.new }
      let isWhole = names.allSatisfy { change.entries[$0] != nil }
      simulation.scheduler.step("is notified of \(names[0]): \(old.value) -> \(new.value)")
      if process.isDead { return }
      simulation.record.eventSteps[observer, default: []].append(simulation.scheduler.step)
      simulation.record.events[observer, default: []].append(
        ObservedEvents.Event(
          old: old.value, new: new.value, second: isWhole ? new.second : -1))
    }
  }

  private func close() {
    scheduler.step("closes the suite")
    process.observations = []
    process.suite = nil
    process.isClosed = true
    scheduler.step("has closed the suite")
  }
}

// MARK: - Operations

extension SimulatedProgram {
  func perform(_ operation: SimulationSchedule.Operation) {
    guard let suite = process.suite else { return }
    switch operation {
    case .set(let key):
      let value = simulation.newValue()
      deed(.set, "sets \(key) to \(value)", key: key, new: value) { _ in
        for name in SimulatedSettings.names(of: key) {
          suite.write(.set(SimulatedSettings.entry(of: key, value)), named: name)
        }
      }
    case .remove(let key):
      deed(.remove, "removes \(key)", key: key) { _ in
        for name in SimulatedSettings.names(of: key) { suite.write(.remove, named: name) }
      }
    case .swap(let key):
      let value = simulation.newValue()
      deed(.swap, "swaps \(key) for \(value)", key: key, new: value) { deed in
        try swap(key, value, deed, in: suite)
      }
    case .read(let key):
      deed(.read, "reads \(key)", key: key) { deed in
        let entries = suite.entries
        let found = SimulatedSettings.value(of: key) { entries[$0] }
        note(found, in: deed)
      }
    case .refresh:
      deed(.refusal, "refreshes") { deed in
        try suite.refresh()
        let (start, entries) = (simulation.record.deeds[deed].start, suite.entries)
        for key in SimulatedSettings.all where !process.isDead {
          let found = SimulatedSettings.value(of: key) { entries[$0] }
          simulation.record.deeds.append(
            SimulatedDeed(
              kind: .read, process: process.number, key: key, new: 0, start: start,
              end: scheduler.step, old: found.value, second: found.second, hasRead: true,
              isFresh: true))
        }
      }
    case .flush: deed(.flush, "flushes") { _ in try suite.flush() }
    case .export: deed(.flush, "exports") { _ in try suite.flush(.snapshot) }
    }
  }

  private func swap(
    _ key: Int, _ value: Int, _ deed: Int, in suite: Defaults.StoredSuite
  ) throws {
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      if runs > 3 { simulation.addProblem("a body ran more than three times") }
      // Another thread of the process may hold the lock.
      if runs < 3, plan.threads.count == 1, process.hasLock {
        simulation.addProblem("a body had the lock in its run \(runs): \(process.number)")
      }
      let found = SimulatedSettings.value(of: key) { draft.entry(named: $0) }
      note(found, in: deed)
      scheduler.step("is in the body, which read \(found.value)")
      for name in SimulatedSettings.names(of: key) {
        try draft.setEntry(SimulatedSettings.entry(of: key, value), named: name)
      }
    }
  }

  /// Records the values that a deed read. The last run of a body counts.
  private func note(_ found: (value: Int, second: Int), in deed: Int) {
    if process.isDead { return }
    simulation.record.deeds[deed].old = found.value
    simulation.record.deeds[deed].second = found.second
    simulation.record.deeds[deed].hasRead = true
  }

  private func deed(
    _ kind: HistoryOperation.Kind, _ text: String, key: Int = 0, new: Int = 0,
    _ body: (_ deed: Int) throws -> Void
  ) {
    scheduler.step(text)
    if process.isDead { return }
    let deed = simulation.begin(kind, by: process.number, key: key, new: new)
    do {
      try body(deed)
      if !process.isDead { simulation.end(deed) }
    } catch {
      if process.isDead { return }
      simulation.note(error, by: process)
      simulation.end(deed, throwing: true)
    }
  }
}

// MARK: - Problems

extension SimulationContext {
  /// Records an issue, unless the schedule explains it.
  func note(_ issue: Defaults.Issue, of process: SimulatedProcess) {
    if process.isDead { return }
    scheduler.trace?.add(scheduler.step, "P\(process.number)", "issue: \(issue)")
    let text = "\(issue)"
    if text.contains("in the file was dropped") { return }
    if text.contains("that waited in memory was dropped") {
      for key in SimulatedSettings.all {
        for name in SimulatedSettings.names(of: key) where text.contains("\"\(name)\"") {
          record.drops.append((process.number, key, scheduler.step))
        }
      }
      return
    }
    if !explains(issue.code) { addProblem("issue of process \(process.number): \(issue)") }
  }

  /// Records an error, unless the schedule explains it.
  func note(_ error: any Error, by process: SimulatedProcess) {
    if process.isDead { return }
    scheduler.trace?.add(scheduler.step, "P\(process.number)", "threw: \(error)")
    let code = (error as? Defaults.SuiteError)?.code
    if !(code.map(explains) ?? false) {
      addProblem("process \(process.number) threw: \(error)")
    }
  }

  private func explains(_ code: Defaults.SuiteError.Code) -> Bool {
    if code == .locked { return true }
    return !schedule.faults.isEmpty || schedule.losesLog
      || schedule.edits.contains { $0.saving == .inPlace }
  }
}
