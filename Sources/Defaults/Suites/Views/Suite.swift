extension Defaults {
  /// A place where settings are kept: entries by name, changed in transactions, and observed.
  ///
  /// Use one of the suites that are here (``PropertyListSuite``, ``MemorySuite``,
  /// ``UserDefaultsSuite``), or bring a backend of your own by one of two doors:
  ///
  /// - a ``Store`` loads and saves, and ``StoredSuite`` makes a complete suite of it;
  /// - a class that conforms to this protocol does everything itself, with the help of a
  ///   ``SuiteSupport``. The requirements state what it must keep to.
  ///
  /// All methods may be called from any thread.
  public protocol Suite: AnyObject, Sendable {
    /// Observers, registered defaults and issues of this suite, always the same object. Suites that
    /// have one in common are one suite, and their keys are equal.
    var support: SuiteSupport { get }

    /// The suite that holds the entries, if this one is a view of it; nil, the default, if it holds
    /// its own. Keys of both are equal, and read without a look-up.
    var stored: StoredSuite? { get }

    /// All entries by name, at one instant; registered defaults aren't entries.
    var entries: [String: PropertyListValue] { get }

    /// The names of all entries. The default takes them from `entries`.
    var names: Set<String> { get }

    /// The committed entry of a name; nil if there is none.
    ///
    /// Never waits for the disk, for a handler, or for the body of a transaction, and may be called
    /// inside of each.
    func entry(named name: String) -> PropertyListValue?

    /// Runs the body on a draft, more than once if it is overtaken, and commits what the last run
    /// changed, all of it at once; if the body throws, nothing changes.
    ///
    /// The transaction is atomic: it is made on what every process committed before it. The body runs
    /// on a snapshot, without a lock. If another thread or process commits meanwhile what the body
    /// read, the body runs again; the third time it runs with the lock. So a body must have no effects
    /// outside of its draft, and read through the draft alone: what is read from the suite itself, in
    /// the closure of a default too, isn't noted, and may be newer. In a suite on etcd a body runs as
    /// often as it is overtaken.
    ///
    /// A body must not write to the same suite but through the draft: that traps. Setting an entry to
    /// the value that it has is no change. A transaction without a change notifies no observer and
    /// stores nothing. When the call returns every reader sees the new entries, and, unless another
    /// thread is delivering already, their observers have run. Changes that are made inside of a
    /// transaction of another suite are delivered when that has ended.
    ///
    /// - Throws: What the body throws; otherwise, with nothing changed, why the transaction can't be
    ///   made on what is committed in every process: `locked` if another process doesn't release the
    ///   lock, `unwritable` if the change can't be stored. See the suite for how long it waits. These
    ///   are two types of errors, the program's and ``SuiteError``, so the type isn't declared.
    func transaction<Result>(_ body: (inout Draft) throws -> Result) throws -> Result

    /// Makes edits that were validated before, and that don't depend on what is committed: in one
    /// step, and without fail.
    ///
    /// What can't be stored now is in memory, where every reader of the process sees it, and is
    /// stored as soon as possible; never over a transaction that began after it. Inside of a
    /// transaction that holds the lock of another suite it isn't made, with an issue, if this suite is
    /// busy for seconds. The default makes a transaction, and reports what that throws.
    func write(_ body: (inout Draft) -> Void)

    /// Makes an edit of one entry; see ``write(_:)``, which the default calls.
    func write(_ edit: Edit, named name: String)

    /// Returns when reads see all that any process had committed before the call; throws what
    /// prevents it.
    ///
    /// Changes of other processes come by themselves; this is for a program that learned of one by
    /// other means, and can't wait; a transaction's body must not call it. Costs half a microsecond
    /// where there is no news. The default
    /// does nothing, for a suite that always reads what is committed.
    func refresh() throws(SuiteError)

    /// Observes some names, or all if `names` is nil.
    ///
    /// Handlers run outside of every lock, one at a time per suite, in the order of the commits, on
    /// the thread that wrote; one that belongs to an actor runs there, in the same order. Listens
    /// first and looks second: with ``ObservationOptions/initial`` the first event has the present
    /// entries of the names, and the next is the first change made after that.
    func observe(
      _ names: Set<String>?, options: ObservationOptions, _ handler: Handler<Change>
    ) -> any Observation

    /// Throws if the suite can't keep an entry exactly; called before it is committed. The default
    /// takes everything; the depth is checked for every suite.
    func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

    /// Adds defaults for names without an entry. They aren't stored and no observer is notified, so
    /// register them at launch. They win over the defaults of keys.
    func register(defaults: [String: PropertyListValue])

    /// Returns when everything that was changed before the call is stored durably; throws what
    /// prevents it. A transaction's body must not call it.
    func flush() throws(SuiteError)

    /// Like ``flush()``, as far as that is asked for: for a suite whose file lags behind, into the
    /// file. The default just flushes.
    func flush(_ extent: FlushExtent) throws(SuiteError)
  }
}

