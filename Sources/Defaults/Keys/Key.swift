import Synchronization

extension Defaults {
  /// The declaration of a setting: its name, type, default and suite.
  ///
  /// ```swift
  /// extension Defaults.Keys {
  ///   static let quality = Key<Double>("quality", default: 0.8)
  ///   static let nickname = Key<String?>("nickname")
  ///   static let camera = Key<Camera?>("camera") { Camera.default }
  /// }
  /// ```
  ///
  /// A name may be any string but the empty one; dots are allowed. Creating a key opens its suite
  /// and registers the default for look-ups by name, unless the default is computed. Keep keys in
  /// static constants: a key caches the value that it decoded last, which makes reading fast.
  ///
  /// Everything else in a declaration is a ``Trait``, in any order after the other arguments.
  public final class Key<Value: Sendable>: AnyKey, @unchecked Sendable {
    // Unchecked because its superclass is; every property is a constant of a Sendable type.

    @usableFromInline
    enum Fallback: Sendable {
      case constant(Value)
      /// The nil of an optional key, which isn't registered.
      case unregistered(Value)
      case computed(@Sendable () -> Value)
      /// Stored when it is first needed.
      case initial(InitialValue<Value>)
      /// Unknown, because the key is detached from its suite.
      case unknown
    }

    @usableFromInline let fallback: Fallback
    @usableFromInline package let coding: Coding<Value>
    /// The rules that values must satisfy.
    package let rules: [Rule<Value>]
    /// Whether all rules allow a value; nil if there are no rules. One closure, because a loop over
    /// the rules would retain and release each of them, which takes 30 ns.
    private let allows: (@Sendable (Value) -> Bool)?
    @usableFromInline let slot = DecodedSlot<Value>()
    /// The suite's cell for the name. If the suite has none, a cell of the key's own, with which
    /// each read goes to the suite and nothing is cached. Not optional, because unwrapping would
    /// retain and release it: 20 of the 22 ns that a read of an `Int` took.
    @usableFromInline let cell: Cell

    /// Creates a key; `prefixed` turns the previous names of the declaration into names of entries.
    @usableFromInline
    init(
      _ name: String, fallback: Fallback, suite: any Suite, coding: Coding<Value>,
      traits: [Trait<Value>] = [], prefixed: ([String]) -> [String] = { $0 }
    ) {
      let labels = TraitLabels(traits)
      let rules = traits.compactMap(\.rule)
      let previousNames = prefixed(labels.previousNames)
      if case .unregistered = fallback, labels.generation != nil {
        fatalError(
          "the key \"\(escaped(name))\" has no default to compute or generate; "
            + "add `default:` or a closure, or remove the trait")
      }
      for defect in rules.lazy.compactMap({ $0.defect() }) {
        fatalError("the key \"\(escaped(name))\" can't be declared: \(escapedMessage(defect))")
      }
      self.fallback = fallback
      self.coding = coding
      let place = KeySuite(suite)
      cell = place.cell(named: name, orElse: previousNames)
      self.rules = rules
      switch rules.count {
      case 0, 1: allows = rules.first?.allows
      default: allows = { [rules] value in !rules.contains { !$0.allows(value) } }
      }
      super.init(
        name: name, previousNames: previousNames, place: place, about: labels.about,
        isSecret: labels.isSecret)
      declare()
    }

    /// Creates a copy of the declaration without its suite.
    private init(detachedFrom key: Defaults.Key<Value>) {
      // The closure of a computed default may retain the suite.
      switch key.fallback {
      case .constant, .unregistered: fallback = key.fallback
      case .computed, .initial, .unknown: fallback = .unknown
      }
      coding = key.coding
      rules = key.rules
      allows = key.allows
      cell = .unbound
      super.init(
        name: key.name, previousNames: key.previousNames, place: .none, about: key.about,
        isSecret: key.isSecret)
    }

