/// What is scheduled, and what has been learnt about how long it takes.
struct SnapshotSchedule {
  /// In which process it is armed, by the forks before it: a child has none of its parent's timers.
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

extension JournaledFile {
  /// Whether the journal is so long that a snapshot is due, busy or not.
  func isOutgrown(_ state: State) -> Bool {
    state.offset > 1 << 20 && state.offset > 4 * (state.history.base.version?.size ?? 0)
  }

  func schedule(after seconds: Double) {
    inBackground(after: seconds) { file in
      file.state.withLock { $0.schedule.disarm() }
      file.attempt { () throws(SuiteError) in
        do throws(SuiteError) {
          try file.snapshot()
          file.state.withLock { $0.failedSnapshots = 0 }
        } catch {
          file.state.withLock { $0.failedSnapshots += 1 }
          throw error
        }
      }
      if let delay = file.state.withLock({ file.nextDelay(&$0) }) { file.schedule(after: delay) }
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
