import Synchronization

// How a key reads its value: from the cache, or by decoding its entry.

extension Defaults.Key {
  /// The value that `Defaults[key]` returns.
  @inlinable
  var current: Value {
    // The hot path takes no lock.
    cached ?? decoded()
  }

  /// The value that was decoded last, if its generation is still current and no scope was opened.
  @inlinable
  var cached: Value? { slot.value(at: cell.generation.load(ordering: .acquiring)) }

  /// Decodes the entry, and caches the value unless it has to be computed on each read.
  @usableFromInline
  func decoded() -> Value {
    // The suite that replaces the key's own has other entries, which the slot doesn't cache.
    if place.isReplaced { return decoded(in: suite) }
    let known = cell.present
    if known.generation != 0, !known.isTrusted, let value = slot.value(at: known.generation) {
      return value
    }
    let suite = suite
    guard known.generation != 0, let stored = suite.stored else { return decoded(in: suite) }
    let isResolved = stored.derived?.resolvesPreviousNames ?? false
    let (entry, generation) = stored.table.entry(
      named: name, orElse: isResolved ? [] : previousNames, of: cell)
    if entry == nil, isGeneratedOnce { return decoded(in: suite) }
    // A suite of layers may not know the key's previous names yet.
    if entry == nil, isResolved, !previousNames.isEmpty { return decoded(in: suite) }
    let value = value(ofEntry: entry, in: suite)
    if isConstant(entry, in: suite) { slot.store(value, at: generation) }
    return value
  }

  /// Returns the entry in a suite; if there is none, stores the key's initial value first.
  ///
  /// If several threads and processes read at once, one of them stores its value, and all get that
  /// value. Inside a transaction, or while another one holds the lock for long, nothing is stored.
  @discardableResult
  func establishedEntry(in suite: any Defaults.Suite) -> PropertyListValue? {
    if let entry = entry(in: suite) { return entry }
    // Not inside a transaction of this thread.
    guard let initial,
      suite.support.registeredDefault(named: name) == nil, TransactionScope.current == nil
    else { return nil }
    let candidate = candidate(of: initial, in: suite)
    // The reader reports a value that a rule rejects, as it does for a computed default. Another
    // transaction may have begun during the computation.
    guard complaint(about: candidate, in: suite) == nil, !isBusy(suite) else { return nil }
    do {
      let edit = try edit(for: candidate, in: suite)
      // The initial value is nil, which isn't stored, so each read would be a commit.
      guard edit != .remove else { return nil }
      let store = { (draft: inout Defaults.Draft) in
        if self.entry(in: draft) == nil { self.write(edit, in: &draft) }
      }
      try TaskContext.changing({ $0.isStoringInitialValue = true }) {
        if let stored = suite.stored {
          try stored.commit(.exact, within: .seconds(1), store)
        } else {
          try suite.transaction(store)
        }
      }
    } catch {
      suite.support.report(SuiteError(wrapping: error, .unwritable, suite: suite.label))
    }
    let entry = suite.entry(named: name)
    if entry != nil, suite.stored == nil {
      // The stored value isn't used again, even if a suite of a third party queues no changes of
      // names without observers.
      suite.support.cell(named: name).advance()
    }
    return entry
  }

  /// Returns whether another thread holds the lock of a suite's writers for a tenth of a second. It
  /// isn't known for a suite of a third party.
  private func isBusy(_ suite: any Defaults.Suite) -> Bool {
    let writer = suite.stored?.table.writer ?? (suite as? Defaults.UserDefaultsSuite)?.writer
    guard let writer else { return false }
    return writer.withLockIfFree(attempts: 100, { _ in }) == nil
  }

  /// Decodes the entry in a suite without caching it. Stores an initial value.
  private func decoded(in suite: any Defaults.Suite) -> Value {
    value(ofEntry: establishedEntry(in: suite), in: suite)
  }

  /// Returns the value in any suite; only the value in the key's own suite is cached.
  @usableFromInline
  func value(in suite: any Defaults.Suite) -> Value {
    place.isSame(as: suite) ? current : decoded(in: suite)
  }

  private func isConstant(_ entry: PropertyListValue?, in suite: any Defaults.Suite) -> Bool {
    if case .computed = fallback {} else { return true }
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else { return false }
    // An entry that lacks fields is filled from the default, which is computed each time.
    guard let value = try? coding.value(ofEntry: entry) else { return false }
    return complaint(about: value, in: nil) == nil
  }

  /// Returns the value of an entry, or the default with the reason that the entry isn't used; nil
  /// for a required setting without a known valid value.
  package func knownValue(
    ofEntry entry: PropertyListValue?, in suite: any Defaults.Suite
  ) -> (value: Value, problem: SuiteError?)? {
    do throws(SuiteError) {
      return (try decode(entry, in: suite), nil)
    } catch {
      // Without an entry, the registered default is what didn't decode.
      if entry != nil, let value = registeredValue(in: suite) { return (value, error) }
      guard case .required(let last) = fallback else { return (defaultValue(in: suite), error) }
      // The last valid value is that of the key's own suite.
      guard place.isSame(as: suite) else { return nil }
      return last.withLock { $0 }.map { ($0, error) }
    }
  }

  /// Whether the first value is generated and stored, so that no value is the default.
  package var isGeneratedOnce: Bool { initial != nil }

  /// Remembers the value of a required setting in the key's own suite, for reads while it is
  /// missing.
  func remember(_ value: Value, in suite: any Defaults.Suite) {
    if case .required(let last) = fallback, place.isSame(as: suite) { last.replace(with: value) }
  }

  /// Returns the value of an entry, or the default; reports an entry that doesn't decode. Traps for
  /// a required setting without a known valid value.
  package func value(
    ofEntry entry: PropertyListValue?, in suite: any Defaults.Suite, isCommitted: Bool = true
  ) -> Value {
    guard let value = valueIfKnown(ofEntry: entry, in: suite, isCommitted: isCommitted) else {
      trapMissing(in: suite)
    }
    return value
  }

  /// Ends the program because a required setting has no known value.
  func trapMissing(in suite: any Defaults.Suite) -> Never {
    fatalError(
      "the required setting \"\(escaped(name))\" has no value in \(escaped(suite.label)); call "
        + "`try suite.validate(keys)` when the program starts")
  }

  /// Returns the value of an entry, or the default; nil for a required setting without a known
  /// valid value. Reports an entry that doesn't decode, and a missing value. A required setting
  /// remembers only values of committed entries.
  func valueIfKnown(
    ofEntry entry: PropertyListValue?, in suite: any Defaults.Suite, isCommitted: Bool = true
  ) -> Value? {
    guard let (value, problem) = knownValue(ofEntry: entry, in: suite) else {
      suite.support.report(missing(in: suite))
      return nil
    }
    if let problem {
      suite.support.report(problem)
    } else {
      // A change under a previous name doesn't end an issue about this name.
      if !previousNames.isEmpty { suite.support.reporter.forgetIssues(about: name) }
      if isCommitted { remember(value, in: suite) }
    }
    return value
  }
}
