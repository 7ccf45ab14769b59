extension Defaults {
  /// A suite with its own type and initializers, whose entries are in a ``StoredSuite``.
  ///
  /// A conforming class only needs its storage and initializers. The extension implements the
  /// suite, and the class must not implement more of it: keys use the storage directly.
  @_documentation(visibility: internal)
  public protocol StoredSuiteView: Suite, CustomStringConvertible {
    /// The suite that holds the entries. Views with the same storage are the same suite.
    var storage: StoredSuite { get }
  }
}

extension Defaults.Suite {
  /// Returns the suite that holds the entries. Traps if this suite stores its entries itself, since
  /// such a suite can't have the role.
  package func storage(toBe role: String) -> Defaults.StoredSuite {
    guard let stored else {
      fatalError(
        "\(escaped(label)) can't be \(role), since it stores its entries itself. Use a "
          + "PropertyListSuite, a MemorySuite, or a StoredSuite with a custom store.")
    }
    return stored
  }
}

@_documentation(visibility: internal)
extension Defaults.StoredSuiteView {
  /// The storage.
  public var stored: Defaults.StoredSuite? { storage }

  /// The object that manages the observers, issues and registered defaults of the suite.
  public var support: Defaults.SuiteSupport { storage.table.support }

  /// Returns the committed entry of a name.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    storage.table.entry(named: name)
  }

  /// All entries at one instant. Copied only if an entry changes while the result or a snapshot is
  /// held.
  public var entries: [String: Defaults.PropertyListValue] { storage.table.entries }

  /// Adds defaults and invalidates the values that keys have decoded for their names.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    let table = storage.table
    table.support.register(defaults: defaults)
    table.advanceCells(of: defaults.keys)
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    let storage = storage
    // The initial event would be delivered after the transaction, without its changes.
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

  /// Throws if the storage can't represent the entry.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try storage.persistence.validate(value, named: name)
  }

  /// Runs the body on a draft and commits it; see the protocol.
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try storage.commit(.exact, body)
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    let storage = storage
    storage.support.reporting { () throws(SuiteError) in
      try storage.commit(edit, named: name)
    }
  }

  /// Applies changes of other processes; see the protocol.
  public func refresh() throws(Defaults.SuiteError) {
    let storage = storage
    try storage.outsideOfTransactions(toBe: "refreshed") { () throws(SuiteError) in
      try storage.persistence.refresh()
    }
  }

  /// Stores all earlier changes; see the protocol. Without changes it only takes some locks.
  public func flush() throws(Defaults.SuiteError) { try flush(.durable) }

  /// Stores all earlier changes to the given extent.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    let storage = storage
    try storage.outsideOfTransactions(toBe: "flushed") { () throws(SuiteError) in
      do throws(SuiteError) {
        try storage.persistence.flush(extent)
      } catch {
        // The caller receives the error, so the next background attempt doesn't report it again.
        storage.support.countAsReported(error)
        throw error
      }
    }
  }
}
