extension Defaults {
  /// A container of settings: named entries, changed in transactions, and observed.
  ///
  /// Use one of the provided suites (``PropertyListSuite``, ``MemorySuite``,
  /// ``UserDefaultsSuite``), or implement a backend in one of two ways:
  ///
  /// - A ``Store`` loads and saves, and ``StoredSuite`` turns it into a complete suite.
  /// - A class that conforms to this protocol implements everything, with the help of a
  ///   ``SuiteSupport``. It must fulfill the requirements below.
  ///
  /// All methods may be called from any thread.
  public protocol Suite: AnyObject, Sendable {
    /// The observers, registered defaults and issues of this suite; always the same object. Suites
    /// with the same support are the same suite, and their keys are equal.
    var support: SuiteSupport { get }

    /// The suite that holds the entries, if this suite is a view of it; by default nil. Keys of
    /// both suites are equal, and are read without a look-up.
    var stored: StoredSuite? { get }

    /// All entries by name at one instant, without registered defaults.
    var entries: [String: PropertyListValue] { get }

    /// The names of all entries, by default the names in `entries`.
    var names: Set<String> { get }

    /// Returns the committed entry of a name; nil if there is none.
    ///
    /// Never waits for the disk, a handler, or the body of a transaction. Handlers and bodies may
    /// call it.
    func entry(named name: String) -> PropertyListValue?

    /// Runs the body, perhaps more than once, on a draft and commits its changes atomically across
    /// threads and processes.
    ///
    /// The body runs on a snapshot, without a lock. If another thread or process changes what the
    /// body read, the body runs again. The third run holds the lock; in a suite on etcd, the body
    /// runs until a commit succeeds or the transaction times out. The body must have no effects
    /// outside of its draft, and must read only from the draft: reads from the suite itself, even
    /// in the closure of a default, aren't tracked and may return newer values. So
    /// `draft[key] = Defaults[key] + 1` loses updates.
    ///
    /// The body may write to the same suite only through the draft; any other write traps. Setting
    /// an entry to its current value is no change. A transaction without changes notifies no
    /// observer and stores nothing. When the call returns, all readers see the new entries, and
    /// observers have run unless another thread is already delivering. In a transaction of another
    /// suite, they run after that transaction has ended.
    ///
    /// - Parameter body: Changes the draft. If it throws, nothing is changed.
    /// - Returns: The result of the body's last run.
    /// - Throws: The body's error, or a ``SuiteError`` with nothing changed: `locked` if another
    ///   process doesn't release the lock in time (see the suite), `unwritable` if the change can't
    ///   be stored. The function throws untyped errors, since the body's error may have any type.
    func transaction<Result>(_ body: (inout Draft) throws -> Result) throws -> Result

    /// Makes edits that don't depend on the committed entries, atomically and without throwing. The
    /// caller has checked them with ``validate(_:named:)``.
    ///
    /// Edits that can't be stored now stay in memory, where all readers of the process see them,
    /// and are stored later. The edits don't overwrite the changes of a transaction that began
    /// later. If the caller's transaction holds the lock of another suite, and this suite is busy
    /// for several seconds, the edits are dropped and an issue is reported. The default makes a
    /// transaction and reports its error.
    func write(_ body: (inout Draft) -> Void)

    /// Makes one edit; see ``write(_:)``, which the default calls.
    func write(_ edit: Edit, named name: String)

    /// Waits until reads show everything that any process committed before the call.
    ///
    /// Changes of other processes also arrive without this call. Call it if another process
    /// announces a change by a message, and the program needs the change at once. Without changes,
    /// it is a quick check. In the body of a transaction of the same suite, the library's suites
    /// trap, except a ``UserDefaultsSuite``. The default does nothing, for a suite that always
    /// reads the committed entries.
    ///
    /// - Throws: The reason why the entries can't be read.
    func refresh() throws(SuiteError)

    /// Observes some names, or all if `names` is nil.
    ///
    /// Handlers run outside of every lock, one at a time per suite, in commit order, on the writing
    /// thread or on their actor. With ``ObservationOptions/initial``, the first event has the
    /// current entries of the names, and the next event is the first later change. The observation
    /// doesn't retain the suite: keep it for as long as you want events. Observing a suite inside
    /// of its own transaction traps.
    ///
    /// - Parameters:
    ///   - names: The names, or nil for all.
    ///   - options: Requests for additional events.
    ///   - handler: Called with each change.
    /// - Returns: The token of the observation.
    func observe(
      _ names: Set<String>?, options: ObservationOptions, _ handler: Handler<Change>
    ) -> any Observation

