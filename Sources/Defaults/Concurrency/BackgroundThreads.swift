import Synchronization

/// Work that threads of the library do one piece after the other, at once or later.
///
/// All lanes of a process share a few threads, which are there only while there is something to do,
/// so that a thousand suites cost no thousand threads. Two pieces of one lane never run at the same
/// time, and begin in the order in which they are due; those of different lanes don't wait for each
/// other. In a forked child nothing is done.
package struct BackgroundLane: Sendable {
  private static let count = Atomic<UInt64>(0)

  let number: UInt64
  private let threads: BackgroundThreads

  package init() { self.init(on: .shared) }

  init(on threads: BackgroundThreads) {
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    self.threads = threads
  }

  /// Does something after so many seconds. What the body holds is held until then.
  package func perform(after seconds: Double = 0, _ body: @escaping @Sendable () -> Void) {
    threads.add(body, lane: number, after: seconds)
  }
}

/// The threads that all lanes share: none if there is nothing to do, usually four at most.
///
/// One of them, the lookout, waits for the next job to be due. It does the job itself, and has
/// another one look out meanwhile. A thread that has done a job does what else is due, and then
/// ends, or looks out if no other one does.
///
/// Not queues of Dispatch, although these cost the first open no more than 2 percent (3.40 in place
/// of 3.33 ms; 6 threads and 1 MB more for 1,000 suites): their workers have the stack of
/// `ulimit -s`, which is too small for Foundation's encoder at 256 KiB, and 64 lanes that wait for a
/// disk kept another one from running for more than 15 seconds.
final class BackgroundThreads: Sendable {
  fileprivate struct State {
    var jobs = BackgroundJobs()
    /// Whether a thread waits for the next job, or is about to.
    var hasLookout = false
  }

  fileprivate enum Step {
    case run(BackgroundJobs.Job, mustStart: Bool)
    case wait(until: UInt64, isIdle: Bool)
    case end
  }

  static let shared = BackgroundThreads()

  /// How long the last thread waits for another job.
  fileprivate static let idleTime: UInt64 = 5_000_000_000

  private let state = Lock(State())
  private let alarm = Alarm()

  /// Has a thread run the body after so many seconds, when nothing else of this lane runs.
  func add(_ body: @escaping @Sendable () -> Void, lane: UInt64, after seconds: Double) {
    if Forking.isChild { return }
    let due = MonotonicClock.now + UInt64(max(0, min(seconds, 1e9)) * 1e9)
    let (mustStart, isFirst) = state.withLock { state in
      let isFirst = state.jobs.add(body, lane: lane, due: due)
      let mustStart = !state.hasLookout
      state.hasLookout = true
      return (mustStart, isFirst)
    }
    if mustStart { start() } else if isFirst { alarm.ring() }
  }

  /// Starts a thread, the lookout.
  private func start() {
    guard !LibraryThread.start({ [self] in run() }) else { return }
    // The system has none left. The next job tries again; what is overdue isn't lost, but late.
    state.withLock { $0.hasLookout = false }
  }

  private func run() {
    var done: UInt64?
    var isLookout = true
    var wasIdle = false
    // A job may fork: the thread ends in the child, and does nothing that the parent is to do.
    while !Forking.isChild {
      switch state.withLock({ $0.step(after: done, isLookout: isLookout, wasIdle: wasIdle) }) {
      case .run(let job, let mustStart):
        if mustStart { start() }
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
  /// What a thread does next, after a job of this lane or a wait.
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

// MARK: - What is to be done

/// What is to be done in the background, and when; times are nanoseconds of one clock.
struct BackgroundJobs {
  final class Job: Sendable {
    let due: UInt64
    /// Rises in the order of arrival, which decides where two are due at once.
    let number: UInt64
    let lane: UInt64
    let body: @Sendable () -> Void

    fileprivate init(
      due: UInt64, number: UInt64, lane: UInt64, body: @escaping @Sendable () -> Void
    ) {
      self.due = due
      self.number = number
      self.lane = lane
      self.body = body
    }

    fileprivate func isBefore(_ other: Job) -> Bool { (due, number) < (other.due, other.number) }
  }

  /// How many run at once as long as none of them takes its time.
  static let usualLimit = 3
  /// How many run at once at most.
  static let limit = 31
  /// How long a job waits for the usual threads before it gets another one: these may all be at
  /// disks that don't answer.
  static let patience: UInt64 = 1_000_000_000

  /// In the order in which they are due, the first one at the end.
  private var waiting: [Job] = []
  /// The lanes of the jobs that run, each with the jobs that became due meanwhile.
  private var held: [(lane: UInt64, jobs: [Job])] = []
  private var lastNumber: UInt64 = 0

  /// Whether nothing is left that a thread has to look out for.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a job; returns whether it is the first one now.
  mutating func add(_ body: @escaping @Sendable () -> Void, lane: UInt64, due: UInt64) -> Bool {
    lastNumber += 1
    insert(Job(due: due, number: lastNumber, lane: lane, body: body))
    return waiting.last?.number == lastNumber
  }

  /// Takes out the next job that may run now; `finish` is to be called after it.
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

  /// The job of this lane is done, so that the next one may run.
  mutating func finish(lane: UInt64) {
    guard let index = held.firstIndex(where: { $0.lane == lane }) else { return }
    for job in held.remove(at: index).jobs { insert(job) }
  }

  /// When `take` may give a job that it doesn't now; nil if there is none. A job that is done may
  /// make that earlier.
  func nextTime(after now: UInt64) -> UInt64? {
    guard let due = waiting.last?.due else { return nil }
    if due > now { return due }
    return max(due, held.count < Self.limit ? 0 : now) + Self.patience
  }

  private mutating func insert(_ job: Job) {
    var (low, high) = (0, waiting.count)
    while low < high {
      let middle = (low + high) / 2
      if job.isBefore(waiting[middle]) { low = middle + 1 } else { high = middle }
    }
    waiting.insert(job, at: low)
  }
}
