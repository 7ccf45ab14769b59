/// Typed preferences: keys that are declared once, read and written by subscript, observed, and
/// kept.
///
/// ```swift
/// extension Defaults.Keys {
///   static let quality = Key<Double>("quality", default: 0.8)
/// }
///
/// Defaults[.quality] += 0.1
/// ```
public enum Defaults {
  /// The value of a key, in the key's own suite.
  ///
  /// Getting never fails and, when the value was read before, takes no lock: an entry that doesn't
  /// decode gives the default, and an issue is reported. A value that can't be stored leaves the
  /// old one in place and reports an issue. ``value(for:)`` and ``set(_:for:)`` throw instead.
  @inlinable
  public static subscript<Value>(key: Key<Value>) -> Value {
    get { key.current }
    set { key.suite[key] = newValue }
  }

  /// The value of a key; throws `undecodable` if the stored entry isn't a value of its type.
  public static func value<Value>(for key: Key<Value>) throws(SuiteError) -> Value {
    try key.suite.value(for: key)
  }

  /// Sets the value of a key; throws `unencodable` or `unrepresentable` if it can't be stored, and
  /// leaves the entry as it was.
  public static func set<Value>(_ value: Value, for key: Key<Value>) throws(SuiteError) {
    try key.suite.set(value, for: key)
  }

  /// Changes the value of a key in one atomic step, by a body that runs again if it is overtaken, and
  /// returns what the body returns.
  ///
  /// The same as ``Suite/update(_:_:)`` in the key's own suite.
  ///
  /// ```swift
  /// try Defaults.update(.launchCount) { $0 += 1 }
  /// ```
  ///
  /// - Returns: What the body returns. An unused result is a warning: `{ $0 + 1 }` changes nothing.
  /// - Throws: What the body throws, as it is; otherwise a ``SuiteError``. Nothing was changed then.
  public static func update<Value, Result>(
    _ key: Key<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try key.suite.update(key, body)
  }

  /// Adds to the value of a key in one atomic step, and returns the new value.
  ///
  /// The same as ``Suite/increment(_:by:)`` in the key's own suite.
  ///
  /// - Throws: `overflow` if the type can't hold the sum, and what ``update(_:_:)`` throws. Nothing
  ///   was changed then.
  @discardableResult
  public static func increment<Value: FixedWidthInteger>(
    _ key: Key<Value>, by amount: Value = 1
  ) throws(SuiteError) -> Value {
    try key.suite.increment(key, by: amount)
  }

  /// Changes several settings of the program's suite, all or none.
  ///
  /// The same as ``Suite/transaction(_:)`` of ``standard``. Keys of other suites have a transaction
  /// of their own suite.
  ///
  /// ```swift
  /// try Defaults.transaction { draft in
  ///   try draft.set(80, for: .port)
  ///   draft[.theme] = .light
  /// }
  /// ```
  ///
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, as it is; otherwise a ``SuiteError``. Nothing was changed then.
  public static func transaction<Result>(
    _ body: (inout Draft) throws -> Result
  ) throws -> Result {
    try standard.transaction(body)
  }

  /// Whether an entry is stored for a key in its own suite; a default doesn't count.
  public static func contains(_ key: AnyKey) -> Bool {
    key.suite.contains(key)
  }

  /// Makes what was set in the program's suite durable: it survives power loss when this returns.
  ///
  /// The same as ``Suite/flush()`` of ``standard``.
  public static func flush() throws(SuiteError) {
    try standard.flush()
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ key: AnyKey, _ more: AnyKey...) {
    reset([key] + more)
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ keys: some Sequence<AnyKey>) {
    AnyKey.reset(Array(keys))
  }

  /// Removes the entries of keys from another suite than their own, in one transaction.
  public static func reset(_ key: AnyKey, _ more: AnyKey..., suite: some Suite) {
    suite.reset([key] + more)
  }

  /// Removes the entries of these names from a suite, in one transaction.
  public static func reset(_ name: String, _ more: String..., suite: some Suite = .standard) {
    reset([name] + more, suite: suite)
  }

  /// Removes the entries of these names from a suite, in one transaction.
  public static func reset(_ names: [String], suite: some Suite = .standard) {
    suite.write { draft in
      for name in names { draft.removeEntry(named: name) }
    }
  }

  /// Removes all entries of a suite, in one transaction. Registered defaults stay.
  public static func removeAll(suite: some Suite = .standard) {
    suite.removeAll()
  }
}

// MARK: - Names outside of the namespace

/// The namespace under a name that the module's own doesn't hide: `Defaults` is both.
public typealias _Defaults = Defaults
