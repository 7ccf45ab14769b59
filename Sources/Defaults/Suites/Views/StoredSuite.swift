import Synchronization

extension Defaults {
  /// A suite that keeps its entries in memory and lets a ``Store`` load and save them.
  ///
  /// Reads, transactions and observation are here, once for all. A change is saved in the
  /// background as soon as no other save is running; what changes meanwhile goes into the next one.
  /// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
  /// change, with ``Suite/flush()``, and at normal exit.
  public final class StoredSuite: ClosedAtExit {
    let table: EntryTable
    let persistence: any Persistence
    /// What the entries are derived by, if they are.
    let derived: (any DerivedPersistence)?
    /// What wants to know the keys of the suite, if anything does.
    let keyed: (any KeyedPersistence)?
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
    @_documentation(visibility: internal)
    public var storage: StoredSuite { self }

    /// Stores what can be stored without waiting for a commit: `exit` may have been called in the
    /// middle of one. What is in a journal is found there by the next opener.
    func close() {
      if Forking.isChild { return }
      persistence.close()
      deliver()
    }

    /// Calls the handlers of what was committed; no lock is held.
    func deliver() {
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

  /// What a transaction that begins now sees.
  func freeze() -> any DerivedSnapshot
}
