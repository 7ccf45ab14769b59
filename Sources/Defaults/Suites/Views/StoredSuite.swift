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
    package var filePath: String? { (try? persistence.files)?.first?.path }

    package var health: Health { persistence.health }

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
