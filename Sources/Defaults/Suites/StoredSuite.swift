import Synchronization

extension Defaults {
  /// A suite that keeps its entries in memory and lets a ``Store`` load and save them.
  ///
  /// Reads, transactions and observation are here, once for all. A change is saved in the
  /// background as soon as no other save is running; what changes meanwhile goes into the next one.
  /// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
  /// change, with ``flush()``, and at normal exit.
  public final class StoredSuite: StoredSuiteView {
    /// Observers, registered defaults and issues.
    public let support: SuiteSupport

    struct State {
      var entries: Entries
      /// The names that keys have asked for.
      var cells: [String: Cell] = [:]
    }

    /// nil for a suite in memory.
    let persistence: (any Persistence)?
    let state: Lock<State>
    /// Held while a transaction's body runs; taken before all other locks of the suite.
    let writer = Lock((), misuse: misuse)

    /// Whether keys of the program's suite read here; set before there are cells.
    let isOfProgram = Atomic(false)

    static let misuse: StaticString = """
      a suite was written, observed or flushed inside of its own transaction; \
      use the draft there, and the suite afterwards
      """

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
      let persistence = GroupCommit(store)
      self.init(
        entries: entries, persistence: persistence,
        support: SuiteSupport(label: store.label, onIssue: onIssue))
      persistence.watch(for: self)
    }

    init(
      entries: [String: PropertyListValue], persistence: (any Persistence)?, support: SuiteSupport
    ) {
      state = Lock(State(entries: Entries(entries)))
      self.persistence = persistence
      self.support = support
      if persistence != nil { ExitFlush.register(self) }
    }

    deinit {
      guard let persistence else { return }
      persistence.close(self)
      ExitFlush.forget(ObjectIdentifier(self))
    }
  }
}

// MARK: - Reading

extension Defaults.StoredSuite {
  /// Itself.
  public var stored: Defaults.StoredSuite? { self }

  /// Itself.
  public var storage: Defaults.StoredSuite { self }

  /// The committed entry of a name.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    state.withLock { $0.entries[name] }
  }

  /// All entries at one instant; costs nothing until the suite is written while they are held, and
  /// a copy while it changes beside a snapshot.
  public var entries: [String: Defaults.PropertyListValue] { state.withLock { $0.entries.all } }

  /// All entries, for a snapshot, beside which a setter costs what it always does; `release` is to
  /// be called afterwards.
  func hold() -> [String: Defaults.PropertyListValue] { state.withLock { $0.entries.hold() } }

  /// What `hold` gave is gone.
  func release() { state.withLock { $0.entries.release() } }

  /// The entry of a name, and the generation of its cell that belongs to it.
  func entry(
    named name: String, of cell: Cell
  ) -> (entry: Defaults.PropertyListValue?, generation: UInt64) {
    state.withLock { ($0.entries[name], cell.present.generation) }
  }

  func cell(named name: String) -> Cell {
    state.withLock { state in
      if let cell = state.cells[name] { return cell }
      let cell = Cell(isTrusted: !(isOfProgram.load(ordering: .relaxed) && SuiteScope.hasBeenUsed))
      state.cells[name] = cell
      return cell
    }
  }

  /// Makes reads look for a scope; cells that are made later do by themselves.
  func distrustCells() {
    state.withLock { state in
      for cell in state.cells.values { cell.distrust() }
    }
  }

  /// Adds defaults, and makes what keys decoded before stale.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    support.register(defaults: defaults)
    state.withLock { state in
      for name in defaults.keys { state.cells[name]?.advance() }
    }
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    // Not inside of a transaction, where the first event's handler would run under its lock.
    writer.withLock { _ in }
    let observation = state.withLock { state in
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
    try persistence?.validate(value, named: name)
  }
}

// MARK: - Other processes, and the disk

extension Defaults.StoredSuite {
  /// Takes in what other processes have committed; see the protocol. With news it waits for a
  /// transaction that is running.
  public func refresh() throws(Defaults.SuiteError) {
    try persistence?.refresh(self)
  }

  /// Stores everything that was changed before the call; see the protocol. Without changes it costs
  /// some locks.
  public func flush() throws(Defaults.SuiteError) {
    try flush(.durable)
  }

  /// Stores everything that was changed before the call, as far as that is asked for.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    // Waits for a transaction that is running, and traps inside of one.
    writer.withLock { _ in }
    do throws(Defaults.SuiteError) {
      try persistence?.flush(extent, for: self)
    } catch {
      // The caller knows now; the next attempt in the background needn't say it again.
      support.countAsReported(error)
      throw error
    }
  }

  /// Stores what can be stored without waiting for a transaction, at normal exit: `exit` may have
  /// been called inside of one, whose draft then doesn't count.
  func close() {
    persistence?.close(self)
  }
}
