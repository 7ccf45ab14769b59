import Foundation

/// Making a commit under the lock of the log, or in memory until the lock is available.
extension FileStore {
  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try options.format.validate(value, named: name)
    // The comparison avoids a copy of the format in each set.
    if options.custom != nil { try options.custom?.validate(value, named: name) }
    guard name.utf8.count + value.encodedSize <= Defaults.SizeLimit.value else {
      throw SuiteError(
        .unrepresentable,
        "The value takes more than \(Defaults.SizeLimit.value >> 20) MiB, the limit of a suite. "
          + "Keep it in a separate file, and store its path",
        path: self.file.path)
    }
  }

  package func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    if options.isReadOnly {
      throw SuiteError(
        .unwritable, "The suite was opened with `readOnly: true`, so nothing was changed",
        path: file.path)
    }
    try withCommitLocks(commitment, within: timeout, proposing: body) {
      state, proposal throws(SuiteError) in
      try state.record(proposal, for: commitment)
      if state.isLocked, !proposal.changes.isEmpty {
        checksSinceCommit.store(-1, ordering: .relaxed)
      }
    }
  }

  /// Runs the body under the lock of the log, after folding all records of other processes. Throws
  /// if that fails or the body throws.
  func withLog<Result>(
    _ commitment: Commitment = .exact, within timeout: Duration? = nil,
    _ body: (inout FileState) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    // A handler of issues may have forked since the suite checked this.
    try SuiteError.checkProcess(of: file.path)
    return try withCommitLocks(commitment, within: timeout, proposing: {}) {
      state, _ throws(SuiteError) in
      try body(&state)
    }
  }

  /// Makes a commit without changes of its own: it folds the records of other processes, stores the
  /// waiting changes, and merges an external edit.
  func commitNothing(_ commitment: Commitment, within timeout: Duration? = nil) throws(SuiteError) {
    try withLog(commitment, within: timeout) { _ throws(SuiteError) in }
  }

  /// Runs `propose`, and then `record` with its result, while no other thread commits. No other
  /// process commits either, unless the commit began in memory. `propose` runs without the lock of
  /// the state, since the body of a transaction may take long.
  private func withCommitLocks<Proposed, Result>(
    _ commitment: Commitment, within timeout: Duration?,
    proposing propose: () throws(SuiteError) -> Proposed,
    _ record: (inout FileState, Proposed) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    var deadline: UInt64?
    var attempts = 0
    while true {
      let hasTimedOut = deadline.map { MonotonicClock.now >= $0 } ?? false
      let result = try table.withWriter { () throws(SuiteError) -> Result? in
        let hasBegun = try state.withLock { state throws(SuiteError) in
          try state.begin(commitment, hasTimedOut: hasTimedOut)
        }
        guard hasBegun else { return nil }
        // This throws only in a forked child, which must not release its parent's lock. Other
        // errors of a transaction's body are a part of the result.
        let proposed = try propose()
        return try state.withLock { state throws(SuiteError) -> Result in
          defer {
            state.unlockLog()
            if let time = state.armExport() { scheduleExport(at: time) }
          }
          return try record(&state, proposed)
        }
      }
      if let result {
        if hasTimedOut, options.isAutomatic, state.withLock({ !$0.waiting.isEmpty }) {
          // Once the other process releases the lock. If that takes too long, the exports do it.
          folding.perform { [weak self] in
            self?.table.support.attempt { () throws(SuiteError) in
              try self?.commitNothing(.exact)
            }
          }
        }
        return result
      }
      // Wait for the other process without a lock. This process counts as busy meanwhile, too.
      // Otherwise each commit of another process would wake the watcher.
      checksSinceCommit.store(-1, ordering: .relaxed)
      let end = deadline ?? self.deadline(for: commitment, within: timeout)
      deadline = end
      attempts += 1
      // The next log may be deleted, too, so look often.
      if state.withLock({ $0.awaitedLog != nil }) { attempts = min(attempts, 4) }
      nap(after: attempts, until: end)
    }
  }

  private func deadline(for commitment: Commitment, within timeout: Duration?) -> UInt64 {
    // If everything runs on one thread, no other thread could release the lock meanwhile.
    guard options.isAutomatic else { return 0 }
    let usual = commitment == .blind ? options.timeouts.setter : options.timeouts.exact
    var timeout = timeout ?? usual
    // The process that holds this lock may wait for the lock that this thread holds.
    if TransactionScope.isHoldingLock {
      timeout = min(timeout, .milliseconds(TransactionScope.longestWait))
    }
    return MonotonicClock.now(plus: timeout)
  }

  /// Sleeps before the next attempt to take the lock: about a tenth of a millisecond at first, and
  /// ten milliseconds after many attempts.
  ///
  /// A process in the system's queue would get the lock before it has woken up, so that all others
  /// wait. Processes that sleep leave the lock, and their cores, to the running processes.
  private func nap(after attempts: Int, until deadline: UInt64) {
    let now = MonotonicClock.now
    guard now < deadline else { return }
    let length = UInt64.random(in: 25_000...75_000) << UInt64(min(attempts, 8))
    _ = Alarm().wait(until: min(deadline, now + length))
  }
}
