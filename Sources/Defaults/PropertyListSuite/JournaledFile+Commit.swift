import Foundation

/// Making one commit: with the lock of the journal, or in memory until that can be had.
extension JournaledFile {
  func commit(
    _ commitment: Commitment, within patience: Duration?, _ body: () -> [EntryTable.Change]
  ) throws(SuiteError) {
    try requireWritable()
    var problems: [SuiteError] = []
    defer {
      // No lock is held: what went wrong here is reported before the setter returns.
      for problem in problems { table.support.report(problem) }
      takeInIfOverdue()
    }
    try inTurn(commitment, within: patience, noting: &problems) { () throws(SuiteError) in
      let changes = body()
      guard !changes.isEmpty else { return }
      try record(changes)
      table.commit(changes)
    }
  }

  /// Runs the body while nobody else commits: with the writer lock, and the journal's too unless
  /// the commitment does without. Notes what went wrong and isn't thrown, for the time when the
  /// caller holds no lock.
  private func inTurn(
    _ commitment: Commitment, within patience: Duration?,
    noting problems: inout [SuiteError],
    _ body: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    let began = MonotonicClock.now
    var deadline: UInt64?
    var delayed = Delay.none
    var delay: Double?
    // No lock is held by the timer, either.
    defer { if let delay { schedule(after: delay) } }
    while true {
      let obstacle = try table.writer.withLock { _ throws(SuiteError) in
        let obstacle = try begin(Turn(commitment: commitment, began: began), delayed)
        if obstacle == nil {
          defer { delay = end(noting: &problems) }
          try body()
        }
        return obstacle
      }
      guard let obstacle else { break }
      // No lock is held while another process is waited for.
      // Where others wait in memory so does this: not every change waits in vain for itself.
      let isBehind =
        commitment == .blind && deadline == nil && state.withLock { !$0.backlog.isEmpty }
      if !isBehind { deadline = deadline ?? self.deadline(for: commitment, within: patience) }
      let problem = wait(for: obstacle, until: deadline ?? 0)
      if let problem, commitment != .blind { throw problem }
      delayed = problem.map { isBehind ? .behind : .late($0) } ?? .none
    }
  }

  /// Why a blind commit doesn't wait for the lock any longer.
  private enum Delay {
    case none
    /// Others that were made before wait in memory.
    case behind
    /// The time is over, or the system can't wait, for this reason.
    case late(SuiteError)
  }

  private func deadline(for commitment: Commitment, within patience: Duration?) -> UInt64 {
    // Where everything is on one thread, nobody could give the lock back meanwhile.
    guard isAutomatic else { return 0 }
    let usual = commitment == .blind ? self.patience.setter : self.patience.exact
    return MonotonicClock.now(plus: patience ?? usual)
  }

  /// Waits until a journal's lock may be free; returns why it isn't, or can't be waited for.
  private func wait(for lock: JournalLock, until deadline: UInt64) -> SuiteError? {
    guard isAutomatic else { return lateness }
    do throws(SuiteError) {
      let isFree = try reaching { () throws(POSIXError) in
        try lock.wait(until: deadline) { [weak self] in
          // Everybody has given up waiting, and what was set meanwhile is in memory.
          guard let self else { return }
          Forking.inBackground { self.storeBacklogIfAny() }
        }
      }
      return isFree ? nil : lateness
    } catch {
      return error
    }
  }

  /// Begins a commit with the lock, or without where that does; returns the lock that has to be
  /// waited for, or nil if the commit has begun.
  private func begin(_ turn: Turn, _ delay: Delay) throws(SuiteError) -> JournalLock? {
    try state.withLock { state throws(SuiteError) in
      // Which may be somebody's who waits until the file can be watched or read again.
      state.turn = turn
      let problem: SuiteError
      do throws(SuiteError) {
        if let obstacle = try lockJournal(&state) {
          switch delay {
          // It is released when everything is stored. Why the others wait was said.
          case .behind where !state.backlog.isEmpty:
            ExitFlush.keep(table)
            return nil
          case .late(let reason) where turn.commitment == .blind:
            ExitFlush.keep(table)
            problem = reason
          case .none, .behind, .late:
            state.turn = nil
            return obstacle
          }
        } else {
          state.turn?.isLocked = true
          try prepare(&state)
          return nil
        }
      } catch {
        problem = error
      }
      // A process that may not write can't have a part in what others commit.
      let lacksRights = state.turn?.isLocked != true && problem.isLackOfRights
      if turn.commitment == .optional || turn.commitment != .blind && !lacksRights {
        release(&state)
        state.turn = nil
        throw problem
      }
      state.fail(problem)
      return nil
    }
  }

  /// With the lock: takes in the file if somebody else wrote it, and stores what waits in memory.
  private func prepare(_ state: inout State) throws(SuiteError) {
    do throws(SuiteError) {
      if state.mustCheckFile { try mergeFile(&state) }
    } catch {
      // The journal takes changes all the same.
      state.problems.append(error)
    }
    do throws(SuiteError) {
      try storeBacklog(&state)
    } catch {
      guard state.turn?.commitment == .compacting, error.isFullDisk else { throw error }
    }
  }

  /// Ends a commit; returns the seconds until a snapshot is to be written, if one has to be
  /// scheduled.
  private func end(noting problems: inout [SuiteError]) -> Double? {
    state.withLock { state in
      release(&state)
      state.turn = nil
      problems += state.problems
      state.problems = []
      return nextDelay(&state)
    }
  }

  private func release(_ state: inout State) {
    guard state.turn?.isLocked == true else { return }
    state.turn?.isLocked = false
    state.journal?.lock.giveBack()
  }

  /// Runs the body with the journal's lock and everything that others did. Throws what prevents
  /// that, and what the body throws.
  func withJournal<Result>(
    _ commitment: Commitment = .exact, within patience: Duration? = nil,
    _ body: (inout State) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    var result: Result?
    var problems: [SuiteError] = []
    // The caller may hold the lock of snapshots.
    defer { table.support.reportLater(problems) }
    try inTurn(commitment, within: patience, noting: &problems) { () throws(SuiteError) in
      result = try state.withLock { state throws(SuiteError) in
        // Without the right to write, an exact commit is made in memory.
        guard state.turn?.isLocked == true else { throw state.problems.popLast() ?? lateness }
        return try body(&state)
      }
    }
    guard let result else { fatalError("a commit to \(file.path) didn't run") }
    return result
  }

  /// Stores what waits in memory as soon as the lock is there, and says what prevents it.
  func storeBacklogIfAny() {
    attempt { () throws(SuiteError) in
      try withJournal { _ throws(SuiteError) in }
    }
  }

  /// What is thrown, or reported, where another process has the lock for too long.
  private var lateness: SuiteError {
    SuiteError(
      .locked,
      "Another process holds the lock of the journal. What is set waits in memory and is stored as "
        + "soon as that process gives the lock back, or ends; what stands on what is stored was "
        + "not done. Find out why that process doesn't go on",
      path: journalPlace.path)
  }
}
