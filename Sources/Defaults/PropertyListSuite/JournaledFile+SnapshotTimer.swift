import Foundation

/// When the file is written without being asked for.
extension JournaledFile {
  /// Whether the journal is so long that a snapshot is due, busy or not.
  func isOutgrown(_ state: State) -> Bool {
    state.journal.offset > 1 << 20
      && state.journal.offset > 4 * (state.history.base.version?.size ?? 0)
  }

  /// Writes a snapshot when the armed timer fires.
  func schedule(at deadline: UInt64) {
    let now = MonotonicClock.now
    inBackground(after: deadline > now ? Double(deadline - now) / 1e9 : 0) { file in
      guard file.state.withLock({ $0.snapshots.schedule.fire(deadline) }) else { return }
      file.snapshotInBackground()
    }
  }

  /// Writes a snapshot that no caller waits for, and arms the timer again if another one is due.
  func snapshotInBackground() {
    attempt { () throws(SuiteError) in
      do throws(SuiteError) {
        try snapshot()
        state.withLock { $0.snapshots.failures = 0 }
      } catch {
        state.withLock { $0.snapshots.failures += 1 }
        throw error
      }
    }
    if let deadline = state.withLock({ armSnapshot(&$0) }) { schedule(at: deadline) }
  }

  /// Arms the timer if a snapshot is needed; returns the deadline, or nil if no timer is to be
  /// started.
  func armSnapshot(_ state: inout State) -> UInt64? {
    // A damaged file is replaced without waiting for a change: who opens it meanwhile recovers less
    // than this process has in memory.
    let isPending = !state.history.isEmpty || !state.backlog.isEmpty || mustReplaceFile(state)
    guard isAutomatic, isPending else { return nil }
    let failures = max(state.trouble.failures, state.snapshots.failures)
    return state.snapshots.schedule.arm(
      isOurs: state.isLastOurs || mustReplaceFile(state),
      isUrgent: failures == 0 && isOutgrown(state), failures: failures)
  }
}
