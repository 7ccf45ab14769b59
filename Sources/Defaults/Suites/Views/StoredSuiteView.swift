extension Defaults {
  /// A suite under a name and with initializers of its own, whose entries a ``StoredSuite`` holds.
  ///
  /// A conforming class has its storage and its initializers; all that a suite does is here.
  @_documentation(visibility: internal)
  public protocol StoredSuiteView: Suite, CustomStringConvertible {
    /// What holds the entries. Views with the same storage are the same suite.
    var storage: StoredSuite { get }
  }
}

extension Defaults.StoredSuite: Defaults.StoredSuiteView {}

extension Defaults.Suite {
  /// The suite that holds the entries. Ends the program if this one holds its own: such a suite can't
  /// have the role.
  package func storage(toBe role: String) -> Defaults.StoredSuite {
    guard let stored else {
      fatalError(
        "\(escaped(label)) can't be \(role), since it keeps its entries itself; use a "
          + "PropertyListSuite, a MemorySuite, or a StoredSuite on a store of your own")
    }
    return stored
  }
}

extension Defaults.StoredSuiteView {
  /// The storage.
  @_documentation(visibility: internal)
  public var stored: Defaults.StoredSuite? { storage }

  /// Observers, registered defaults and issues of the storage.
  @_documentation(visibility: internal)
  public var support: Defaults.SuiteSupport { storage.table.support }

  /// The committed entry of a name.
  @_documentation(visibility: internal)
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    storage.table.entry(named: name)
  }

  /// All entries at one instant; costs nothing until the suite is written while they are held, and
  /// a copy while it changes beside a snapshot.
  @_documentation(visibility: internal)
  public var entries: [String: Defaults.PropertyListValue] { storage.table.entries }

  /// Adds defaults, and makes what keys decoded before stale.
  @_documentation(visibility: internal)
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    let table = storage.table
    table.support.register(defaults: defaults)
    table.advanceCells(of: defaults.keys)
  }

  /// Observes names; see the protocol.
  @_documentation(visibility: internal)
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    let storage = storage
    // The first event would come when the transaction has ended, and not know what that changed.
    TransactionScope.requireNone(of: storage.target, for: "observed")
    let observation = storage.table.state.withLock { state in
      storage.table.support.observe(
        names, options: options, allNames: Set(state.entries.all.keys),
        entry: { state.entries[$0] }, handler)
    }
    storage.persistence.listen()
    storage.table.support.deliver()
    return observation
  }

  /// Throws if the storage can't keep the entry.
  @_documentation(visibility: internal)
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try storage.persistence.validate(value, named: name)
  }

  /// Runs the body on a draft and commits it; see the protocol.
  @_documentation(visibility: internal)
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try storage.commit(.exact, body)
  }

  /// Makes edits that don't depend on what is committed; see the protocol.
  @_documentation(visibility: internal)
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    let storage = storage
    do {
      try storage.commit(.blind, body)
    } catch {
      storage.support.report(SuiteError(wrapping: error, .unwritable, suite: storage.label))
    }
  }

  /// Commits one edit.
  @_documentation(visibility: internal)
  public func write(_ edit: Defaults.Edit, named name: String) {
    let storage = storage
    do throws(SuiteError) {
      try storage.commit(edit, named: name)
    } catch {
      storage.support.report(error)
    }
  }

  /// Applies what other processes committed; see the protocol.
  @_documentation(visibility: internal)
  public func refresh() throws(Defaults.SuiteError) {
    let storage = storage
    try storage.outsideOfTransactions(toBe: "refreshed") { () throws(SuiteError) in
      try storage.persistence.refresh()
    }
  }

  /// Stores everything that was changed before the call; see the protocol. Without changes it costs
  /// some locks.
  @_documentation(visibility: internal)
  public func flush() throws(Defaults.SuiteError) { try flush(.durable) }

  /// Stores everything that was changed before the call, as far as that is asked for.
  @_documentation(visibility: internal)
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    let storage = storage
    try storage.outsideOfTransactions(toBe: "flushed") { () throws(SuiteError) in
      try storage.store(extent)
    }
  }
}
