/// Commits of a suite. The bodies of transactions run on a snapshot, and hold no lock.
extension Defaults.StoredSuite {
  /// How often the body of a transaction runs without a lock before it runs with it.
  private static let runsWithoutLock = 2

  /// Runs the body on a draft, and commits what it changed.
  ///
  /// The body runs on a snapshot, without a lock. The commit then takes the locks, and applies what
  /// other threads and processes committed meanwhile. If that changed anything that the body read,
  /// nothing is committed, and the body runs again. The third time it runs with the locks, so that a
  /// long body among short ones ends.
  ///
  /// A body that throws, or edits nothing, takes no lock unless there is news that can't be read
  /// without it.
  func commit<Result>(
    _ commitment: Commitment, within patience: Duration? = nil,
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try checkProcess()
    TransactionScope.requireNone(of: target, for: "written")
    let scope = TransactionScope(of: ObjectIdentifier(target), label)
    defer { scope.end() }
    for _ in 0..<Self.runsWithoutLock {
      let run = run(body, in: scope)
      defer { end(run.snapshot) }
      try checkProcess()
      if run.edits.isEmpty || run.isFailure {
        let isUpToDate = persistence.applyNews()
        let isCurrent = isCurrent(run)
        // Before handlers run, which may take long.
        if isUpToDate || !isCurrent { run.snapshot.end() }
        deliver()
        if !isCurrent { continue }
        if isUpToDate { return try run.outcome.get() }
      }
      // Most bodies that were overtaken were so by another thread.
      guard isCurrent(run) else { continue }
      var isCurrent = false
      try commit(commitment, within: patience, ending: run.snapshot) {
        isCurrent = self.isCurrent(run)
        return isCurrent && !run.isFailure ? proposal(run.edits, run.snapshot.reads) : Proposal()
      }
      if isCurrent { return try run.outcome.get() }
    }
    return try commitWithLock(commitment, within: patience, in: scope, body)
  }

  /// Runs the body with the locks, and commits what it changed.
  private func commitWithLock<Result>(
    _ commitment: Commitment, within patience: Duration?, in scope: TransactionScope,
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    var outcome: Swift.Result<Result, any Error>?
    try commit(commitment, within: patience) { () throws(SuiteError) in
      let run = scope.holdingLock { self.run(body, in: scope) }
      defer { end(run.snapshot) }
      try checkProcess()
      outcome = run.outcome
      return run.isFailure ? Proposal() : proposal(run.edits, run.snapshot.reads)
    }
    guard let outcome else { fatalError("a commit to \(escaped(label)) neither ran nor threw") }
    return try outcome.get()
  }

  /// Ends the snapshot of a run. Not in a child that the body forked: a thread of its parent, which the
  /// child lacks, may have the lock that this takes.
  private func end(_ snapshot: Snapshot) {
    if isInMemory || !Forking.isChild { snapshot.end() }
  }

  /// One run of a transaction's body.
  private struct Run<Result> {
    let snapshot: Snapshot
    let derivation: (any DerivedSnapshot)?
    let edits: [String: Edit]
    let outcome: Swift.Result<Result, any Error>

    var isFailure: Bool { if case .failure = outcome { true } else { false } }
  }

  /// Whether everything that a run read is still as it was.
  private func isCurrent(_ run: Run<some Any>) -> Bool {
    run.derivation?.isCurrent != false && run.snapshot.isCurrent
      || persistence.omits(.namesRead)
  }

  private func run<Result>(
    _ body: (inout Defaults.Draft) throws -> Result, in scope: TransactionScope
  ) -> Run<Result> {
    let (snapshot, derivation) = (Snapshot(of: target), derived?.freeze())
    var draft = Defaults.Draft(of: self, on: snapshot, by: derivation)
    let outcome = Swift.Result { try scope.run { try body(&draft) } }
    return Run(
      snapshot: snapshot, derivation: derivation, edits: draft.edits, outcome: outcome)
  }

  /// Makes one edit, which doesn't depend on what is committed.
  func commit(_ edit: Edit, named name: String) throws(SuiteError) {
    do throws(SuiteError) {
      try commit(.blind, within: nil, of: name) {
        proposal(CollectionOfOne((key: name, value: edit)), Snapshot.Reads())
      }
    } catch {
      throw error.about(key: name, suite: label)
    }
  }

  /// What edits would change of what is committed now.
  private func proposal(
    _ edits: some Collection<(key: String, value: Edit)>, _ reads: Snapshot.Reads
  ) -> Proposal {
    var proposal = Proposal(changes: target.changes(edits), reads: reads)
    if proposal.changes.count < edits.count {
      proposal.confirmed = Set(edits.map(\.key)).subtracting(proposal.changes.map(\.name))
    }
    return proposal
  }

  /// Commits the changes that the body proposes, which runs while no other thread or process commits;
  /// then ends the snapshot, and calls the handlers, without a lock.
  private func commit(
    _ commitment: Commitment, within patience: Duration?, of name: String? = nil,
    ending snapshot: Snapshot? = nil, _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try checkProcess()
    TransactionScope.requireNone(
      of: target, for: "written" + (name.map { " (\"\($0)\")" } ?? ""))
    // Also if this throws: what other processes committed may have been applied.
    defer {
      snapshot?.end()
      deliver()
    }
    try persistence.commit(commitment, within: patience, body)
  }
}

extension Defaults.StoredSuite {
  /// Throws `forked` in a forked child, where the entries are the parent's to change.
  ///
  /// Called before any lock is taken, since a thread that the child lacks may have it; and after the
  /// body of a transaction, since that may have forked.
  func checkProcess() throws(SuiteError) {
    guard !isInMemory, Forking.isChild else { return }
    persistence.leaveParent()
    try SuiteError.checkProcess(of: label)
  }

  /// Runs a body that a transaction of this suite must not call, then calls the handlers of what it
  /// committed, also if it throws. Ends the program in such a transaction, where `deed` is the verb of
  /// the message.
  func outsideOfTransactions(
    toBe deed: String, _ body: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    try checkProcess()
    TransactionScope.requireNone(of: target, for: deed)
    defer { deliver() }
    try body()
  }

  /// Stores what was committed.
  func store(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    do throws(SuiteError) {
      try persistence.flush(extent)
    } catch {
      // The caller gets the error; the next attempt in the background need not report it again.
      table.support.countAsReported(error)
      throw error
    }
  }
}
