import Synchronization

extension Defaults {
  /// A suite that keeps its entries in memory, and loads and saves them with a ``Store``.
  ///
  /// It implements reads, transactions and observation. Changes are saved in the background, one
  /// save at a time. Changes that are made during a save are stored together by the next save.
  /// After a failed save, the entries in memory stay as they are and an issue is reported. The save
  /// is retried with the next change, with ``Suite/flush()``, and at normal exit.
  ///
  /// If several processes write the store, updates and transactions are atomic in this process, but
  /// may overwrite another process's change of the same setting.
  public final class StoredSuite: StoredSuiteView, ClosedAtExit {
    let table: EntryTable
    package let persistence: any Persistence
    package let derived: (any DerivedPersistence)?
    /// The entries that a commit changes: the suite's own entries, or the entries from which they
    /// are derived.
    let target: EntryTable
    /// Whether the entries are lost when the process ends. A forked child then has its own copy.
    let isInMemory: Bool

    /// Whether keys of the program's suite read this one. Set before there are cells.
    let isOfProgram = Atomic(false)

    /// Creates a suite with the entries that the store loads now.
    ///
    /// - Parameters:
    ///   - store: The store, which also receives all changes.
    ///   - onIssue: Replaces ``Defaults/issueHandler`` for the suite's issues.
    /// - Throws: The store's error. A store that can't be read is never treated as empty.
    public convenience init(
      _ store: some Store, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let table = EntryTable(try store.loaded(), SuiteSupport(label: store.label, onIssue: onIssue))
      let persistence = GroupCommit(store, table)
      self.init(table, persistence)
      persistence.watch()
    }

    package init(
      _ table: EntryTable, _ persistence: any Persistence,
      derived: (any DerivedPersistence)? = nil
    ) {
      self.table = table
      self.persistence = persistence
      self.derived = derived
      target = derived?.base.target ?? table
      isInMemory = persistence.health == .inMemory
      // The first check, in the parent, is what lets a later check detect a child.
      if !Forking.isChild, !isInMemory { ExitFlush.register(self, of: table) }
    }

    deinit {
      close()
      ExitFlush.forget(table)
    }

    /// The path of the suite's file; nil if the entries aren't stored in a file.
    package var filePath: String? { persistence.files.first?.path }

    /// The suite itself.
    @_documentation(visibility: internal)
    public var storage: StoredSuite { self }

    /// Stores everything that can be stored within a few seconds, since `exit` may have been called
    /// during a commit. Entries in a journal are read by the next process that opens it.
    func close() {
      if Forking.isChild { return }
      persistence.close()
      deliver()
    }

    /// Calls the handlers of committed changes. Call this without a lock.
    func deliver() {
      table.support.deliver()
      if target !== table { target.support.deliver() }
    }

    /// Calls the handlers of changes by other processes or layers, outside of every lock.
    func deliverExternal() {
      table.support.deliverExternal()
      if target !== table { target.support.deliverExternal() }
    }
  }
}

// MARK: - Commits

extension Defaults.StoredSuite {
  /// The number of times that a body runs without a lock before it runs under it.
  private static let runsWithoutLock = 2

