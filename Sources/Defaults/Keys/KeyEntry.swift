// The door between a key and the entries of a suite: here is what previous names and initial values
// mean. A read leaves an entry under a previous name where it is; a write of the key moves it.

extension Defaults.KeyBase {
  /// The entry of the setting in a suite, under its present name or else under the latest previous one
  /// that has one; nil if there is none.
  package func entry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    introduce(to: suite)
    return suite.entry(named: name) ?? previousEntry(in: suite)
  }

  /// The entry of the setting in a draft, which leaves one under a previous name where it is until
  /// the setting is written.
  package func entry(in draft: Defaults.Draft) -> Defaults.PropertyListValue? {
    introduce(to: draft.suite)
    return draft.entry(named: name) ?? previous(in: draft.entry(named:))?.entry
  }

  /// Tells a suite that may not know the key what it is to know: what it mustn't show, and if it is
  /// made of layers, what the texts of some mean.
  package func introduce(to suite: any Defaults.Suite) {
    if let stored = suite.stored, let keyed = stored.keyed {
      keyed.addKey(self)
      if let base = stored.derived?.base { introduce(to: base) }
    }
    guard isSecret, !place.isSame(as: suite) else { return }
    suite.support.defaultsOfKeys.secretNames.add(allNames)
  }

  /// The entry of a setting that was found to have none under its present name.
  func previousEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    if previousNames.isEmpty || suite.stored?.derived?.resolvesPreviousNames == true { return nil }
    // Another thread may have set the key, and so moved the entry, after the first look.
    return previous(in: suite.entry(named:))?.entry ?? suite.entry(named: name)
  }

  /// The entries of the setting before and after a change, whatever their names; nil if the change
  /// isn't one of it. Under a name that the change doesn't have is what the suite has now.
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

  /// The names whose entries a read may find.
  package var observedNames: Set<String> { Set(allNames) }

  /// The entry under the latest of the previous names that has one.
  private func previous(
    in entry: (String) -> Defaults.PropertyListValue?
  ) -> (name: String, entry: Defaults.PropertyListValue)? {
    for name in previousNames {
      if let entry = entry(name) { return (name, entry) }
    }
    return nil
  }

  /// Makes an edit that was validated before of the entry in a suite, and takes away those under
  /// previous names.
  ///
  /// Throws why it can't be made. A suite on a file makes it in memory at least, and reports what
  /// prevents more.
  package func store(
    _ edit: Defaults.Edit, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) {
    if previousNames.isEmpty {
      try suite.make(edit, named: name)
    } else {
      try suite.make { write(edit, in: &$0) }
    }
  }

  /// Makes an edit of the entry in a draft, and takes away those under previous names: removing the
  /// setting mustn't bring an old value back.
  package func write(_ edit: Defaults.Edit, in draft: inout Defaults.Draft) {
    draft.write(edit, named: name)
    removePreviousEntries(in: &draft)
  }

  /// Removes the stored entry, so that the key has its default value again; entries under
  /// previous names, too.
  public func reset() {
    let suite = suite
    do throws(Defaults.SuiteError) {
      try store(.remove, in: suite)
    } catch {
      suite.support.report(error)
    }
  }

  /// Takes away the entries under previous names.
  func removePreviousEntries(in draft: inout Defaults.Draft) {
    for name in previousNames { draft.removeEntry(named: name) }
  }
}

// MARK: - Writing

extension Defaults.Key {
  /// What writing a value does to the entry; throws if the value can't be encoded or kept exactly.
  package func edit(
    for value: Value, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let edit = try encoded(value, in: suite)
    // What comes after it, if that is removed one day, is computed anew.
    if case .initial(let initial) = fallback { initial.forgetCandidate() }
    return edit
  }

  /// The edit for a value, which may not be made.
  func encoded(
    _ value: Value, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    introduce(to: suite)
    if let complaint = complaint(about: value) {
      throw Defaults.SuiteError(
        .invalid, "The value isn't allowed, the old one stays: \(complaint)", suite: suite.label,
        key: name)
    }
    let edit: Defaults.Edit
    do {
      edit = try coding.edit(for: value)
    } catch {
      throw failure(.unencodable, "The value can't be stored, the old one stays", error, in: suite)
    }
    if let entry = edit.entry { try suite.check(entry, named: name) }
    return edit
  }
}

// MARK: - Initial values

/// The value that a setting gets when it is needed first, and then keeps.
@usableFromInline
final class InitialValue<Value: Sendable>: Sendable {
  private let compute: @Sendable () -> Value
  /// Computed, and not stored so far.
  private let pending = Lock(Value?.none)

  @usableFromInline
  init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
  }

  /// What is to be stored next; the same until something was.
  var candidate: Value {
    if let value = pending.withLock({ $0 }) { return value }
    // Outside of the lock: it may read other settings.
    let value = compute()
    return pending.withLock { pending in
      if let earlier = pending { return earlier }
      pending = value
      return value
    }
  }

  /// Forgets the candidate, since a value was stored: what comes after a removal is computed anew.
  func forgetCandidate() {
    pending.replace(with: nil)
  }
}

extension Defaults.KeyBase {
  /// The entry of the setting in a suite, after storing the initial value if there is none.
  ///
  /// Of all threads and processes that come at once, one stores its value, and all find that. In a
  /// transaction nothing is stored, and beside one that holds the lock neither: the next read does
  /// it. Another process that has the lock isn't waited for longer than a setter waits.
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
  /// Whether the first read may store an initial value here: not in one that this thread is in, nor beside one
  /// that holds the lock for long. Setters and most transactions take microseconds, so this waits for a
  /// tenth of a second at most.
  fileprivate var isFreeForReader: Bool {
    !TransactionScope.isRunning
      && stored?.table.writer.withLockIfFree(attempts: 100) { _ in } != false
  }

  /// A transaction that waits for another process no longer than a setter does.
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

// MARK: - Entries that lack fields, since the type got them later

extension Defaults.Key {
  /// The value that missing fields of an entry are filled from: what a read gives where there is no
  /// entry. Nil for a detached key, which doesn't know it.
  package func valueForFilling(in suite: any Defaults.Suite) -> Value? {
    guard suite.support.registeredDefault(named: name) != nil,
      let registered = try? decode(nil, in: suite)
    else { return ownValueForFilling }
    return registered
  }

  /// The same, for an entry that was registered as the default.
  var ownValueForFilling: Value? {
    if case .unknown = fallback { nil } else { defaultValue }
  }

  /// Whether nothing else is known to be wrong with an entry than that it lacks a field.
  func lacksField(_ entry: Defaults.PropertyListValue) -> Bool {
    do throws(Defaults.ConversionError) {
      _ = try coding.value(ofEntry: entry)
      return false
    } catch {
      return error.lacksField
    }
  }
}