    package override var detached: AnyKey {
      Defaults.Key<Value>(detachedFrom: self)
    }

    package override func problem(with entry: PropertyListValue) -> SuiteError? {
      // The key that this one was detached from fills in the missing field.
      if case .unknown = fallback, lacksField(entry) { return nil }
      do throws(SuiteError) {
        _ = try decode(entry, in: place.here)
        return nil
      } catch {
        return error
      }
    }

    override var keyDeclaration: KeyDeclaration {
      KeyDeclaration(
        type: Value.self, isSecret: isSecret, encodedDefault: nil,
        rules: rules.isEmpty ? nil : declaredRules)
    }

    override func news(in change: Change, of suite: any Suite) -> KeyNews? {
      newsOfEntry(in: change, of: suite)
    }

    /// The value of the setting while nothing is stored. If a closure computes it, each access
    /// does; with ``Trait/generatedOnce`` it is the value that will be stored.
    public var defaultValue: Value {
      switch fallback {
      case .constant(let value), .unregistered(let value): value
      case .computed(let compute): compute()
      case .initial(let initial): initial.candidate
      case .unknown:
        fatalError("the key \"\(escaped(name))\" is detached from its suite and has no default")
      }
    }

    /// The default, if it is constant.
    package var constantDefault: Value? {
      if case .constant(let value) = fallback { .some(value) } else { nil }
    }

    /// Whether the current value equals the default, stored or not. Compares the encoded values.
    public override var isDefaultValue: Bool {
      let suite = suite
      guard let value = try? decode(entry(in: suite), in: suite) else { return true }
      let present = try? coding.edit(for: value)
      return present == (try? coding.edit(for: defaultValue))
    }

    /// The name, the type and the current value.
    override var declaration: String {
      let suite = suite
      let entry = suite.entry(named: name) ?? previousEntry(in: suite)
      let start = "\(escaped(name)): \(Description.of(Value.self))"
      if entry == nil, case .initial = fallback { return start + ", not stored yet" }
      guard let value = try? decode(entry, in: suite) else {
        return start + ", stored in an unreadable form"
      }
      let isSecret = isSecret || suite.support.isSecret(name)
      return "\(start) = \(isSecret ? Description.secret : Description.brief(value: value))"
    }
  }
}

// MARK: - Reading

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

  /// Returns the value in any suite; only that of the key's own suite is cached.
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

  /// Returns the value of an entry, or the default with the reason for it. Reports nothing.
  package func valueAndProblem(
    ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> (value: Value, problem: Defaults.SuiteError?) {
    do throws(Defaults.SuiteError) {
      return (try decode(entry, in: suite), nil)
    } catch {
      return (defaultValue, error)
    }
  }

  /// Returns the value of an entry, or the default; reports an entry that doesn't decode.
  package func value(ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite)
    -> Value
  {
    let (value, problem) = valueAndProblem(ofEntry: entry, in: suite)
    if let problem { suite.support.report(problem) }
    return value
  }

  /// Returns the value of an entry; without one, the registered default or else the key's own.
  func decode(
    _ entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Value {
    let isStored = entry != nil
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else {
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

  /// Returns the reason that a value isn't allowed; nil if it is.
  package func complaint(about value: Value) -> String? {
    guard let allows, !allows(value) else { return nil }
    return Defaults.Rule.complaint(of: rules, about: value, isSecret: isSecret)
  }

  /// Returns an error about a value. For a secret value it leaves out the error of the bridge,
  /// which may contain the value.
  func failure(
    _ code: Defaults.SuiteError.Code, _ reason: String, _ error: Defaults.ConversionError,
    in suite: any Defaults.Suite
  ) -> Defaults.SuiteError {
    Defaults.SuiteError(
      code, isSecret ? "\(reason); the details are redacted" : "\(reason): \(error.words)",
      suite: suite.label, key: name, underlying: isSecret ? nil : error)
  }
}
