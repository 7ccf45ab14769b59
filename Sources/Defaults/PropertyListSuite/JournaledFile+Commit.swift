import Foundation

/// Making one commit: with the lock of the journal, or in memory until that can be had.
extension JournaledFile {
  func requireWritable() throws(SuiteError) {
    if isReadOnly { throw .openedReadOnly(file.path) }
  }

  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try requireWritable()
    try format.validateForFile(value, named: name, path: file.path)
  }

  package func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> [EntryTable.Change]
  ) throws(SuiteError) {
    try requireWritable()
    var problems: [SuiteError] = []
    defer {
      // No lock is held: what went wrong here is reported before the setter returns.
      for problem in problems { table.support.report(problem) }
      takeInIfOverdue()
    }
    var changes: [EntryTable.Change] = []
    try inTurn(
      commitment, within: patience, noting: &problems,
      preparing: { () throws(SuiteError) in
        changes = try body()
      }
    ) { state throws(SuiteError) in
      guard !changes.isEmpty else { return }
      try record(changes, &state)
      table.commit(changes)
    }
  }

  /// Takes in what others did while the writer lock was held here; no lock is.
  func takeInIfOverdue() {
    if isOverdue.load(ordering: .sequentiallyConsistent) { _ = lookIfOverdue(mayWait: true) }
  }

  /// Runs the body with the journal's lock and everything that others did. Throws what prevents
  /// that, and what the body throws.
  func withJournal<Result>(
    _ commitment: Commitment = .exact, within patience: Duration? = nil,
    _ body: (inout State) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    try checkProcess()
    var result: Result?
    var problems: [SuiteError] = []
    // The caller may hold the lock of snapshots.
    defer { table.support.reportLater(problems) }
    try inTurn(commitment, within: patience, noting: &problems) { state throws(SuiteError) in
      result = try body(&state)
    }
    guard let result else { fatalError("a commit to \(escaped(file.path)) didn't run") }
    return result
  }

  /// Runs two bodies while nobody else commits: with the writer lock, and the journal's too unless
  /// the commitment does without. The first one may take its time, and nothing waits for it but
  /// other commits. Notes what went wrong and isn't thrown, for the time when the caller holds no
  /// lock.
  private func inTurn(
    _ commitment: Commitment, within patience: Duration?, noting problems: inout [SuiteError],
    preparing prepare: () throws(SuiteError) -> Void = {},
    _ body: (inout State) throws(SuiteError) -> Void
  ) throws(SuiteError) {
    let turn = Turn(commitment: commitment, began: MonotonicClock.now, isLocked: false)
    var deadline: UInt64?
    var delayed = Delay.none
    var timer: UInt64?
    // No lock is held while the timer is started, either.
    defer { if let timer { schedule(at: timer) } }
    while true {
      let obstacle = try table.writer.withLock { _ throws(SuiteError) -> JournalLock? in
        let obstacle = try state.withLock { state throws(SuiteError) in
          try begin(turn, delayed, &state)
        }
        if let obstacle { return obstacle }
        // Throws in a forked child: the journal's lock is the parent's to give back.
        try prepare()
        try state.withLock { state throws(SuiteError) in
          defer { timer = end(&state, noting: &problems) }
          try body(&state)
        }
        return nil
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

  private func checkProcess() throws(SuiteError) {
    do throws(SuiteError) {
      try SuiteError.checkProcess(of: file.path)
    } catch {
      leaveParent()
      throw error
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
      let isFree = try lock.wait(until: deadline) { [weak self] in
        // Everybody has given up waiting, and what was set meanwhile is in memory.
        self?.storeBacklogIfAny()
      }
      return isFree ? nil : lateness
    } catch {
      return error
    }
  }

  /// Begins a commit with the lock, or without where that does; returns the lock that has to be
  /// waited for, or nil if the commit has begun.
  private func begin(
    _ turn: Turn, _ delay: Delay, _ state: inout State
  ) throws(SuiteError) -> JournalLock? {
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
        try takeInBeforehand(&state)
        return nil
      }
    } catch {
      problem = error
    }
    if turn.commitment != .blind {
      let lacksRights = state.turn?.isLocked != true && problem.isLackOfRights
      giveBack(&state)
      if turn.commitment == .optional || !lacksRights { throw problem }
      state.trouble.count(problem)
      // Made in memory, it would overwrite what other processes commit until the rights are back.
      throw turn.commitment == .exact ? .changeWithoutRights(because: problem) : problem
    }
    state.trouble.add(problem)
    return nil
  }

  /// With the lock: takes in the file if somebody else wrote it, and stores what waits in memory.
  private func takeInBeforehand(_ state: inout State) throws(SuiteError) {
    do throws(SuiteError) {
      if state.file.mustCheck { try mergeFile(&state) }
    } catch {
      // The journal takes changes all the same.
      state.trouble.problems.append(error)
    }
    guard !state.backlog.isEmpty else { return }
    do throws(SuiteError) {
      try storeBacklog(&state)
    } catch {
      guard state.turn?.commitment == .compacting, error.isFullDisk else { throw error }
    }
  }

  /// Ends a commit; returns the deadline of the next snapshot, if its timer has to be started.
  private func end(_ state: inout State, noting problems: inout [SuiteError]) -> UInt64? {
    giveBack(&state)
    problems += state.trouble.problems
    state.trouble.problems = []
    return armSnapshot(&state)
  }

  private func giveBack(_ state: inout State) {
    if state.turn?.isLocked == true { state.journal.file?.lock.giveBack() }
    state.turn = nil
  }

  /// Stores what waits in memory as soon as the lock is there, and says what prevents it.
  func storeBacklogIfAny() {
    attempt { () throws(SuiteError) in try withJournal { _ throws(SuiteError) in } }
  }

  /// What is thrown, or reported, where another process has the lock for too long.
  private var lateness: SuiteError {
    .heldJournal(places.journal.path)
  }
}
