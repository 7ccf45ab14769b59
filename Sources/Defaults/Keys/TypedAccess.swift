import Dispatch

// MARK: - Suites

extension Defaults.Suite {
  /// The value of a key in this suite, whichever suite the key was declared with.
  ///
  /// Getting never fails: an entry that doesn't decode gives the default, and an issue is reported.
  /// Setting a value that can't be encoded, or kept exactly, leaves the entry as it is and reports
  /// an issue. `value(for:)` and `set(_:for:)` throw instead. Changing a value in place (`+=`,
  /// `append`) reads, then writes; ``update(_:_:)`` does both in one step.
  @inlinable
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get {
      // Mostly the very object that the key was made with, which takes no call to find out. Values
      // of a key whose suite a scope may change aren't found by this way.
      if ObjectIdentifier(self) == key.declaredSuite, let value = key.cached { return value }
      return key.value(in: self)
    }
    set {
      do throws(Defaults.SuiteError) {
        try set(newValue, for: key)
      } catch {
        support.report(error)
      }
    }
  }

  /// The value of a key; throws `undecodable` if the stored entry isn't a value of its type.
  public func value<Value>(
    for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) -> Value {
    try key.decode(key.establishedEntry(in: self), in: self)
  }

  /// Sets the value of a key; throws `unencodable` or `unrepresentable` if it can't be stored,
  /// `invalid` if the key's rules don't allow it, and what the suite throws that keeps it somewhere
  /// else than on this machine; the entry stays as it was then. When it returns every reader sees the
  /// value; see ``transaction(_:)`` for observers, and ``flush()`` for the disk.
  public func set<Value>(
    _ value: Value, for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) {
    try key.store(try key.edit(for: value, in: self), in: self)
  }

  /// Changes the value of a key in one atomic step, by a body that runs again if it is overtaken, and
  /// returns what the body returns.
  ///
  /// The update is made on what is committed in every process, or not at all: if the body throws, the
  /// value can't be stored, or another process doesn't release the lock (`locked`), this throws and
  /// nothing changes. The body may run several times, so it must have no other effects: see
  /// ``transaction(_:)``. It must not set other keys of the suite, which traps: a transaction sets
  /// several. An entry that doesn't decode counts as the default.
  ///
  /// ```swift
  /// let launch = try suite.update(.launchCount) { count in
  ///   count += 1
  ///   return count
  /// }
  /// ```
  ///
  /// - Returns: What the body returns. An unused result is a warning: `{ $0 + 1 }` changes nothing.
  public func update<Value, Result>(
    _ key: Defaults.Key<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    try transaction { draft in
      TransactionScope.current?.updates(key.name)
      var value = draft[key]
      let result = try body(&value)
      try draft.set(value, for: key)
      return result
    }
  }

  /// Whether an entry is stored for a key; a default doesn't count.
  public func contains(_ key: Defaults.AnyKey) -> Bool {
    key.entry(in: self) != nil
  }

  /// Removes the entries of keys, in one step, so that they have their default values again.
  public func reset(_ key: Defaults.AnyKey, _ more: Defaults.AnyKey...) {
    reset([key] + more)
  }

  /// Removes the entries of keys, in one step, so that they have their default values again.
  public func reset(_ keys: some Sequence<Defaults.AnyKey>) {
    write { draft in
      for key in keys { key.write(.remove, in: &draft) }
    }
  }

  /// Like the synchronous form, without blocking the task's thread.
  public func flush() async throws(Defaults.SuiteError) {
    try await flush(.durable)
  }

  /// Like the synchronous form, without blocking the task's thread.
  public func flush(_ extent: Defaults.FlushExtent) async throws(Defaults.SuiteError) {
    try await LibraryThread.run { () throws(Defaults.SuiteError) in try self.flush(extent) }
  }
}

extension Defaults.AnyKey {
  /// Removes the entries of keys; one transaction for each suite among them.
  static func reset(_ keys: [Defaults.AnyKey]) {
    for (suite, keys) in bySuite(keys) { suite.reset(keys) }
  }
}

// MARK: - Drafts

extension Defaults.Draft {
  /// The value of a key. Getting one that doesn't decode gives the default, setting one that can't
  /// be encoded leaves the entry; both report an issue. See `value(for:)` and `set(_:for:)`.
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { key.value(ofEntry: key.entry(in: self), in: suite) }
    set {
      do { try set(newValue, for: key) } catch { suite.support.report(error) }
    }
  }

  /// The value of a key; throws if its entry doesn't decode.
  public func value<Value>(
    for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) -> Value {
    try key.decode(key.entry(in: self), in: suite)
  }

  /// Sets the value of a key; throws if it can't be encoded or kept exactly.
  public mutating func set<Value>(
    _ value: Value, for key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) {
    key.write(try key.edit(for: value, in: suite), in: &self)
  }

  /// Removes the entries of keys, so that they have their default values again.
  public mutating func reset(_ key: Defaults.AnyKey, _ more: Defaults.AnyKey...) {
    for key in [key] + more { key.write(.remove, in: &self) }
  }
}
