import Foundation

/// Making a commit under the lock of the log, or in memory until the lock is available.
extension FileStore {
  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try options.format.validate(value, named: name)
    guard name.utf8.count + value.encodedSize <= Defaults.SizeLimit.value else {
      throw SuiteError(
        .unrepresentable,
        "The value takes more than \(Defaults.SizeLimit.value >> 20) MiB, the limit of a suite. "
          + "Keep it in a separate file, and store its path",
        path: self.file.path)
    }
  }

  package func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    if options.isReadOnly { throw .openedReadOnly(file.path) }
    var proposal = Proposal()
    try inTurn(
      commitment, within: patience,
      preparing: { () throws(SuiteError) in
        proposal = try body()
      }
    ) { state throws(SuiteError) in
      try state.record(proposal, for: commitment)
      if state.isLocked, !proposal.changes.isEmpty {
        checksSinceCommit.store(-1, ordering: .relaxed)
      }
    }
  }

  /// Runs the body under the lock of the log, after folding all records of other processes. Throws
  /// if that fails or the body throws.
  func withLog<Result>(
    _ commitment: Commitment = .exact, within patience: Duration? = nil,
    _ body: (inout FileState) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    // A handler of issues may have forked since the suite checked this.
    try SuiteError.checkProcess(of: file.path)
    return try inTurn(commitment, within: patience, body)
  }

  /// Runs two bodies while no other thread commits. No other process commits either, unless the
  /// commitment permits it. The first body may take long, since only other commits wait for it.
  private func inTurn<Result>(
    _ commitment: Commitment, within patience: Duration?,
    preparing prepare: () throws(SuiteError) -> Void = {},
    _ body: (inout FileState) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    var deadline: UInt64?
    var naps = 0
    var lateness: SuiteError?
    while true {
      var obstacle: LogLock?
      let result = try table.withWriter { () throws(SuiteError) -> Result? in
        obstacle = try state.withLock { state throws(SuiteError) in
          try state.begin(commitment, lateness)
        }
        if obstacle != nil { return nil }
        // Throws in a forked child, since only the parent may release the lock of the log.
        try prepare()
        return try state.withLock { state throws(SuiteError) -> Result in
          defer {
            state.giveBack()
            if let time = state.armExport() { schedule(at: time) }
          }
          return try body(&state)
        }
      }
      if let result { return result }
      // Wait for the other process without a lock.
      let end = deadline ?? self.deadline(for: commitment, within: patience)
      deadline = end
      naps += 1
      if nap(naps, until: end) { continue }
      if let obstacle { lateness = wait(for: obstacle, until: end) }
      if let lateness, commitment != .blind { throw lateness }
    }
  }

  private func deadline(for commitment: Commitment, within patience: Duration?) -> UInt64 {
    // If everything runs on one thread, no other thread could release the lock meanwhile.
    guard options.isAutomatic else { return 0 }
    let usual = commitment == .blind ? options.patience.setter : options.patience.exact
    var patience = patience ?? usual
    // The process that holds this lock may wait for the lock that this thread holds.
    if TransactionScope.isHoldingLock {
      patience = min(patience, .milliseconds(TransactionScope.longestWait))
    }
    return MonotonicClock.now(plus: patience)
  }

  /// Sleeps before the next attempt to take the lock: a tenth of a millisecond at first, five times
  /// in all. Returns false if it is time to join the system's queue.
  ///
  /// The queue's thread holds the lock until this thread has woken up, so that all others wait.
  /// Processes that sleep leave the lock, and their cores, to the running processes.
  private func nap(_ number: Int, until deadline: UInt64) -> Bool {
    guard number <= 5 else { return false }
    let end = MonotonicClock.now + .random(in: 25_000...75_000) << UInt64(number)
    guard end < deadline else { return false }
    _ = Alarm().wait(until: end)
    return true
  }

  /// Waits until a lock may be free. Returns the reason if the lock stays held or the thread can't
  /// wait.
  private func wait(for lock: LogLock, until deadline: UInt64) -> SuiteError? {
    let lateness = SuiteError.heldJournal(places.journal.path)
    guard options.isAutomatic else { return lateness }
    do throws(SuiteError) {
      let isFree = try lock.wait(until: deadline) { [weak self] in
        // No thread waits anymore. The changes of the threads that waited are in memory.
        self?.table.support.attempt { () throws(SuiteError) in
          try self?.withLog { _ throws(SuiteError) in }
        }
      }
      return isFree ? nil : lateness
    } catch {
      return error
    }
  }
}

extension FileState {
  /// Begins a commit, with the lock or, if permitted, without it.
  ///
  /// - Parameter lateness: The reason why a blind commit stops waiting for the lock.
  /// - Returns: The lock to wait for, or nil if the commit has begun.
  fileprivate mutating func begin(
    _ commitment: Commitment, _ lateness: SuiteError?
  ) throws(SuiteError) -> LogLock? {
    if commitment == .exact { file.mustCheck = true }
    let problem: SuiteError
    do throws(SuiteError) {
      if let obstacle = try lockLog() {
        guard commitment == .blind else { return obstacle }
        // The reason why earlier changes wait was already reported.
        if lateness == nil, !waiting.isEmpty { return nil }
        guard let lateness else { return obstacle }
        problem = lateness
      } else {
        isLocked = true
        try catchUp(for: commitment)
        return nil
      }
    } catch {
      problem = error
    }
    if commitment != .blind {
      let lacksRights = !isLocked && problem.isLackOfRights
      giveBack()
      if !lacksRights { throw problem }
      fileHealth.count(problem)
      // A change in memory would overwrite later commits of other processes once it can be stored.
      throw commitment == .exact ? .changeWithoutRights(because: problem) : problem
    }
    note(problem)
    return nil
  }

  /// Merges an external writer's changes of the property list and stores the waiting changes. The
  /// caller holds the lock.
  fileprivate mutating func catchUp(for commitment: Commitment) throws(SuiteError) {
    do throws(SuiteError) {
      // Other processes must know of a failed sync, which could not be recorded at once.
      if durability.isSuspect, !fold.isDoubted { try append(.doubt) }
      if !waiting.isEmpty { try storeWaiting() }
    } catch {
      guard commitment == .compacting, error.isFullDisk else { throw error }
    }
    do throws(SuiteError) {
      try lookAtFile()
    } catch {
      // An update must not use entries that the external writer changed before, or changes that
      // aren't merged.
      if commitment == .exact, error.code == .unwritable || file.isUnmerged { throw error }
      // The log may still accept changes.
      table.support.reportLater([error])
    }
  }

  fileprivate mutating func giveBack() {
    if isLocked { log?.file.lock.giveBack() }
    isLocked = false
  }
}
