extension Defaults {
  /// A backend that only loads and saves; `StoredSuite(store)` makes a complete suite of it.
  ///
  /// The suite calls one method at a time, never while it holds a lock that a reader or a setter
  /// waits for, and keeps everything in memory between the calls. A store throws ``SuiteError``
  /// where it can; any other error is wrapped in one.
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
    /// What the store is called in errors and issues: a path, a host, a name. The default is the
    /// name of the type.
    var label: String { get }

    /// All entries as they are stored now; empty if nothing was ever saved. Throws when they can't
    /// be read: unreadable is not missing.
    func load() throws -> [String: PropertyListValue]

    /// Makes `entries` the stored state, durably and all or nothing.
    ///
    /// `changed` are the names whose entries differ from those of the last save that succeeded, or
    /// of the load; a name that isn't in `entries` was removed. Called from a background thread,
    /// or from the thread that flushes. When it throws, the suite keeps the changes and calls
    /// again with the next change or flush.
    func save(_ entries: [String: PropertyListValue], changed: Set<String>) throws

    /// Throws if this store can't keep an entry exactly; called before it is committed. The default
    /// takes everything.
    func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

    /// Runs a load or save while no other process does. The default just runs it.
    func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result

    /// Calls the handler, on any thread, whenever another program may have changed the stored state;
    /// the suite then loads again. The default never does.
    func watch(_ handler: @escaping @Sendable () -> Void)
  }
}

extension Defaults.Store {
  /// The name of the type.
  @_documentation(visibility: internal)
  public var label: String { "\(Self.self)" }

  /// Takes everything.
  @_documentation(visibility: internal)
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {}

  /// Runs the body.
  @_documentation(visibility: internal)
  public func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
    try body()
  }

  /// Never calls the handler.
  @_documentation(visibility: internal)
  public func watch(_ handler: @escaping @Sendable () -> Void) {}
}
