// How a key finds and writes its entry in a suite: previous names and initial values. A read leaves
// an entry under a previous name in place; a write of the key moves it.

extension Defaults.KeyBase {
  /// Returns the entry of the setting in a suite, under the current name or else under the latest
  /// previous name that has one; nil if there is none.
  package func entry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    introduce(to: suite)
    return suite.entry(named: name) ?? previousEntry(in: suite)
  }

  /// Returns the entry of the setting in a draft. An entry under a previous name stays in place
  /// until the setting is written.
  package func entry(in draft: Defaults.Draft) -> Defaults.PropertyListValue? {
    introduce(to: draft.suite)
    return draft.entry(named: name) ?? previous(in: draft.entry(named:))?.entry
  }

  /// Registers the key with a suite that may not know it: a secret's names, to redact their values,
  /// and in a suite of layers the key itself, to parse its texts.
  package func introduce(to suite: any Defaults.Suite) {
    if let stored = suite.stored, let keyed = stored.keyed {
      keyed.addKey(self)
      if let base = stored.derived?.base { introduce(to: base) }
    }
    guard isSecret, !place.isSame(as: suite) else { return }
    suite.support.defaultsOfKeys.secretNames.add(allNames)
  }

  /// Returns the entry of a setting that has none under its current name.
  func previousEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    if previousNames.isEmpty || suite.stored?.derived?.resolvesPreviousNames == true { return nil }
    // Another thread may have set the key, and so moved the entry, since the first look-up.
    return previous(in: suite.entry(named:))?.entry ?? suite.entry(named: name)
  }

  /// Returns the entries of the setting before and after a change, under any of its names; nil if
  /// the change doesn't concern the setting. For names outside of the change, the suite's entries
  /// are used.
  package func entry(
    in change: Defaults.Change, of suite: any Defaults.Suite
  ) -> Defaults.Change.Entry? {
    guard allNames.contains(where: { change.entries[$0] != nil }) else { return nil }
    var (old, new) = (Defaults.PropertyListValue?.none, Defaults.PropertyListValue?.none)
    for name in allNames {
      let entry = change.entries[name]
      old = old ?? (entry.map(\.old) ?? suite.entry(named: name))
      new = new ?? (entry.map(\.new) ?? suite.entry(named: name))
    }
    return Defaults.Change.Entry(old: old, new: new)
  }

  /// The names under which a read looks for an entry.
  package var observedNames: Set<String> { Set(allNames) }

  /// Returns the entry under the latest previous name that has one.
  private func previous(
    in entry: (String) -> Defaults.PropertyListValue?
  ) -> (name: String, entry: Defaults.PropertyListValue)? {
    for name in previousNames {
      if let entry = entry(name) { return (name, entry) }
    }
    return nil
  }

  /// Makes an edit that was validated before, and removes the entries under previous names.
  ///
  /// - Throws: The reason that the edit can't be made. A suite on a file makes it in memory at
  ///   least, and reports failures to write the file.
  package func store(
    _ edit: Defaults.Edit, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) {
    if previousNames.isEmpty {
      try suite.make(edit, named: name)
    } else {
      try suite.make { write(edit, in: &$0) }
    }
  }

  /// Makes an edit of the entry in a draft, and removes the entries under previous names, so that
  /// removing the setting doesn't bring an old value back.
  package func write(_ edit: Defaults.Edit, in draft: inout Defaults.Draft) {
    draft.write(edit, named: name)
    removePreviousEntries(in: &draft)
  }

  /// Removes the entry, also under previous names, so that the key has its default value again.
  public func reset() {
    let suite = suite
    do throws(Defaults.SuiteError) {
      try store(.remove, in: suite)
    } catch {
      suite.support.report(error)
    }
  }

  /// Removes the entries under previous names.
  func removePreviousEntries(in draft: inout Defaults.Draft) {
    for name in previousNames { draft.removeEntry(named: name) }
  }
}

// MARK: - Writing

extension Defaults.Key {
  /// Returns the edit that stores a value; throws if it is invalid or can't be stored exactly.
  package func edit(
    for value: Value, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let edit = try encoded(value, in: suite)
    // If this value is removed later, the next initial value is computed again.
    if case .initial(let initial) = fallback { initial.forgetCandidate() }
    return edit
  }

