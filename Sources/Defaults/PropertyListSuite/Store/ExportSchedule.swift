/// The timer for the next export, and the duration of the last export.
///
/// The file lags the journal by about a second. While the suite is busy, exports take at most a
/// twentieth of the time, once their cost is known; see ``note(_:)``.
struct ExportSchedule {
  /// The reason for an export, the least urgent first. A more urgent reason replaces the armed one.
  private enum Reason: Int {
    /// The last attempt failed.
    case failure
    /// Another process made the changes. That process is expected to export them first.
    case otherProcess
    case ownChange
    /// Changes wait in memory.
    case waiting
    /// The journal has grown too long.
    case outgrown

    /// Returns the seconds that an export for this reason waits.
    func delay(failures: Int, cost: Duration) -> Double {
      switch self {
      case .failure, .waiting: ExportSchedule.delay(after: failures)
      case .otherProcess: max(3, 20 * (cost / .seconds(1)))
      case .ownChange: max(1, 20 * (cost / .seconds(1)))
      case .outgrown: 0
      }
    }
  }

  private var reason: Reason?
  /// The time of ``MonotonicClock`` when the armed timer fires; nil if none is armed.
  private(set) var deadline: UInt64?
  /// The duration of the last export with all its attempts or, if it was overtaken, of its last
  /// attempt. It grows gradually; see ``note(_:)``.
  var cost = Duration.zero

  /// Records the duration of an export. It may include a time in which the process was stopped, the
  /// computer slept, or another process held the lock, so that the known cost at most quadruples.
  mutating func note(_ duration: Duration) {
    cost = min(duration, max(cost * 4, .milliseconds(100)))
  }

  /// Returns the seconds to wait after this many failures in a row.
  static func delay(after failures: Int) -> Double { Double(min(60, 1 << min(failures, 6))) }

  /// Returns whether only an outgrown log can move the timer forward.
  func isArmed(hasWaiting: Bool) -> Bool {
    let least = hasWaiting ? Reason.waiting : .ownChange
    return (reason?.rawValue ?? 0) >= least.rawValue
  }

  /// Arms the timer, or moves it forward if the new reason has an earlier deadline.
  ///
  /// - Returns: The new deadline, or nil if the armed timer is early enough.
  mutating func arm(
    isOurs: Bool, isUrgent: Bool = false, hasWaiting: Bool = false, failures: Int = 0,
    now: @autoclosure () -> UInt64 = MonotonicClock.now
  ) -> UInt64? {
    let new: Reason =
      hasWaiting
      ? .waiting
      : failures > 0 ? .failure : isUrgent ? .outgrown : isOurs ? .ownChange : .otherProcess
    if let reason, new.rawValue <= reason.rawValue { return nil }
    reason = new
    let time = now() + UInt64(min(new.delay(failures: failures, cost: cost), 1e9) * 1e9)
    if let deadline, deadline <= time { return nil }
    deadline = time
    return time
  }

  /// Ends the armed timer when it fires.
  ///
  /// - Returns: False if the current timer has replaced this timer, which is then ignored.
  mutating func fire(_ time: UInt64) -> Bool {
    guard deadline == time else { return false }
    (self.reason, self.deadline) = (nil, nil)
    return true
  }
}

extension FileState {
  var isExportDue: Bool { hasRepairableDamage || exports.mustRewrite || fold.isExportDue }

  /// Arms the timer if an export is due. Returns the deadline, or nil if no timer must be started.
  mutating func armExport() -> UInt64? {
    BackgroundThreads.shared.startIfNeeded()
    // Most setters end here.
    if exports.schedule.isArmed(hasWaiting: !waiting.isEmpty), log?.isUrgent != true { return nil }
    // After an edit that is merged completely, only the log must be replaced at some time.
    guard options.isAutomatic, !waiting.isEmpty || isExportDue || log?.isOutgrown == true
    else { return nil }
    let failures =
      if waiting.isEmpty {
        exports.failures
      } else if fileHealth.lacksRights {
        max(1, exports.failures)
      } else {
        // Soon, since there may be room, or a free lock, at any time. But an attempt that writes
        // much takes the last room of the disk for a moment.
        1 + max(0, waiting.debt) >> 24
      }
    // Not during an export of this process either, which replaces the log afterwards.
    let isUrgent = log?.isUrgent == true && !exports.isRunning && !isRivalBusy
    return exports.schedule.arm(
      isOurs: exports.hasDuty || hasRepairableDamage, isUrgent: isUrgent,
      hasWaiting: !waiting.isEmpty, failures: failures)
  }

  /// Whether another process announced the last export, within the last second or, if exports take
  /// longer, twice the duration of an export. After its export, that process replaces an outgrown
  /// log.
  var isRivalBusy: Bool {
    guard let last = fold.bases.last(where: \.isExport),
      last.id != exports.announced
    else { return false }
    let time = max(.seconds(1), exports.schedule.cost * 2)
    return last.version.isRecent(at: places.file.fileSystem.now, within: time)
  }
}

// MARK: - The timer

extension FileStore {
  /// Exports when the armed timer fires.
  func schedule(at deadline: UInt64) {
    let now = MonotonicClock.now
    inBackground(after: deadline > now ? Double(deadline - now) / 1e9 : 0) { store in
      guard store.state.withLock({ $0.exports.schedule.fire(deadline) }) else { return }
      store.exportInBackground()
    }
  }

  func exportInBackground() {
    table.support.attempt { () throws(SuiteError) in
      let isPaused = state.withLock { state in
        !state.waiting.isEmpty && MonotonicClock.now < state.exports.pauseEnd
      }
      // Changes that wait are tried more often than an export that fails.
      if isPaused { return try commitNothing(.maintenance, within: .zero) }
      do throws(SuiteError) {
        try export(isOptional: true)
      } catch {
        state.withLock { state in
          state.exports.failures += 1
          let pause = ExportSchedule.delay(after: state.exports.failures)
          state.exports.pauseEnd = MonotonicClock.now(plus: .seconds(pause))
        }
        throw error
      }
    }
    if let deadline = state.withLock({ $0.armExport() }) { schedule(at: deadline) }
  }
}
