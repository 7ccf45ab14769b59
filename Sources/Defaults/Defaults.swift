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

  /// Changes the value of a key in one atomic step; see ``Suite/update(_:_:)``.
  @discardableResult
  public static func update<Value, Result, Failure: Error>(
    _ key: Key<Value>, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try key.suite.update(key, body)
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ keys: AnyKey...) {
    reset(keys)
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ keys: [AnyKey]) {
    for (suite, _) in namesBySuite(keys) {
      suite.reset(keys.filter { $0.suite.identity == suite.identity })
    }
  }

  /// Removes the entries of these names from a suite, in one transaction.
  public static func reset(_ names: String..., suite: some Suite = .standard) {
    suite.reset(names)
  }

  /// Removes the entries of these names from a suite, in one transaction.
  public static func reset(_ names: [String], suite: some Suite = .standard) {
    suite.reset(names)
  }

  /// Removes all entries of a suite, in one transaction. Registered defaults stay.
  public static func removeAll(suite: some Suite = .standard) {
    suite.removeAll()
  }

  /// The suites of some keys, in order of appearance, each with their names in it, previous ones
  /// too.
  static func namesBySuite(_ keys: [AnyKey]) -> [(suite: any Suite, names: Set<String>)] {
    var groups: [(suite: any Suite, names: Set<String>)] = []
    for key in keys {
      let suite = key.suite
      if let index = groups.firstIndex(where: { $0.suite.identity == suite.identity }) {
        groups[index].names.formUnion(suite.names(of: key))
      } else {
        groups.append((suite, Set(suite.names(of: key))))
      }
    }
    return groups
  }
}
