extension Defaults {
  /// The entries of a suite as a transaction sees them: what is committed, and what it changed so
  /// far.
  ///
  /// ```swift
  /// try suite.transaction { draft in
  ///   draft[.volume] += 1
  ///   try draft.set(window, for: .window)  // throws: neither change is made
  /// }
  /// ```
  public struct Draft {
    let suite: any Suite
    private var pending: [String: Edit] = [:]

    /// A draft of a suite, for its `transaction`; the suite lets no other commit happen meanwhile.
    public init(of suite: any Suite) {
      self.suite = suite
    }

    /// The edits so far, one per name; committing them is the suite's part.
    public var edits: [String: Edit] { pending }
  }
}

// MARK: - Entries

extension Defaults.Draft {
  /// The names of all entries.
  public var names: Set<String> {
    var names = suite.names
    for (name, edit) in pending {
      if edit.entry == nil { names.remove(name) } else { names.insert(name) }
    }
    return names
  }

  /// The entry of a name; nil if there is none.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    pending[name].map(\.entry) ?? suite.entry(named: name)
  }

  /// Sets an entry; throws if the suite can't keep the value exactly.
  public mutating func setEntry(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try suite.check(value, named: name)
    write(.set(value), named: name)
  }

  /// Removes an entry.
  public mutating func removeEntry(named name: String) {
    write(.remove, named: name)
  }

  /// Removes all entries but those of the library: the version that the suite was migrated to, and
  /// what it has imported, are still true.
  public mutating func removeAll() {
    for name in names where !Defaults.isReserved(name) { write(.remove, named: name) }
  }

  mutating func write(_ edit: Defaults.Edit, named name: String) {
    pending[name] = edit
  }
}

// MARK: - Values

extension Defaults.Draft {
  /// The value of a key. Getting one that doesn't decode gives the default, setting one that can't
  /// be encoded leaves the entry; both report an issue. See `value(for:)` and `set(_:for:)`.
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { key.value(ofEntry: entry(of: key), in: suite) }
    set {
      do { try set(newValue, for: key) } catch { suite.support.report(error) }
    }
  }

  /// The value of a key; throws if its entry doesn't decode.
  public func value<Value>(
    for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) -> Value {
    try key.decode(entry(of: key), in: suite)
  }

  /// Sets the value of a key; throws if it can't be encoded or kept exactly.
  public mutating func set<Value>(
    _ value: Value, for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) {
    write(try key.edit(for: value, in: suite), for: key)
  }

  /// Removes the entries of keys, so that they have their default values again.
  public mutating func reset(_ keys: Defaults.AnyKey...) {
    for key in keys { write(.remove, for: key) }
  }
}
