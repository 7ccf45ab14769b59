/// The threads that all lanes share: none if there is nothing to do, usually four at most.
///
/// One of them, the lookout, waits for the next job to be due. It does the job itself, and has
/// another one look out meanwhile. Whoever has done a job does what else is due, and then ends, or
/// looks out if nobody does.
final class BackgroundThreads: Sendable {
  fileprivate struct State {
    var jobs = BackgroundJobs()
    /// Whether a thread waits for the next job, or is about to.
    var hasLookout = false
    var forks = Forking.forks
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
    let due = MonotonicClock.now + UInt64(max(0, min(seconds, 1e9)) * 1e9)
    // The parent's jobs are released when the lock is free: that may run code of anybody.
    let (orphans, mustStart, isFirst) = state.withLock { state in
      let orphans = state.forks == Forking.forks ? nil : state.jobs
      if orphans != nil { state = State() }
      let isFirst = state.jobs.add(body, lane: lane, due: due)
      let mustStart = !state.hasLookout
      state.hasLookout = true
      return (orphans, mustStart, isFirst)
    }
    withExtendedLifetime(orphans) {}
    if mustStart { start() } else if isFirst { alarm.ring() }
  }

  /// Starts a thread, the lookout.
  private func start() {
    guard !LibraryThread.start({ [self] in run() }) else { return }
    // The system has none left. The next job tries again; what is overdue isn't lost, but late.
    state.withLock { $0.hasLookout = false }
  }

  private func run() {
    let forks = state.withLock { $0.forks }
    var done: UInt64?
    var isLookout = true
    var wasIdle = false
    // In a child that was forked by a job, the thread goes back to what the program wanted there.
    while Forking.forks == forks {
      switch state.withLock({ $0.step(after: done, isLookout: isLookout, wasIdle: wasIdle) }) {
      case .run(let job, let mustStart):
        if mustStart { start() }
        Forking.inBackground(job.body)
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

// MARK: - Forks

extension BackgroundThreads {
  /// Called before a fork, so that the child finds no job half added.
  func prepareForFork() { state.holdForFork() }

  /// Called after a fork, in the parent.
  func resumeInParent() { state.releaseAfterFork() }

  /// Called after a fork, in the child, which has none of the threads.
  func resumeInChild() {
    state.renewInChild()
    alarm.renewInChild()
  }
}
