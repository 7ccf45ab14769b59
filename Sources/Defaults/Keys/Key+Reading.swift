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
  var cached: Value? {
    slot.value(at: cell.generation.load(ordering: .acquiring))
  }

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
    if entry == nil, case .initial = fallback { return decoded(in: suite) }
    // A suite of layers may not know the key's previous names yet.
    if entry == nil, isResolved, !previousNames.isEmpty { return decoded(in: suite) }
    let value = value(ofEntry: entry, in: suite)
    if isConstant(entry, in: suite) { slot.store(value, at: generation) }
    return value
  }

  /// Returns the entry in a suite, after storing the key's initial value if there is none.
  @discardableResult
  func establishedEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    guard case .initial(let initial) = fallback else { return entry(in: suite) }
    return entry(in: suite, orStoring: initial) { (value) throws(Defaults.SuiteError) in
      try encoded(value, in: suite)
    }
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

  private func isConstant(
    _ entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Bool {
    if case .computed = fallback {} else { return true }
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else { return false }
    // An entry that lacks fields is filled from the default, which is computed each time.
    guard let value = try? coding.value(ofEntry: entry) else { return false }
    return complaint(about: value) == nil
  }

  /// Returns the value of an entry, or the default with the reason that the entry isn't used.
  /// Reports nothing.
  package func valueAndProblem(
    ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> (value: Value, problem: Defaults.SuiteError?) {
    knownValue(ofEntry: entry, in: suite) ?? (defaultValue, missing(in: suite))
  }

  /// Returns the value of an entry, or the default with the reason that the entry isn't used; nil
  /// for a required setting without a known valid value.
  package func knownValue(
    ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> (value: Value, problem: Defaults.SuiteError?)? {
    do throws(Defaults.SuiteError) {
      return (try decode(entry, in: suite), nil)
    } catch {
      guard case .required(let last) = fallback else { return (defaultValue, error) }
      return last.value.map { ($0, error) }
    }
  }

  /// Whether the first value is generated and stored, so that no value is the default.
  package var isGeneratedOnce: Bool { if case .initial = fallback { true } else { false } }

  /// Remembers the value of a required setting in the key's own suite, for reads while it is
  /// missing.
  func remember(_ value: Value, in suite: any Defaults.Suite) {
    if case .required(let last) = fallback, place.isSame(as: suite) { last.value = value }
  }

  /// Returns the value of an entry, or the default; reports an entry that doesn't decode.
  package func value(ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite)
    -> Value
  {
    let (value, problem) = valueAndProblem(ofEntry: entry, in: suite)
    if let problem { suite.support.report(problem) } else { remember(value, in: suite) }
    return value
  }

  /// Returns the value of an entry; without an entry, the registered default or else the key's
  /// default.
  package func decode(
    _ entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Value {
    let isStored = entry != nil
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else {
      if isRequired { throw missing(in: suite) }
      let value = defaultValue
      // The rules were checked on a constant default when the key was made.
      if case .computed = fallback, let complaint = complaint(about: value) {
        throw Defaults.SuiteError(
          .invalid, "The computed default isn't allowed: \(complaint)", suite: suite.label,
          key: name)
      }
      return value
    }
    let value: Value
    do {
      value = try coding.value(ofEntry: entry) {
        isStored ? valueForFilling(in: suite) : ownValueForFilling
      }
    } catch {
      throw failure(
        .undecodable, "The stored entry can't be read as \(Value.self)", error, in: suite)
    }
    if let complaint = complaint(about: value) {
      throw Defaults.SuiteError(
        .invalid, "The stored value isn't allowed, so the default is used: \(complaint)",
        suite: suite.label, key: name)
    }
    return value
  }

  /// Returns the reason that a value isn't allowed; nil if it is allowed.
  package func complaint(about value: Value) -> String? {
    guard let allows, !allows(value) else { return nil }
    return Defaults.Rule.complaint(of: rules, about: value, isSecret: isSecret)
  }

  /// Returns an error about a value. For a secret value, it omits the bridge's error, which may
  /// contain the value.
  func failure(
    _ code: Defaults.SuiteError.Code, _ reason: String, _ error: Defaults.ConversionError,
    in suite: any Defaults.Suite
  ) -> Defaults.SuiteError {
    Defaults.SuiteError(
      code, isSecret ? "\(reason); the details are redacted" : "\(reason): \(error.words)",
      suite: suite.label, key: name, underlying: isSecret ? nil : error)
  }
}
