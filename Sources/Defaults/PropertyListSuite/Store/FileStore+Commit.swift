import Foundation

/// Making one commit: with the lock of the log, or in memory until that can be had.
extension FileStore {
  func requireWritable() throws(SuiteError) {
    if options.isReadOnly { throw .openedReadOnly(file.path) }
  }

  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try requireWritable()
    try options.format.validateForFile(value, named: name, path: self.file.path)
  }

  package func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try requireWritable()
    var problems: [SuiteError] = []
    defer {
      // No lock is held: what failed is reported before the caller goes on.
      for problem in problems { table.support.report(problem) }
      foldIfOverdue()
    }
    var proposal = Proposal()
    try inTurn(
      commitment, within: patience, &problems,
      preparing: { () throws(SuiteError) in
        proposal = try body()
      }
    ) { state throws(SuiteError) in
      try state.record(proposal)
      guard !proposal.changes.isEmpty else { return }
      table.commit(proposal.changes)
      hasCommitted.store(true, ordering: .relaxed)
    }
  }

  /// Does something that no caller waits for, and reports what it throws.
  func attempt(_ body: () throws(SuiteError) -> Void) {
    do throws(SuiteError) {
      try body()
    } catch {
      table.support.report(error)
    }
    table.support.deliverExternal()
    foldIfOverdue()
  }

  /// Folds what other processes appended while the writer lock was held here; no lock is.
  func foldIfOverdue() {
    if isOverdue.load(ordering: .sequentiallyConsistent) { _ = lookIfOverdue(mayWait: true) }
  }

  /// Runs the body with the lock of the log, when everything that other processes appended is folded.
  /// Throws what prevents that, and what the body throws.
  func withLog<Result>(
    _ commitment: Commitment = .exact, within patience: Duration? = nil,
    _ body: (inout FileState) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    try checkProcess()
    var result: Result?
    var problems: [SuiteError] = []
    // The caller may hold the lock of exports.
    defer { table.support.reportLater(problems) }
    try inTurn(commitment, within: patience, &problems) { state throws(SuiteError) in
      result = try body(&state)
    }
    guard let result else { fatalError("a commit to \(escaped(file.path)) didn't run") }
    return result
  }

  /// Runs two bodies while no other thread commits, and no other process unless the commitment does
  /// without. The first one may take long; only other commits wait for it. Adds what fails and isn't
  /// thrown to the problems, to be reported when the caller holds no lock.
  private func inTurn(
    _ commitment: Commitment, within patience: Duration?, _ problems: inout [SuiteError],
    preparing prepare: () throws(SuiteError) -> Void = {},
    _ body: (inout FileState) throws(SuiteError) -> Void
  ) throws(SuiteError) {
    var deadline: UInt64?
    var delay = Delay.none
    var timer: UInt64?
    // No lock is held while the timer is started, either.
    defer { if let timer { schedule(at: timer) } }
    while true {
      let obstacle = try table.withWriter { () throws(SuiteError) -> LogLock? in
        let obstacle = try state.withLock { state throws(SuiteError) in
          do throws(SuiteError) {
            return try state.begin(commitment, unless: delay)
          } catch {
            problems += state.fileHealth.takeProblems()
            throw error
          }
        }
        if let obstacle { return obstacle }
        // Throws in a forked child: the lock of the log is the parent's to give back.
        try prepare()
        try state.withLock { state throws(SuiteError) in
          defer {
            state.giveBack()
            problems += state.fileHealth.takeProblems()
            timer = state.armExport()
          }
          try body(&state)
        }
        return nil
      }
      guard let obstacle else { break }
      // No lock is held while another process is waited for. Where earlier changes wait in memory,
      // so does this one: not every change waits in vain for itself.
      let isBehind =
        commitment == .blind && deadline == nil && state.withLock { !$0.waiting.isEmpty }
      if !isBehind { deadline = deadline ?? self.deadline(for: commitment, within: patience) }
      let problem = wait(for: obstacle, until: deadline ?? 0)
      if let problem, commitment != .blind { throw problem }
      delay = problem.map { isBehind ? .behind : .late($0) } ?? .none
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
  fileprivate enum Delay {
    case none
    /// Earlier changes wait in memory.
    case behind
    /// The time is over, or the system can't wait, for this reason.
    case late(SuiteError)
  }

  private func deadline(for commitment: Commitment, within patience: Duration?) -> UInt64 {
    // Where everything is on one thread, no other one could give the lock back meanwhile.
    guard options.isAutomatic else { return 0 }
    let usual = commitment == .blind ? options.patience.setter : options.patience.exact
    var patience = patience ?? usual
    // The process that has this lock may wait for the one that this thread has.
    if TransactionScope.isHoldingLock {
      patience = min(patience, .milliseconds(TransactionScope.longestWait))
    }
    return MonotonicClock.now(plus: patience)
  }

  /// Waits until a lock may be free; returns why it isn't, or can't be waited for.
  private func wait(for lock: LogLock, until deadline: UInt64) -> SuiteError? {
    let lateness = SuiteError.heldJournal(places.journal.path)
    guard options.isAutomatic else { return lateness }
    do throws(SuiteError) {
      let isFree = try lock.wait(until: deadline) { [weak self] in
        // No thread waits anymore, and what was set meanwhile is in memory.
        self?.storeWaiting()
      }
      return isFree ? nil : lateness
    } catch {
      return error
    }
  }

  /// Stores what waits in memory as soon as the lock is there, and reports what prevents it.
  private func storeWaiting() {
    attempt { () throws(SuiteError) in try withLog { _ throws(SuiteError) -> Void in } }
  }
}

extension FileState {
  /// Begins a commit with the lock, or without where that does; returns the lock that has to be
  /// waited for, or nil if the commit has begun.
  fileprivate mutating func begin(
    _ commitment: Commitment, unless delay: FileStore.Delay
  ) throws(SuiteError) -> LogLock? {
    turn = Turn(commitment: commitment)
    // The watcher may not have seen an external change that this commit depends on.
    if commitment == .exact { file.mustCheck = true }
    let problem: SuiteError
    do throws(SuiteError) {
      if let obstacle = try lockLog() {
        switch delay {
        // Why the earlier ones wait was reported.
        case .behind where !waiting.isEmpty: return nil
        case .late(let reason) where commitment == .blind: problem = reason
        case .none, .behind, .late:
          turn = nil
          return obstacle
        }
      } else {
        turn?.isLocked = true
        try catchUp()
        return nil
      }
    } catch {
      problem = error
    }
    if commitment != .blind {
      let lacksRights = turn?.isLocked != true && problem.isLackOfRights
      giveBack()
      if commitment == .optional || !lacksRights { throw problem }
      fileHealth.count(problem)
      // Made in memory, it would overwrite what other processes commit until the rights are back.
      throw commitment == .exact ? .changeWithoutRights(because: problem) : problem
    }
    fileHealth.add(problem)
    return nil
  }

  /// With the lock: merges the property list if an external writer changed it, and stores what waits
  /// in memory.
  fileprivate mutating func catchUp() throws(SuiteError) {
    do throws(SuiteError) {
      if !waiting.isEmpty { try storeWaiting() }
    } catch {
      guard turn?.commitment == .compacting, error.isFullDisk else { throw error }
    }
    do throws(SuiteError) {
      try lookAtFile()
    } catch {
      // The log takes changes all the same.
      fileHealth.problems.append(error)
    }
  }

  fileprivate mutating func giveBack() {
    if turn?.isLocked == true { log?.file.lock.giveBack() }
    turn = nil
  }
}
