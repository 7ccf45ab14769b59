import Foundation
import Synchronization

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
  func inBackground(
    after seconds: Double = 0, _ work: @escaping @Sendable (Defaults.JournaledFile) -> Void
  ) {
    // Not strongly: the open journal mustn't outlive the suite until then.
    lane.perform(after: seconds) { [weak self] in
      if let self { work(self) }
    }
  }

  func schedule(after seconds: Double) {
    inBackground(after: seconds) { file in
      file.state.withLock { $0.schedule.disarm() }
      file.attempt { () throws(Defaults.SuiteError) in
        do throws(Defaults.SuiteError) {
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

/// Noticing what other processes do.
extension Defaults.JournaledFile {
  /// How often the files are looked at where nobody tells of changes.
  private static let pollInterval = 0.5

  /// Takes in changes of others as they come.
  func watch() {
    let names = (file: file.location.name, journal: journalPlace.location.name)
    do throws(POSIXError) {
      let watch = try Defaults.FolderWatcher.shared.watch(
        file.folder, names: [names.file, names.journal]
      ) { [weak self] name, event in
        guard let self else { return false }
        switch name {
        case names.journal: return self.notice()
        case names.file where event == .written: return false
        case names.file where event == .gone:
          // Many editors take the old file away before they write the new one.
          self.inBackground(after: 0.1) { $0.lookAtFile() }
          return false
        case names.file: break
        default: if event != .unknown { return false }
        }
        self.state.withLock { $0.mustCheckFile = true }
        return self.notice()
      }
      state.withLock { $0.watch = watch }
    } catch {
      table.support.report(
        Defaults.SuiteError(
          .unwatched,
          "The folder can't be watched, so changes of others are looked for twice a second",
          path: file.folder, error))
      poll()
    }
  }

  /// Takes in what others did; returns whether there was anything, or at least more than what this
  /// process wrote itself.
  private func notice() -> Bool {
    // First, so that a writer who is in the way finds it when it gives its lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    return lookIfOverdue()
  }

  func lookAtFile() {
    state.withLock { $0.mustCheckFile = true }
    takeIn()
  }

  private func poll() {
    inBackground(after: Self.pollInterval) {
      $0.lookAtFile()
      $0.poll()
    }
  }
}