    /// Throws if the suite can't represent an entry exactly. Called before the entry is committed.
    /// The default accepts all entries; the depth is checked for every suite.
    func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

    /// Adds defaults for names without an entry. They override the defaults of keys. Register them
    /// at launch, since they aren't stored and don't notify observers.
    func register(defaults: [String: PropertyListValue])

    /// Stores all earlier changes durably. Traps in the body of a transaction of this suite.
    ///
    /// A suite on a file blocks for one sync. If changes wait in memory, or if another process has
    /// written since, it also waits up to 30 seconds for another process to release the lock. With
    /// `readOnly: true`, it does nothing.
    ///
    /// - Throws: The reason why a change isn't durable: in a suite on a file `unwritable`, `locked`
    ///   if another process doesn't release the lock, `inMemory` without a file, and `forked` in a
    ///   forked child.
    func flush() throws(SuiteError)

    /// Stores all earlier changes; with `.snapshot`, also in the file for other programs, which
    /// usually lags. The default calls ``flush()``.
    func flush(_ extent: FlushExtent) throws(SuiteError)
  }
}

extension Defaults.Suite {
  /// nil, since the suite holds its own entries.
  public var stored: Defaults.StoredSuite? { nil }

  /// The names of `entries`.
  public var names: Set<String> { Set(entries.keys) }

  /// Observes some names, or all if `names` is nil.
  ///
  /// Like the requirement, but the handler has the isolation of the surrounding code; see
  /// ``Defaults/observe(_:options:invalid:handler:)``.
  ///
  /// ```swift
  /// let observation = suite.observe(["volume"]) { change in
  ///   print(change.entries)
  /// }
  /// ```
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions = [],
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Defaults.Change) -> Void
  ) -> any Defaults.Observation {
    observe(names, options: options, Defaults.Handler(handler))
  }

  /// Makes a transaction and reports its error.
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    support.reporting { () throws(SuiteError) in try commit(body) }
  }

  /// Makes validated edits like ``write(_:)``, but throws the reason that they can't be made.
  package func commit(_ body: (inout Defaults.Draft) -> Void) throws(SuiteError) {
    do {
      if let stored { try stored.commit(.blind, body) } else { try transaction(body) }
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }

  /// Makes this edit in a transaction.
  public func write(_ edit: Defaults.Edit, named name: String) {
    write { $0.write(edit, named: name) }
  }

  /// Does nothing.
  public func refresh() throws(Defaults.SuiteError) {}

  /// Makes a transaction whose body only throws errors of suites.
  package func exactly<Result>(
    _ body: (inout Defaults.Draft) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    do {
      return try transaction(body)
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }

  /// Accepts all entries.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {}

  /// Adds the defaults to the support.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    support.register(defaults: defaults)
  }

  /// Calls `flush()`.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) { try flush() }

  /// Returns whether an entry of this name is stored. A registered default isn't a stored entry.
  public func contains(_ name: String) -> Bool { entry(named: name) != nil }

  /// Removes an entry, if there is one.
  public func removeEntry(named name: String) { write(.remove, named: name) }

  /// Removes all settings, in one transaction. The library's own entries, such as the version and
  /// the profiles, and registered defaults are kept.
  public func removeAll() { write { $0.removeAll() } }

  /// The suite's name in errors and issues: a path or a name.
  public var label: String { support.label }

  /// Throws an error with suite and name unless the entry can be represented exactly.
  package func check(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try check(value, named: name) { () throws(SuiteError) in
      try validate(value, named: name)
    }
  }

  /// Throws an error with suite and name if the entry has no name or too many levels, or if a
  /// closure throws.
  func check(
    _ value: PropertyListValue, named name: String, _ validate: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    guard !name.isEmpty else {
      throw SuiteError(
        .unrepresentable, "The name of a setting must not be empty. Give it a name", suite: label)
    }
    let limit = PropertyListValue.maximumDepth
    guard !value.isDeeper(than: limit) else {
      throw SuiteError(
        .unrepresentable, "The value has more than \(limit) levels. Store one with fewer levels",
        suite: label, key: name)
    }
    do throws(SuiteError) {
      try validate()
    } catch {
      throw error.about(key: name, suite: label)
    }
  }
}
