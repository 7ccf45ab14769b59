import Synchronization

/// A serial queue of delayed background work.
///
/// All lanes of a process share a few threads, which exist only while there is work, so that a
/// thousand suites don't need a thousand threads. Two jobs of one lane never run at the same time
/// and start in the order of their due times. Lanes don't wait for each other. A forked child does
/// no background work.
package struct BackgroundLane: Sendable {
  private static let count = Atomic<UInt64>(0)

  let number: UInt64
  private let threads: BackgroundThreads

  package init() { self.init(on: .shared) }

  init(on threads: BackgroundThreads) {
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    self.threads = threads
  }

  /// Runs the body after a delay in seconds. The lane retains the body until then.
  package func perform(after seconds: Double = 0, _ body: @escaping @Sendable () -> Void) {
    threads.add(body, lane: number, after: seconds)
  }
}

/// The threads that all lanes share: none without work, usually four at most.
///
/// One thread, the lookout, waits for the next due job. It runs the job itself, and another thread
/// becomes the lookout meanwhile. After a job, a thread runs the other due jobs. It then ends, or
/// becomes the lookout if there is no lookout.
///
/// The workers of Dispatch queues have the stack size of `ulimit -s`, which may be too small for
/// Foundation's encoder, and 64 lanes that wait for a disk blocked another lane for 15 seconds.
final class BackgroundThreads: Sendable {
  fileprivate struct State {
    var jobs = BackgroundJobs()
    /// Whether a thread waits for the next job, or is about to wait for it.
    var hasLookout = false
  }

  fileprivate enum Step {
    case run(BackgroundJobs.Job, mustStart: Bool)
    case wait(until: UInt64, isIdle: Bool)
    case end
  }

  static let shared = BackgroundThreads()

  /// The time in nanoseconds that the last thread waits for another job before it ends.
  fileprivate static let idleTime: UInt64 = 5_000_000_000

  private let state = Lock(State())
  private let alarm = Alarm()
  /// Whether the system had no thread left for a lookout.
  private let lacksThread = Atomic(false)

  /// Runs the body on a thread after a delay in seconds, once no other job of the lane runs.
  func add(_ body: @escaping @Sendable () -> Void, lane: UInt64, after seconds: Double) {
    if Forking.isChild { return }
    let due = MonotonicClock.now + UInt64(max(0, min(seconds, 1e9)) * 1e9)
    let (mustStart, isFirst) = state.withLock { state in
      let isFirst = state.jobs.add(body, lane: lane, due: due)
      let mustStart = !state.hasLookout
      state.hasLookout = true
      return (mustStart, isFirst)
    }
    if mustStart { startLookout() } else if isFirst { alarm.ring() }
  }

  private func startLookout() {
    guard !LibraryThread.start({ [self] in run() }) else { return }
    // The system has no thread left. The next job, or the next set, tries again; overdue jobs are
    // delayed, not lost.
    state.withLock { $0.hasLookout = false }
    lacksThread.store(true, ordering: .relaxed)
  }

  /// Starts a thread for the waiting jobs if the system had none left for them.
  func startIfNeeded() {
    guard lacksThread.load(ordering: .relaxed) else { return }
    lacksThread.store(false, ordering: .relaxed)
    let mustStart = state.withLock { state in
      if state.hasLookout { return false }
      state.hasLookout = true
      return true
    }
    if mustStart { startLookout() }
  }

  private func run() {
    var done: UInt64?
    var isLookout = true
    var wasIdle = false
    // A job may fork. In the child, the thread ends and leaves the remaining work to the parent.
    while !Forking.isChild {
      switch state.withLock({ $0.step(after: done, isLookout: isLookout, wasIdle: wasIdle) }) {
      case .run(let job, let mustStart):
        if mustStart { startLookout() }
        job.body()
        (done, isLookout, wasIdle) = (job.lane, false, false)
      case .wait(let time, let isIdle):
        let wasRung = alarm.wait(until: time)
        (done, isLookout, wasIdle) = (nil, true, isIdle && !wasRung)
      case .end: return
      }
    }
  }
}

extension BackgroundThreads.State {
  /// Returns the next step of a thread, after a job of this lane or after a wait.
  fileprivate mutating func step(
    after done: UInt64?, isLookout: Bool, wasIdle: Bool
  ) -> BackgroundThreads.Step {
    if let done { jobs.finish(lane: done) }
    if isLookout { hasLookout = false }
    let now = MonotonicClock.now
    if let job = jobs.take(now: now) {
      let mustStart = !hasLookout && !jobs.isEmpty
      if mustStart { hasLookout = true }
      return .run(job, mustStart: mustStart)
    }
    if hasLookout { return .end }
    let time = jobs.nextTime(after: now)
    if time == nil, wasIdle { return .end }
    hasLookout = true
    return .wait(until: time ?? now + BackgroundThreads.idleTime, isIdle: time == nil)
  }
}

// MARK: - Jobs

/// The pending jobs and their due times, in nanoseconds of one clock.
struct BackgroundJobs {
  struct Job: Sendable {
    let due: UInt64
    /// The order of arrival, which decides between jobs that are due at the same time.
    let number: UInt64
    let lane: UInt64
    let body: @Sendable () -> Void

    fileprivate func isBefore(_ other: Job) -> Bool { (due, number) < (other.due, other.number) }
  }

  /// The number of jobs that run at the same time while none of them takes long.
  static let usualLimit = 3
  /// The largest number of jobs that run at the same time.
  static let limit = 31
  /// The time that a job waits for the usual threads before it gets an extra thread, since disks
  /// that don't answer may block all of them.
  static let patience: UInt64 = 1_000_000_000

  /// In the reverse order of their due times: the next job is the last element.
  private var waiting: [Job] = []
  /// The lanes of the running jobs, each with its jobs that became due meanwhile.
  private var held: [(lane: UInt64, jobs: [Job])] = []
  private var lastNumber: UInt64 = 0

  /// Whether no job waits for its due time.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a job.
  ///
  /// - Returns: Whether it is the next job.
  mutating func add(_ body: @escaping @Sendable () -> Void, lane: UInt64, due: UInt64) -> Bool {
    lastNumber += 1
    insert(Job(due: due, number: lastNumber, lane: lane, body: body))
    return waiting.last?.number == lastNumber
  }

  /// Removes and returns the next job that may run now. Call `finish` after running it.
  mutating func take(now: UInt64) -> Job? {
    while let first = waiting.last, first.due <= now {
      if let index = held.firstIndex(where: { $0.lane == first.lane }) {
        held[index].jobs.append(first)
        waiting.removeLast()
      } else if held.count < Self.usualLimit
        || held.count < Self.limit && now - first.due >= Self.patience
      {
        held.append((first.lane, []))
        waiting.removeLast()
        return first
      } else {
        return nil
      }
    }
    return nil
  }

  /// Marks the running job of this lane as done, so that the lane's next job may run.
  mutating func finish(lane: UInt64) {
    guard let index = held.firstIndex(where: { $0.lane == lane }) else { return }
    for job in held.remove(at: index).jobs { insert(job) }
  }

  /// Returns the earliest time at which `take` may return another job; nil if none waits. A job
  /// that finishes may make this time earlier.
  func nextTime(after now: UInt64) -> UInt64? {
    guard let due = waiting.last?.due else { return nil }
    if due > now { return due }
    return max(due, held.count < Self.limit ? 0 : now) + Self.patience
  }

  private mutating func insert(_ job: Job) {
    waiting.insert(job, at: waiting.firstIndex { $0.isBefore(job) } ?? waiting.endIndex)
  }
}
