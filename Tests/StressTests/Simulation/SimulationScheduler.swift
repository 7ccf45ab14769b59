import Defaults
import Foundation

/// One of the threads of a scheduler, which run one at a time.
final class SimulatedThread {
  let number: Int
  let name: String
  let process: SimulatedProcess
  let worker: Worker
  /// The condition that it waits for; nil if it can run.
  fileprivate var condition: (() -> Bool)?
  /// The step from which it runs even if its condition doesn't hold.
  fileprivate var deadline = Int.max
  /// The step at which it began to wait.
  fileprivate var waitingSince = 0
  /// Whether it runs when no other thread can, even if its condition doesn't hold.
  fileprivate var isPatient = false
  /// The mutex that it waits for.
  fileprivate var mutex: UnsafeMutablePointer<pthread_mutex_t>?
  /// Whether it runs before all others as soon as it can.
  fileprivate var isUrgent = false
  /// Whether it lets other dead threads run first.
  fileprivate var isAside = false
  fileprivate(set) var isFinished = false

  init(_ number: Int, _ name: String, _ process: SimulatedProcess, _ worker: Worker) {
    self.number = number
    self.name = name
    self.process = process
    self.worker = worker
  }
}

/// Lets exactly one of several threads run, and chooses the next one after each step.
final class SimulationScheduler: ThreadScheduler, @unchecked Sendable {
  // Unchecked, because the state is only accessed by the thread that has the turn or, while no
  // thread has it, by the one that started the scheduler. A semaphore passes the turn.

  /// The maximum number of steps of a schedule.
  static let limit = 100_000

  private(set) var step = 0
  private(set) var threads: [SimulatedThread] = []
  private(set) var choices: SimulationChoices
  let trace: SimulationTrace?
  /// The thread that has the turn; nil outside of `run` and `drain`.
  private(set) var current: SimulatedThread?
  private let end = Turnstile()
  /// Whether the threads of dead processes run to their end.
  private var isDraining = false
  /// Whether steps let other threads run.
  private var isRunning = false
  /// Called when no thread can run. Returns whether one can run now.
  var whenIdle: () -> Bool = { false }

  init(_ choices: SimulationChoices, trace: SimulationTrace?) {
    self.choices = choices
    self.trace = trace
  }

  /// Adds a thread that runs a body.
  func add(
    _ name: String, of process: SimulatedProcess, on worker: Worker,
    _ body: @escaping @Sendable () -> Void
  ) -> SimulatedThread {
    let thread = SimulatedThread(threads.count, name, process, worker)
    threads.append(thread)
    let handle = ThreadHandle(thread)
    worker.prepare { [self] in
      ScheduledThread.$scheduler.withValue(self) { body() }
      finish(handle.thread)
    }
    return thread
  }

  /// Runs the threads until none of them can run.
  func run() {
    isRunning = true
    if let first = choose() { start(first) }
    isRunning = false
  }

  /// Runs the threads of dead processes to their end.
  func drain() {
    (isDraining, isRunning) = (true, true)
    if let first = choose() { start(first) }
    (isDraining, isRunning) = (false, false)
    precondition(threads.allSatisfy(\.isFinished), "threads of dead processes wait for each other")
  }

  private func start(_ thread: SimulatedThread) {
    current = thread
    thread.worker.giveTurn()
    end.pass()
    current = nil
  }

  private func finish(_ thread: SimulatedThread) {
    thread.isFinished = true
    handOver()
  }

  /// Passes the turn to another thread, or to the one that started the scheduler.
  private func handOver() {
    if let next = choose() {
      current = next
      next.worker.giveTurn()
    } else {
      end.open()
    }
  }
}

private final class ThreadHandle: @unchecked Sendable {
  // Unchecked, because only the thread that has the turn reads it.
  let thread: SimulatedThread
  init(_ thread: SimulatedThread) { self.thread = thread }
}

// MARK: - Steps

extension SimulationScheduler {
  /// Takes a step, after which other threads may run.
  func step(_ text: @autoclosure () -> String) {
    guard isRunning, !isDraining, let current else {
      if !isDraining { step += 1 }
      return
    }
    advance(current, text())
    let isUrgent = threads.contains { $0.isUrgent && canRun($0) }
    if !isUrgent, !choices.mayTurn(at: step), canRun(current) { return }
    yield(current)
  }

  /// Runs other threads until a condition holds, the deadline is reached or, for a patient thread,
  /// none of them can run. Returns whether the condition holds.
  func wait(
    _ text: @autoclosure () -> String, until deadline: Int = .max, isPatient: Bool = false,
    for condition: @escaping () -> Bool
  ) -> Bool {
    guard isRunning, !isDraining, let current else { return condition() }
    advance(current, text())
    (current.condition, current.deadline, current.isPatient) = (condition, deadline, isPatient)
    current.waitingSince = step
    yield(current)
    (current.condition, current.deadline, current.isPatient) = (nil, .max, false)
    return condition()
  }

  /// Whether the current thread gets its turns before all others.
  var isCurrentUrgent: Bool {
    get { current?.isUrgent ?? false }
    set { current?.isUrgent = newValue }
  }

  func sleep() {
    if isDraining, let current {
      // Another dead thread may hold what this one needs.
      current.isAside = true
      yield(current)
      current.isAside = false
    }
    _ = wait("sleeps", until: step + 40, isPatient: true) { false }
  }

  func wait(for mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Bool {
    guard let current else { return false }
    let holder = Worker.holder(of: mutex)
    guard threads.contains(where: { $0 !== current && $0.worker.number == holder }) else {
      return false
    }
    advance(current, "waits for a lock of its process")
    current.mutex = mutex
    yield(current)
    current.mutex = nil
    return true
  }

  private func advance(_ thread: SimulatedThread, _ text: @autoclosure () -> String) {
    step += 1
    trace?.add(step, thread.name, text())
  }

  private func yield(_ thread: SimulatedThread) {
    guard let next = choose() else {
      end.open()
      return thread.worker.awaitTurn()
    }
    if next === thread { return }
    current = next
    next.worker.giveTurn()
    thread.worker.awaitTurn()
  }

  private func canRun(_ thread: SimulatedThread) -> Bool {
    if thread.isFinished || thread.isAside { return false }
    guard isDraining || thread.process.isRunning else { return false }
    if let mutex = thread.mutex { return Worker.holder(of: mutex) == 0 }
    // A dead thread doesn't wait for other processes.
    guard let condition = thread.condition, !isDraining else { return true }
    return condition() || step >= thread.deadline
  }

  private func choose() -> SimulatedThread? {
    if step >= Self.limit, !isDraining { return nil }
    while true {
      let candidates = threads.indices.filter { canRun(threads[$0]) }
      if let urgent = candidates.first(where: { threads[$0].isUrgent }) { return threads[urgent] }
      if !candidates.isEmpty {
        return threads[choices.next(candidates, after: current?.number, at: step)]
      }
      let patient = threads.filter { !$0.isFinished && $0.isPatient && $0.process.isRunning }
      // The one that has waited longest.
      if let next = patient.min(by: { $0.waitingSince < $1.waitingSince }) {
        return next
      }
      if isDraining {
        // In turn, since one of them may hold what the others wait for.
        let aside = threads.filter { !$0.isFinished && $0.isAside }
        return aside.first { $0.number > current?.number ?? 0 } ?? aside.first
      }
      if !whenIdle() { return nil }
    }
  }
}
