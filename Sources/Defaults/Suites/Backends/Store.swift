extension Defaults {
  /// A backend that only loads and saves. `StoredSuite(store)` turns it into a complete suite.
  ///
  /// The suite keeps all entries in memory. It calls `load` and `save` one at a time, and never
  /// under a lock that a reader or a setter waits for. It calls `validate` on any thread at any
  /// time. A store should throw ``SuiteError``; other errors are wrapped in a `SuiteError`.
  ///
  /// ```swift
  /// struct RowStore: Defaults.Store {
  ///   let database: Database
  ///   func load() throws -> [String: Defaults.PropertyListValue] { try database.readAll() }
  ///   func save(
  ///     _ entries: [String: Defaults.PropertyListValue], changed: Set<String>
  ///   ) throws {
  ///     for name in changed { try database.write(name, entries[name]) }
  ///   }
  /// }
  /// ```
  public protocol Store: Sendable {
    /// The store's name in errors and issues: a path, a host, a name. The default is the type's
    /// name.
    var label: String { get }

    /// Returns all stored entries; empty if nothing was ever saved.
    ///
    /// - Throws: An error if the entries can't be read. In that case, don't return an empty
    ///   dictionary.
    func load() throws -> [String: PropertyListValue]

    /// Stores the entries of the changed names, durably and atomically.
    ///
    /// Called on a background thread, or on the thread that flushes, releases the suite or exits
    /// the process. If it throws, the suite keeps the changes, and calls `save` again at the next
    /// change or flush.
    ///
    /// If only this process writes the store, `save` may replace the stored state with `entries`.
    /// Otherwise, `entries` may lack the latest changes of other processes: load the stored state,
    /// apply the changed names, and store the result.
    ///
    /// - Parameters:
    ///   - entries: All entries that the suite knows.
    ///   - changed: The names that were set or removed since the last successful save, perhaps to
    ///     the stored value. A name that isn't in `entries` was removed.
    func save(_ entries: [String: PropertyListValue], changed: Set<String>) throws

    /// Throws if this store can't represent an entry exactly. Called before the entry is committed,
    /// on any thread, also during a load or save, and perhaps under the suite's lock. The default
    /// accepts all entries.
    func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

    /// Runs a load or save while no other process loads or saves. The default only runs the body.
    /// It isn't enough for a store that several processes write: see ``save(_:changed:)``.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result

    /// Calls the handler, on any thread, whenever another program may have changed the stored
    /// state. The suite then loads again. The default never calls it.
    ///
    /// The suite has loaded the state before this call. If a later change may have been missed,
    /// call the handler once when the watch has begun.
    func watch(_ handler: @escaping @Sendable () -> Void)
  }
}

@_documentation(visibility: internal)
extension Defaults.Store {
  /// The name of the type.
  public var label: String { "\(Self.self)" }

  /// Accepts all entries.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {}

  /// Runs the body.
  public func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
    try body()
  }

  /// Never calls the handler.
  public func watch(_ handler: @escaping @Sendable () -> Void) {}
}

extension Defaults.Store {
  /// Returns all stored entries, loaded while no other process loads or saves.
  func loaded() throws(SuiteError) -> [String: PropertyListValue] {
    do {
      return try withExclusiveAccess { try load() }
    } catch {
      throw SuiteError(wrapping: error, .unreadable, suite: label)
    }
  }
}
