import Synchronization

extension Defaults {
  /// A suite that keeps its entries in memory and lets a ``Store`` load and save them.
  ///
  /// Reads, transactions and observation are here, once for all. A change is saved in the
  /// background as soon as no other save is running; what changes meanwhile goes into the next one.
  /// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
  /// change, with ``Suite/flush()``, and at normal exit.
  public final class StoredSuite: StoredSuiteView, ClosedAtExit {
    let table: EntryTable
    let persistence: any Persistence
    /// What the entries are derived by, if they are.
    let derived: (any DerivedPersistence)?
    /// What wants to know the keys of the suite, if anything does.
    let keyed: (any KeyedPersistence)?
    /// Where drafts note what a commit depends on, if others may commit beside it.
    let dependencies: Dependencies?
    /// The entries that a commit changes: its own, or those that they are derived from.
    let target: EntryTable
    /// Whether the entries end with the process, so that a forked child has its own.
    let isInMemory: Bool

    /// Whether keys of the program's suite read here; set before there are cells.
    let isOfProgram = Atomic(false)

    /// A suite on a store, with what it loads now. Throws what the store throws: unreadable is not
    /// empty. `onIssue` takes the suite's issues in place of ``Defaults/issueHandler``.
    public convenience init(
      _ store: some Store, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let entries: [String: PropertyListValue]
      do {
        entries = try store.withExclusiveAccess { try store.load() }
      } catch {
        throw SuiteError(wrapping: error, .unreadable, suite: store.label)
      }
      let table = EntryTable(entries, SuiteSupport(label: store.label, onIssue: onIssue))
      let persistence = GroupCommit(store, table)
      self.init(table, persistence)
      persistence.watch()
    }

    /// A suite of a persistence that wants to know its keys.
    package convenience init(_ table: EntryTable, keyed persistence: any KeyedPersistence) {
      self.init(table, persistence, keyed: persistence)
    }

    init(
      _ table: EntryTable, _ persistence: any Persistence,
      derived: (any DerivedPersistence)? = nil, keyed: (any KeyedPersistence)? = nil
    ) {
      self.table = table
      self.persistence = persistence
      self.derived = derived
      self.keyed = derived ?? keyed
      dependencies = persistence.dependencies
      target = derived?.base.target ?? table
      isInMemory = persistence.health == .inMemory
      if !isInMemory, !Forking.isChild { ExitFlush.register(self) }
    }

    deinit {
      close()
      ExitFlush.forget(table)
    }

    /// The path of the file that the entries are kept in; nil if they aren't kept in a file.
    package var filePath: String? { (try? persistence.files)?.first?.path }

    /// How the file is, and how the suite got its entries.
    package var health: Health { persistence.health }

    /// Itself.
    public var storage: StoredSuite { self }

    /// Stores what can be stored without waiting for a transaction: `exit` may have been called
    /// inside of one, whose draft then doesn't count. What is in a journal is found there by the
    /// next opener.
    func close() {
      if Forking.isChild { return }
      do throws(SuiteError) {
        // An exit inside of the suite's own transaction doesn't wait: the lock isn't free.
        let isInside = TransactionScope.isRunning(of: target)
        let wait =
          try isInside ? nil : TransactionScope.beginWait(for: target, label, toBe: "closed")
        defer { wait?.endWait() }
        persistence.close()
      } catch {
        table.support.report(error)
      }
      deliver()
    }

    /// Calls the handlers of what was committed; no lock is held.
    fileprivate func deliver() {
      table.support.deliver()
      if target !== table { target.support.deliver() }
    }
  }
}

/// What a suite with derived entries does besides keeping them.
protocol DerivedPersistence: KeyedPersistence {
  /// Where commits go.
  var base: Defaults.StoredSuite { get }

  /// The suites besides the base that the entries are derived from.
  var sources: [Defaults.StoredSuite] { get }

  /// Whether an entry under a previous name of a key comes out under the present one.
  var resolvesPreviousNames: Bool { get }

  /// Reads what the sources have now.
  func reload()

  /// The entry of a name when these edits of the base have been made.
  func entry(named name: String, after edits: [String: Edit]) -> PropertyListValue?
}

// MARK: - Commits

extension Defaults.StoredSuite {
  /// Throws `forked` in a forked child, where the entries are the parent's to change.
  ///
  /// Called before any lock is taken, which a thread that the child lacks may have; and after a
  /// body, which may have forked.
  func checkProcess() throws(SuiteError) {
    guard !isInMemory, Forking.isChild else { return }
    persistence.leaveParent()
    try SuiteError.checkProcess(of: label)
  }

  /// Runs the body on a draft, while nobody else commits, and commits what it changed.
  func commit<Result>(
    _ commitment: Commitment, within patience: Duration? = nil,
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    let scope = TransactionScope(of: ObjectIdentifier(target), label)
    defer { scope.end() }
    var outcome: Swift.Result<Result, any Error>?
    try commit(commitment, within: patience, of: nil) { () throws(SuiteError) in
      var draft = Defaults.Draft(of: self)
      draft.dependencies = dependencies
      outcome = Swift.Result { try scope.run { try body(&draft) } }
      // The body may have forked, and this be the child.
      try checkProcess()
      guard case .success = outcome else { return [] }
      return changes(draft.edits)
    }
    guard let outcome else { fatalError("a commit to \(escaped(label)) neither ran nor threw") }
    return try outcome.get()
  }

  /// Makes one edit, which doesn't depend on what is committed.
  func commit(_ edit: Edit, named name: String) throws(SuiteError) {
    do throws(SuiteError) {
      try commit(.blind, within: nil, of: name) {
        changes(CollectionOfOne((key: name, value: edit)))
      }
    } catch {
      throw error.about(key: name, suite: label)
    }
  }

  /// The changes that edits would make to what is committed now.
  private func changes(
    _ edits: some Collection<(key: String, value: Edit)>
  ) -> [EntryTable.Change] {
    let changes = target.changes(edits)
    if let dependencies, changes.count < edits.count {
      dependencies.noteConfirmed(Set(edits.map(\.key)).subtracting(changes.map(\.name)))
    }
    return changes
  }

  /// Runs a body that waits for the suite's writers, then calls the handlers of what it committed,
  /// also if it throws. Throws `deadlock` if the writers wait for this thread; ends the program in a
  /// transaction of the suite itself, which `deed` is the verb for.
  func waiting(
    toBe deed: String, _ body: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    try checkProcess()
    let wait = try TransactionScope.beginWait(for: target, label, toBe: deed)
    defer {
      wait?.endWait()
      deliver()
    }
    try body()
  }

  /// Stores what was committed, when the transaction that is running has ended.
  func store(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    table.writer.withLock { _ in }
    do throws(SuiteError) {
      try persistence.flush(extent)
    } catch {
      // The caller knows now; the next attempt in the background needn't say it again.
      support.countAsReported(error)
      throw error
    }
  }

  /// Commits the changes that the body returns, which runs while nobody else commits; then calls
  /// the handlers, without any lock.
  fileprivate func commit(
    _ commitment: Commitment, within patience: Duration?, of name: String?,
    _ body: () throws(SuiteError) -> [EntryTable.Change]
  ) throws(SuiteError) {
    try checkProcess()
    // Also if this throws: what others have committed may have been taken in.
    defer { deliver() }
    let wait = try TransactionScope.beginWait(
      for: target, label, toBe: "written" + (name.map { " (\"\($0)\")" } ?? ""))
    defer { wait?.endWait() }
    try persistence.commit(commitment, within: patience) { () throws(SuiteError) in
      wait?.endWait()
      return try body()
    }
  }
}