extension Defaults.Suite {
  /// nil: the suite holds its own entries.
  public var stored: Defaults.StoredSuite? { nil }

  /// The names of `entries`.
  public var names: Set<String> { Set(entries.keys) }

  /// Observes some names, or all if `names` is nil.
  ///
  /// The handler runs on the actor in whose code it is written; see
  /// ``Defaults/observe(_:options:invalid:handler:)``, and the requirement for what it gets.
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

  /// Makes a transaction, and reports what it throws.
  public func write(_ body: (inout Defaults.Draft) -> Void) {
    do {
      try transaction(body)
    } catch {
      support.report(SuiteError(wrapping: error, .unwritable, suite: label))
    }
  }

  /// Makes this edit alone.
  public func write(_ edit: Defaults.Edit, named name: String) {
    write { $0.write(edit, named: name) }
  }

  /// Makes edits as ``write(_:)`` does, and throws where that reports.
  func make(_ body: (inout Defaults.Draft) -> Void) throws(Defaults.SuiteError) {
    guard let stored else { return write(body) }
    do {
      try stored.commit(.blind, body)
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }

  /// Makes an edit as ``write(_:named:)`` does, and throws where that reports.
  func make(_ edit: Defaults.Edit, named name: String) throws(Defaults.SuiteError) {
    guard let stored else { return write(edit, named: name) }
    try stored.commit(edit, named: name)
  }

  /// Does nothing.
  public func refresh() throws(Defaults.SuiteError) {}

  /// A transaction whose body throws what a suite throws, and nothing else.
  func exactly<Result>(
    _ body: (inout Defaults.Draft) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    do {
      return try transaction(body)
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }

  /// Takes everything.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {}

  /// Keeps them in the support.
  public func register(defaults: [String: Defaults.PropertyListValue]) {
    support.register(defaults: defaults)
  }

  /// Flushes.
  public func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) { try flush() }

  /// Whether an entry of this name is stored; a registered default doesn't count.
  public func contains(_ name: String) -> Bool { entry(named: name) != nil }

  /// Removes an entry; without one nothing happens.
  public func removeEntry(named name: String) { write(.remove, named: name) }

  /// Removes all entries, in one step. Registered defaults stay.
  public func removeAll() { write { $0.removeAll() } }

  /// What the suite is called in errors and issues: a path or a name.
  public var label: String { support.label }

  /// Throws, with suite and name filled in, unless the entry can be kept exactly.
  func check(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    guard !name.isEmpty else { fatalError("the name of a setting must not be empty") }
    let limit = PropertyListValue.maximumDepth
    guard !value.isDeeper(than: limit) else {
      throw SuiteError(
        .unrepresentable, "The value has more than \(limit) levels; store a flatter one",
        suite: label, key: name)
    }
    do {
      try validate(value, named: name)
    } catch {
      throw error.about(key: name, suite: label)
    }
  }
}
