/// When snapshots are written: the one place for the times.
extension Defaults.JournaledFile {
  /// What is scheduled, and what has been learnt about how long it takes.
  struct Schedule {
    /// In which process it is armed, by the forks before it: a child has none of its parent's
    /// timers.
    private var armedIn: Int?
    private var isUrgent = false
    /// How long the last snapshot took.
    var cost = Duration.zero

    /// Arms a timer: the seconds until a snapshot is written, or nil if one is scheduled that does.
    ///
    /// Other programs see the file a second behind this one. While the suite is busy, snapshots
    /// take a twentieth of the time at most. What another process changed is its affair first.
    mutating func next(isOurs: Bool, isUrgent: Bool = false, failures: Int = 0) -> Double? {
      if armedIn == Forking.forks, !isUrgent || self.isUrgent { return nil }
      armedIn = Forking.forks
      self.isUrgent = isUrgent
      if failures > 0 { return Double(min(60, 1 << min(failures, 6))) }
      if isUrgent { return 0 }
      return max(isOurs ? 1 : 3, 20 * (cost / .seconds(1)))
    }

    /// The timer fired.
    mutating func disarm() {
      armedIn = nil
      isUrgent = false
    }
  }

  /// Whether the journal is so long that a snapshot is due, busy or not.
  func isOutgrown(_ state: State) -> Bool {
    state.offset > max(1 << 20, 4 * (state.history.base.version?.size ?? 0))
  }

  /// Does something later, on a thread of the library, if the suite is still there then; one thing
  /// at a time.
  ///
  /// The work must not hold `self`, and with it the open journal, which would outlive the suite
  /// until then.
  func inBackground(
    after seconds: Double = 0, for suite: Defaults.StoredSuite,
    _ work: @escaping @Sendable (Defaults.StoredSuite) -> Void
  ) {
    lane.perform(after: seconds) { [weak suite] in
      if let suite { work(suite) }
    }
  }

  func schedule(after seconds: Double, for suite: Defaults.StoredSuite) {
    inBackground(after: seconds, for: suite) { [weak self] suite in
      guard let self else { return }
      state.withLock { $0.schedule.disarm() }
      attempt(for: suite) { () throws(Defaults.SuiteError) in
        do throws(Defaults.SuiteError) {
          try snapshot(of: suite)
          state.withLock { $0.failedSnapshots = 0 }
        } catch {
          state.withLock { $0.failedSnapshots += 1 }
          throw error
        }
      }
      if let delay = state.withLock({ nextDelay(&$0) }) { schedule(after: delay, for: suite) }
    }
  }

  /// The seconds until a snapshot is to be written, if one is needed and none is scheduled.
  func nextDelay(_ state: inout State) -> Double? {
    // A damaged file is replaced without waiting for a change: who opens it meanwhile recovers less
    // than this process has in memory.
    let isPending = !state.history.isEmpty || !state.backlog.isEmpty || mustReplaceFile(state)
    guard isAutomatic, isPending else { return nil }
    let failures = max(state.failures, state.failedSnapshots)
    return state.schedule.next(
      isOurs: state.history.lastWriter == state.writer || mustReplaceFile(state),
      isUrgent: failures == 0 && isOutgrown(state), failures: failures)
  }
}