  /// Returns the edit for a value, and keeps the initial value, since the edit may not be made.
  func encoded(
    _ value: Value, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    introduce(to: suite)
    if let complaint = complaint(about: value) {
      throw Defaults.SuiteError(
        .invalid, "The value isn't allowed; the previous value was kept: \(complaint)",
        suite: suite.label, key: name)
    }
    let edit: Defaults.Edit
    do {
      edit = try coding.edit(for: value)
    } catch {
      throw failure(
        .unencodable, "The value can't be stored; the previous value was kept", error, in: suite)
    }
    if let entry = edit.entry { try suite.check(entry, named: name) }
    return edit
  }
}

// MARK: - Initial values

/// The value that a setting gets when it is first needed, and then keeps.
@usableFromInline
final class InitialValue<Value: Sendable>: Sendable {
  private let compute: @Sendable () -> Value
  /// Computed, but not stored yet.
  private let pending = Lock(Value?.none)

  @usableFromInline
  init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
  }

  /// The value to store next. It stays the same until a value was stored.
  var candidate: Value {
    if let value = pending.withLock({ $0 }) { return value }
    // Outside of the lock, because the closure may read other settings.
    let value = compute()
    return pending.withLock { pending in
      if let earlier = pending { return earlier }
      pending = value
      return value
    }
  }

  /// Discards the candidate after a value was stored, so that after a removal it is computed again.
  func forgetCandidate() {
    pending.replace(with: nil)
  }
}

extension Defaults.KeyBase {
  /// Returns the entry of the setting in a suite; if there is none, stores the initial value first.
  ///
  /// If several threads and processes read at once, one of them stores its value, and all get that
  /// value. Inside a transaction, or while another transaction holds the lock for long, nothing is
  /// stored; a later read stores the value. The read waits for another process's lock no longer
  /// than a setter does.
  func entry<Value>(
    in suite: any Defaults.Suite, orStoring initial: InitialValue<Value>,
    _ encode: (Value) throws(Defaults.SuiteError) -> Defaults.Edit
  ) -> Defaults.PropertyListValue? {
    if let entry = entry(in: suite) { return entry }
    guard suite.support.registeredDefault(named: name) == nil, suite.isFreeForReader else {
      return nil
    }
    do throws(Defaults.SuiteError) {
      let edit = try encode(initial.candidate)
      try suite.commitBriefly { draft in
        if entry(in: draft) == nil { write(edit, in: &draft) }
      }
      if edit != .remove { initial.forgetCandidate() }
    } catch {
      suite.support.report(error)
    }
    return suite.entry(named: name)
  }
}

extension Defaults.Suite {
  /// Whether a read may store an initial value here: not inside a transaction of this thread, nor
  /// while another transaction holds the lock for long. Setters and most transactions take
  /// microseconds, so this waits for a tenth of a second at most.
  fileprivate var isFreeForReader: Bool {
    !TransactionScope.isRunning
      && stored?.table.writer.withLockIfFree(attempts: 100) { _ in } != false
  }

  /// Runs a transaction that waits for another process no longer than a setter does.
  fileprivate func commitBriefly(
    _ body: (inout Defaults.Draft) throws -> Void
  ) throws(Defaults.SuiteError) {
    do {
      if let stored {
        try stored.commit(.exact, within: .seconds(1), body)
      } else {
        try transaction(body)
      }
    } catch {
      throw Defaults.SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }
}

// MARK: - Entries without the fields that their type got later

extension Defaults.Key {
  /// Returns the value from which missing fields of an entry are filled: the value of a read
  /// without an entry; nil for a detached key, whose default is unknown.
  package func valueForFilling(in suite: any Defaults.Suite) -> Value? {
    guard suite.support.registeredDefault(named: name) != nil,
      let registered = try? decode(nil, in: suite)
    else { return ownValueForFilling }
    return registered
  }

  /// The value from which missing fields of a registered default are filled.
  var ownValueForFilling: Value? {
    defaultValueIfAny
  }

  /// Returns whether an entry fails to decode only because it lacks a field.
  func lacksField(_ entry: Defaults.PropertyListValue) -> Bool {
    do throws(Defaults.ConversionError) {
      _ = try coding.value(ofEntry: entry)
      return false
    } catch {
      return error.lacksField
    }
  }
}
