extension Defaults {
  /// A suite under a name and with initializers of its own, whose entries a ``StoredSuite`` holds.
  ///
  /// Everything is passed on; a conforming class has its storage and its initializers.
  public protocol StoredSuiteView: Suite {
    /// What holds the entries. Views with the same storage are the same suite.
    var storage: StoredSuite { get }
  }
}

extension Defaults.StoredSuiteView {
  /// The storage.
  public var stored: Defaults.StoredSuite? { storage }

  /// The storage's support.
  public var support: Defaults.SuiteSupport { storage.support }

  /// All entries at one instant.
  public var entries: [String: Defaults.PropertyListValue] { storage.entries }

  /// The committed entry of a name.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    storage.entry(named: name)
  }

  /// Runs the body on a draft of the storage and commits it.
  @discardableResult
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    try storage.transaction(body)
  }

  /// Makes edits of the storage that stand on nothing.
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    storage.write(body)
  }

  /// Commits one edit.
  public func write(_ edit: Defaults.Edit, named name: String) {
    storage.write(edit, named: name)
  }

  /// Observes names in the storage.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    _ handler: @escaping @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    storage.observe(names, options: options, handler)
  }

  /// Throws if the storage can't keep the entry.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try storage.validate(value, named: name)
  }

  /// Registers defaults with the storage.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    storage.register(defaults: defaults)
  }

  /// Takes in what other processes have committed to the storage.
  public func refresh() throws(Defaults.SuiteError) {
    try storage.refresh()
  }

  /// Flushes the storage.
  public func flush() throws(Defaults.SuiteError) {
    try storage.flush()
  }

  /// Flushes the storage.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    try storage.flush(extent)
  }
}
