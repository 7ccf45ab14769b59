/// Typed preferences. Keys are declared once, then read and written by subscript and observed.
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
  /// A read never throws: for an entry that doesn't decode it returns the default and reports an
  /// issue. Repeated reads take no lock. If a value can't be stored, the previous value is kept and
  /// an issue is reported. To get an error instead, use ``value(for:)`` or ``set(_:for:)``.
  @inlinable
  public static subscript<Value>(key: Key<Value>) -> Value {
    get { key.current }
    set { key.suite[key] = newValue }
  }

  /// Returns the value of a key; see ``Suite/value(for:)``, whose errors it throws.
  public static func value<Value>(for key: Key<Value>) throws(SuiteError) -> Value {
    try key.suite.value(for: key)
  }

  /// Stores the value of a key; see ``Suite/set(_:for:)``, whose errors it throws.
  ///
  /// After an error, the entry is unchanged.
  public static func set<Value>(_ value: Value, for key: Key<Value>) throws(SuiteError) {
    try key.suite.set(value, for: key)
  }

  /// Changes the value of a key atomically across threads and processes, in a body that may run
  /// more than once; see ``Suite/update(_:_:)``, whose errors it throws.
  ///
  /// ```swift
  /// try Defaults.update(.launchCount) { $0 += 1 }
  /// ```
  ///
  /// After an error, nothing is changed.
  public static func update<Value, Result>(
    _ key: Key<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try key.suite.update(key, body)
  }

  /// Adds to the value of a key in one atomic step, and returns the new value; see
  /// ``Suite/increment(_:by:)``, whose errors it throws.
  ///
  /// After an error, nothing is changed.
  @discardableResult
  public static func increment<Value: FixedWidthInteger>(
    _ key: Key<Value>, by amount: Value = 1
  ) throws(SuiteError) -> Value {
    try key.suite.increment(key, by: amount)
  }

  /// Changes several settings of the program's suite, all or none, in a body that may run more than
  /// once; see ``Suite/transaction(_:)``, whose errors it throws.
  ///
  /// ```swift
  /// try Defaults.transaction { draft in
  ///   try draft.set(80, for: .port)
  ///   draft[.theme] = .light
  /// }
  /// ```
  ///
  /// After an error, nothing is changed. Change keys of another suite in a transaction of that
  /// suite.
  public static func transaction<Result>(_ body: (inout Draft) throws -> Result) throws -> Result {
    try standard.transaction(body)
  }

  /// Whether a key has a stored entry in its own suite. A default is not a stored entry.
  public static func contains(_ key: AnyKey) -> Bool { key.suite.contains(key) }

  /// Makes all earlier changes of the program's suite durable, so that they survive a power loss;
  /// see ``Suite/flush()``, whose errors it throws.
  public static func flush() throws(SuiteError) { try standard.flush() }

  /// Removes the entries of keys, which resets them to their defaults, in one transaction per
  /// suite.
  public static func reset(_ key: AnyKey, _ more: AnyKey...) { reset([key] + more) }

  /// Removes the entries of keys, which resets them to their defaults, in one transaction per
  /// suite.
  public static func reset(_ keys: some Sequence<AnyKey>) {
    for (suite, keys) in AnyKey.bySuite(keys) { suite.reset(keys) }
  }

  /// Removes the entries of keys from the given suite instead of their own, in one transaction.
  public static func reset(_ key: AnyKey, _ more: AnyKey..., suite: some Suite) {
    suite.reset([key] + more)
  }

  /// Removes the entries with these names from a suite, in one transaction.
  public static func reset(_ name: String, _ more: String..., suite: some Suite = .standard) {
    reset([name] + more, suite: suite)
  }

  /// Removes the entries with these names from a suite, in one transaction.
  public static func reset(_ names: [String], suite: some Suite = .standard) {
    suite.write { draft in
      for name in names { draft.removeEntry(named: name) }
    }
  }

  /// Removes all settings of a suite, in one transaction. The library's own entries, such as the
  /// version and the profiles, and registered defaults are kept.
  public static func removeAll(suite: some Suite = .standard) { suite.removeAll() }
}

// MARK: - Names outside of the namespace

/// An alias for the namespace, which the module of the same name otherwise hides.
public typealias _Defaults = Defaults
