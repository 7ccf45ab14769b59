// MARK: - Suites

extension Defaults.Suite {
  /// The value of a key in this suite, whichever suite the key was declared with.
  ///
  /// Never throws. The getter returns the default for an entry that doesn't decode; the setter
  /// leaves the entry unchanged if the value can't be encoded or stored exactly. Both report an
  /// issue; `value(for:)` and `set(_:for:)` throw instead. The getter traps for a required setting
  /// without a value: see ``Defaults/Key/required(_:suite:_:)``. Changing a value in place (`+=`,
  /// `append`) reads, then writes; ``update(_:_:)`` does both atomically.
  @inlinable
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get {
      // Usually the suite is the object that the key was created with, which is checked without a
      // call. A key whose suite a scope may replace doesn't take this path.
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

  /// Returns the value of a key.
  ///
  /// - Throws: `undecodable` if the entry isn't of the key's type, `invalid` if a rule rejects it,
  ///   `missing` if a required setting has no value.
  public func value<Value>(for key: Defaults.Key<Value>) throws(Defaults.SuiteError) -> Value {
    let value = try key.decode(key.establishedEntry(in: self), in: self)
    key.remember(value, in: self)
    return value
  }

  /// Sets the value of a key. When it returns, every reader sees the value; see ``transaction(_:)``
  /// for observers, and ``flush()`` for the disk.
  ///
  /// In a suite on a file, it blocks for up to a second while another process holds the lock. If
  /// the change can't be stored now, it waits in memory, and the function returns normally. Only
  /// the reported issue shows this.
  ///
  /// - Throws: `unencodable` or `unrepresentable` if the value can't be stored, `invalid` if a rule
  ///   of the key rejects it, `managed` if an administrator prescribes the setting, `unwritable` in
  ///   a suite that was opened with `readOnly: true`, `locked` if a transaction of another suite
  ///   encloses the call and this suite is busy for several seconds, `forked` in a forked child,
  ///   and the error of a suite that stores its entries on another machine. In these cases, the
  ///   entry is unchanged.
  public func set<Value>(_ value: Value, for key: Defaults.Key<Value>) throws(Defaults.SuiteError) {
    if let stored { return try key.store(value, in: stored, of: self) }
    try key.store(try key.edit(for: value, in: self), in: self)
  }

  /// Changes the value of a key atomically across threads and processes, in a body that may run
  /// more than once.
  ///
  /// The update starts from the latest value that any process committed, or throws. The body must
  /// have no other effects; see ``transaction(_:)``. Setting another key of the suite in the body
  /// traps: use a transaction to set several keys. An entry that doesn't decode reads as the
  /// default. In a suite of layers, the body starts from the value in effect, and the result is
  /// stored in the writable layer, even if another layer is above it.
  ///
  /// ```swift
  /// let launch = try suite.update(.launchCount) { count in
  ///   count += 1
  ///   return count
  /// }
  /// ```
  ///
  /// - Returns: The result of the body. The compiler warns if the result is unused: `{ $0 + 1 }` is
  ///   a mistake.
  /// - Throws: An error of the body, `locked` if another process doesn't release the lock, or the
  ///   reason that the value can't be stored. If it throws, nothing is changed.
  public func update<Value, Result>(
    _ key: Defaults.Key<Value>, _ body: (inout Value) throws -> Result
  ) throws -> Result {
    let outer = TransactionScope.current
    return try transaction { draft in
      // A suite of a third party has no scope of its own.
      if let scope = TransactionScope.current, scope !== outer { scope.updates(key.name) }
      var value = key.isRequired ? try draft.value(for: key) : draft[key]
      let result = try body(&value)
      try draft.set(value, for: key)
      return result
    }
  }

  /// Returns whether an entry is stored for a key. A default isn't a stored entry.
  public func contains(_ key: Defaults.AnyKey) -> Bool { key.entry(in: self) != nil }

  /// Removes the entries of keys in one transaction, so that they have their default values again.
  public func reset(_ key: Defaults.AnyKey, _ more: Defaults.AnyKey...) { reset([key] + more) }

  /// Removes the entries of keys in one transaction, so that they have their default values again.
  public func reset(_ keys: some Sequence<Defaults.AnyKey>) {
    write { draft in
      for key in keys { key.write(.remove, in: &draft) }
    }
  }

  /// Flushes like the synchronous form, without blocking the task's thread.
  ///
  /// - Throws: The error of the synchronous form.
  public func flush() async throws(Defaults.SuiteError) { try await flush(.durable) }

  /// Flushes like the synchronous form, without blocking the task's thread.
  ///
  /// - Throws: The error of the synchronous form.
  public func flush(_ extent: Defaults.FlushExtent) async throws(Defaults.SuiteError) {
    try await LibraryThread.run { () throws(SuiteError) in try self.flush(extent) }
  }
}

// MARK: - Drafts

extension Defaults.Draft {
  /// The value of a key. The getter returns the default for an entry that doesn't decode; the
  /// setter leaves the entry unchanged if the value can't be encoded. Both report an issue. The
  /// getter traps for a required setting without a valid value.
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { key.value(ofEntry: key.entry(in: self), in: suite, isCommitted: false) }
    set {
      do { try set(newValue, for: key) } catch { suite.support.report(error) }
    }
  }

  /// Returns the value of a key; throws like ``Suite/value(for:)``.
  public func value<Value>(for key: Defaults.Key<Value>) throws(Defaults.SuiteError) -> Value {
    try key.decode(key.entry(in: self), in: suite)
  }

  /// Sets the value of a key.
  ///
  /// - Throws: `unencodable` or `unrepresentable` if the value can't be stored, `invalid` if a rule
  ///   of the key rejects it, `managed` if an administrator prescribes the setting. In these cases,
  ///   the draft is unchanged.
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
