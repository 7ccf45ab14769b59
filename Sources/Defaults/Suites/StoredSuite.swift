import Synchronization

extension Defaults {
  /// A suite that keeps its entries in memory and lets a ``Store`` load and save them.
  ///
  /// Reads, transactions and observation are here, once for all. A change is saved in the
  /// background as soon as no other save is running; what changes meanwhile goes into the next one.
  /// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
  /// change, with ``flush()``, and at normal exit.
  public final class StoredSuite: StoredSuiteView {
    let table: EntryTable
    let persistence: any Persistence

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

    /// A suite in memory.
    convenience init(inMemory entries: [String: PropertyListValue], _ support: SuiteSupport) {
      let table = EntryTable(entries, support)
      self.init(table, NoPersistence(table))
    }

    init(_ table: EntryTable, _ persistence: any Persistence) {
      self.table = table
      self.persistence = persistence
      if persistence.health != .inMemory { ExitFlush.register(self) }
    }

    deinit {
      close()
      ExitFlush.forget(table)
    }
  }
}

// MARK: - Reading

extension Defaults.StoredSuite {
  /// Itself.
  public var storage: Defaults.StoredSuite { self }

  /// Observers, registered defaults and issues.
  public var support: Defaults.SuiteSupport { table.support }

  /// The committed entry of a name.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    table.entry(named: name)
  }

  /// All entries at one instant; costs nothing until the suite is written while they are held, and
  /// a copy while it changes beside a snapshot.
  public var entries: [String: Defaults.PropertyListValue] { table.entries }

  /// Adds defaults, and makes what keys decoded before stale.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    support.register(defaults: defaults)
    table.advanceCells(of: defaults.keys)
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    // Not inside of a transaction, where the first event's handler would run under its lock.
    table.writer.withLock { _ in }
    let observation = table.state.withLock { state in
      support.observe(
        names, options: options, allNames: Set(state.entries.all.keys),
        entry: { state.entries[$0] }, handler)
    }
    support.deliver()
    return observation
  }

  /// Throws if the store can't keep the entry.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try persistence.validate(value, named: name)
  }

  /// The cell of a name, which keys read by.
  func cell(named name: String) -> Cell {
    table.cell(named: name)
  }
}

// MARK: - Writing

extension Defaults.StoredSuite {
  /// Runs the body on a draft and commits it; see the protocol.
  @discardableResult
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try commit(.exact, body)
  }

  /// Makes edits that stand on nothing; see the protocol.
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    do {
      try commit(.blind, body)
    } catch {
      support.report(Defaults.SuiteError(wrapping: error, .unwritable, suite: label))
    }
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    do throws(Defaults.SuiteError) {
      try commit(.blind, within: nil) { table.changes(CollectionOfOne((key: name, value: edit))) }
    } catch {
      support.report(error.about(key: name, suite: label))
    }
  }

  func commit<Result>(
    _ commitment: Commitment, within patience: Duration? = nil,
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    let scope = TransactionScope(of: self)
    defer { scope.end() }
    var outcome: Swift.Result<Result, any Error>?
    try commit(commitment, within: patience) {
      var draft = Defaults.Draft(of: self)
      outcome = Swift.Result { try scope.run { try body(&draft) } }
      guard case .success = outcome else { return [] }
      return table.changes(draft.edits)
    }
    // It always runs where nothing is thrown.
    guard let outcome else { fatalError("a transaction of \(label) didn't run") }
    return try outcome.get()
  }

  /// Commits the changes that the body returns, which runs while nobody else commits; then calls
  /// the handlers, without any lock.
  private func commit(
    _ commitment: Commitment, within patience: Duration?, _ body: () -> [EntryTable.Change]
  ) throws(Defaults.SuiteError) {
    // Also if it throws: others may have committed.
    defer { support.deliver() }
    // A thread that is in a transaction of another suite may be what its holder waits for.
    let wait = try NestedWaits.begin(waitingFor: ObjectIdentifier(self), label)
    defer { wait.end() }
    try persistence.commit(commitment, within: patience) {
      wait.end()
      return body()
    }
  }
}

// MARK: - Other processes, and the disk

extension Defaults.StoredSuite {
  /// Takes in what other processes have committed; see the protocol. With news it waits for a
  /// transaction that is running.
  public func refresh() throws(Defaults.SuiteError) {
    defer { support.deliver() }
    try persistence.refresh()
  }

  /// Stores everything that was changed before the call; see the protocol. Without changes it costs
  /// some locks.
  public func flush() throws(Defaults.SuiteError) {
    try flush(.durable)
  }

  /// Stores everything that was changed before the call, as far as that is asked for.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    // Waits for a transaction that is running, and traps inside of one.
    table.writer.withLock { _ in }
    defer { support.deliver() }
    do throws(Defaults.SuiteError) {
      try persistence.flush(extent)
    } catch {
      // The caller knows now; the next attempt in the background needn't say it again.
      support.countAsReported(error)
      throw error
    }
  }

  /// Stores what can be stored without waiting for a transaction, at normal exit: `exit` may have
  /// been called inside of one, whose draft then doesn't count.
  func close() {
    persistence.close()
    support.deliver()
  }
}