  /// Runs the body on a draft and commits its changes.
  ///
  /// See ``Defaults/Suite/transaction(_:)`` for the runs. A body that throws or edits nothing takes
  /// no lock, unless changes of other processes can't be read without it.
  package func commit<Result>(
    _ commitment: Commitment, within timeout: Duration? = nil,
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
        let isUpToDate = persistence.foldWithoutWaiting()
        let isCurrent = isCurrent(run)
        // Before handlers run, which may take long.
        if isUpToDate || !isCurrent { run.snapshot.end() }
        deliver()
        if !isCurrent { continue }
        if isUpToDate { return try run.outcome.get() }
      }
      // Most conflicts are with another thread, and are found here without the locks.
      guard isCurrent(run) else { continue }
      var isCurrent = false
      try commit(commitment, within: timeout, ending: run.snapshot) {
        isCurrent = self.isCurrent(run)
        return isCurrent ? proposal(of: run) : Proposal()
      }
      if isCurrent { return try run.outcome.get() }
    }
    // Each run conflicted with another commit, so the body now runs under the locks.
    var outcome: Swift.Result<Result, any Error>?
    try commit(commitment, within: timeout) { () throws(SuiteError) in
      let run = scope.holdingLock { self.run(body, in: scope) }
      defer { end(run.snapshot) }
      try checkProcess()
      outcome = run.outcome
      return proposal(of: run)
    }
    guard let outcome else { fatalError("A commit to \(escaped(label)) neither ran nor threw.") }
    return try outcome.get()
  }

  /// Ends the snapshot of a run, except in a child that the body forked: the table's lock may be
  /// held by a thread that only the parent has.
  private func end(_ snapshot: Snapshot) { if isInMemory || !Forking.isChild { snapshot.end() } }

  /// One run of a transaction's body.
  private struct Run<Result> {
    let snapshot: Snapshot
    let derivation: (any DerivedSnapshot)?
    let edits: [String: Edit]
    let outcome: Swift.Result<Result, any Error>

    var isFailure: Bool { if case .failure = outcome { true } else { false } }
  }

  /// Returns whether everything that a run read is unchanged.
  private func isCurrent(_ run: Run<some Any>) -> Bool {
    run.derivation?.isCurrent != false && run.snapshot.isCurrent
      || persistence.files.first?.fileSystem.omits(rule: .namesRead) == true
  }

  private func run<Result>(
    _ body: (inout Defaults.Draft) throws -> Result, in scope: TransactionScope
  ) -> Run<Result> {
    let (snapshot, derivation) = (Snapshot(of: target), derived?.freeze())
    var draft = Defaults.Draft(of: self, on: snapshot, by: derivation)
    let outcome = Swift.Result { try scope.run { try body(&draft) } }
    return Run(snapshot: snapshot, derivation: derivation, edits: draft.edits, outcome: outcome)
  }

  /// Commits one edit that doesn't depend on the committed entries.
  func commit(_ edit: Edit, named name: String) throws(SuiteError) {
    do throws(SuiteError) {
      try commit(.blind, within: nil, of: name) {
        // Read here, since another process may have chosen another profile.
        let name = storedName(of: name)
        guard let change = target.change(edit, named: name) else {
          return Proposal(confirmed: [name])
        }
        return Proposal(changes: [change])
      }
    } catch {
      throw error.about(key: name, suite: label)
    }
  }

  /// Returns the name under which the entry of a setting is stored.
  package func storedName(of name: String) -> String {
    derived.map { Defaults.storedName(of: name, after: $0.storedPrefix) } ?? name
  }

  /// Returns the changes that a run makes to the committed entries; none if its body threw.
  private func proposal(of run: Run<some Any>) -> Proposal {
    if run.isFailure { return Proposal() }
    var proposal = Proposal(changes: target.changes(run.edits), reads: run.snapshot.reads)
    if proposal.changes.count < run.edits.count {
      proposal.confirmed = Set(run.edits.keys).subtracting(proposal.changes.map(\.name))
    }
    return proposal
  }

  /// Commits the changes that the body proposes while no other thread or process commits. Then ends
  /// the snapshot and calls the handlers without a lock.
  private func commit(
    _ commitment: Commitment, within timeout: Duration?, of name: String? = nil,
    ending snapshot: Snapshot? = nil, _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try checkProcess()
    TransactionScope.requireNone(of: target, for: "written" + (name.map { " (\"\($0)\")" } ?? ""))
    // Even after an error, since changes of other processes may have been applied.
    defer {
      snapshot?.end()
      deliver()
    }
    try persistence.commit(commitment, within: timeout, body)
  }
}

extension Defaults.StoredSuite {
  /// Throws `forked` in a forked child, where only the parent may change the entries.
  ///
  /// Called before any lock is taken, since a thread that only the parent has may hold it, and
  /// after the body of a transaction, which may have forked.
  func checkProcess() throws(SuiteError) {
    guard !isInMemory, Forking.isChild else { return }
    persistence.leaveParent()
    try SuiteError.checkProcess(of: label)
  }

  /// Runs a body that changes no entry itself and is forbidden in a transaction of this suite. Then
  /// calls the handlers of changes by other processes, even after an error. In such a transaction,
  /// traps with a message that has the verb `deed`.
  func outsideOfTransactions(
    toBe deed: String, _ body: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    try checkProcess()
    TransactionScope.requireNone(of: target, for: deed)
    defer { deliverExternal() }
    try body()
  }
}

// MARK: - Suites with derived entries

/// The additional functions of a persistence with derived entries.
package protocol DerivedPersistence: Persistence {
  var base: Defaults.StoredSuite { get }

  // As in ``Derivation``, with the entries of the base:
  var sources: [Defaults.StoredSuite] { get }
  var resolvesPreviousNames: Bool { get }
  var storedPrefix: String { get }
  var placesForSetting: [String] { get }
  func problems(declaring keys: [any DeclaredKey]) -> [SuiteError]
  func reload()

  /// Returns the derivation for a transaction that begins now.
  func freeze() -> any DerivedSnapshot
}
