import Synchronization

extension Defaults {
  /// The declaration of a setting: its name, the type of its value, its default, and its suite.
  ///
  /// ```swift
  /// extension Defaults.Keys {
  ///   static let quality = Key<Double>("quality", default: 0.8)
  ///   static let nickname = Key<String?>("nickname")
  ///   static let camera = Key<Camera?>("camera") { Camera.default }
  /// }
  /// ```
  ///
  /// A name may be any string but the empty one, dots and all. Creating a key opens its suite, and
  /// registers the default with it for untyped look-ups (a default that is computed isn't). Keep
  /// keys in static constants: they remember what they decoded last, which makes reading cheap.
  ///
  /// Everything else that a declaration says is a ``Trait``, in any order after the other arguments.
  public final class Key<Value: Sendable>: AnyKey, @unchecked Sendable {
    // Unchecked as its superclass demands; every property is a constant of a Sendable type.

    @usableFromInline
    enum Fallback: Sendable {
      case constant(Value)
      /// The nil of an optional key: there is nothing to register.
      case unregistered(Value)
      case computed(@Sendable () -> Value)
      /// To be stored when it is needed first.
      case initial(InitialValue<Value>)
      /// Not known, since the key is detached from its suite.
      case unknown
    }

    @usableFromInline let fallback: Fallback
    @usableFromInline package let coding: Coding<Value>
    /// What values are allowed.
    package let rules: [Rule<Value>]
    /// Whether all rules allow a value; nil if there are none. One call, where asking each of the
    /// rules would retain and release them, 30 ns.
    private let allows: (@Sendable (Value) -> Bool)?
    @usableFromInline let slot = DecodedSlot<Value>()
    /// The suite's cell of the name. If the suite has none, one of the key's own: what was decoded
    /// is never kept then, and the suite is asked for each read. (Not optional: unwrapping it would
    /// retain and release it, 20 of the 22 ns that a read of an `Int` then took.)
    @usableFromInline let cell: Cell

    /// Makes a key; `prefixed` turns previous names, as the declaration has them, into those of
    /// entries.
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
            + "give it one, `default:` or a closure, or leave the trait out")
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

    /// The same declaration in no suite.
    private init(detachedFrom key: Defaults.Key<Value>) {
      // A default that is computed may hold the suite.
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
      // The key that this one was detached from fills it.
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

    /// The value of the setting while nothing is stored; computed anew each time if it was declared
    /// so. Of an initial value, that which is stored next.
    public var defaultValue: Value {
      switch fallback {
      case .constant(let value), .unregistered(let value): value
      case .computed(let compute): compute()
      case .initial(let initial): initial.candidate
      case .unknown:
        fatalError("the default of \"\(escaped(name))\" was asked for where there is no suite")
      }
    }

    /// The default, if it is the same each time.
    package var constantDefault: Value? {
      if case .constant(let value) = fallback { .some(value) } else { nil }
    }

    /// Whether reading gives the default value now, stored or not; compares the encoded values.
    public override var isDefaultValue: Bool {
      let suite = suite
      guard let value = try? decode(entry(in: suite), in: suite) else { return true }
      let present = try? coding.edit(for: value)
      return present == (try? coding.edit(for: defaultValue))
    }

    /// The name, the type, and the value as a read finds it.
    override var declaration: String {
      let suite = suite
      let entry = suite.entry(named: name) ?? previousEntry(in: suite)
      let start = "\(escaped(name)): \(Description.of(Value.self))"
      if entry == nil, case .initial = fallback { return start + ", not stored yet" }
      guard let value = try? decode(entry, in: suite) else {
        return start + ", stored as what can't be read"
      }
      return "\(start) = \(isSecret ? Description.secret : Description.brief(value: value))"
    }
  }
}

// MARK: - Reading

extension Defaults.Key {
  /// The value as `Defaults[key]` gives it.
  @inlinable
  var current: Value {
    // The hot path takes no lock.
    cached ?? decoded()
  }

  /// What was decoded last, if its generation is still the present one, and no scope was opened.
  @inlinable
  var cached: Value? {
    slot.value(at: cell.generation.load(ordering: .acquiring))
  }

  /// Decodes the entry, and keeps the result unless it has to be computed anew each time.
  @usableFromInline
  func decoded() -> Value {
    // The suite that stands in for the key's own has other entries, which the slot doesn't hold.
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
    // A suite of layers may not know the key yet.
    if entry == nil, isResolved, !previousNames.isEmpty { return decoded(in: suite) }
    let value = value(ofEntry: entry, in: suite)
    if isConstant(entry, in: suite) { slot.store(value, at: generation) }
    return value
  }

  /// The entry in a suite, after storing the initial value if the key has one and there is no
  /// entry.
  @discardableResult
  func establishedEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    guard case .initial(let initial) = fallback else { return entry(in: suite) }
    return entry(in: suite, orStoring: initial) { (value) throws(Defaults.SuiteError) in
      try encoded(value, in: suite)
    }
  }

  /// Decodes the entry in a suite, and keeps nothing of it but an initial value.
  private func decoded(in suite: any Defaults.Suite) -> Value {
    value(ofEntry: establishedEntry(in: suite), in: suite)
  }

  /// The value as any suite gives it; the suite of the key itself keeps what is decoded.
  @usableFromInline
  func value(in suite: any Defaults.Suite) -> Value {
    place.isSame(as: suite) ? current : decoded(in: suite)
  }

  private func isConstant(
    _ entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Bool {
    if case .computed = fallback {} else { return true }
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else { return false }
    // One that lacks fields is filled from a default that is computed each time.
    guard let value = try? coding.value(ofEntry: entry) else { return false }
    return complaint(about: value) == nil
  }

  /// The value of an entry, or the default and why that counts; tells nobody.
  package func valueAndProblem(
    ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> (value: Value, problem: Defaults.SuiteError?) {
    do throws(Defaults.SuiteError) {
      return (try decode(entry, in: suite), nil)
    } catch {
      return (defaultValue, error)
    }
  }

  /// The value of an entry, or the default; an entry that doesn't decode is an issue.
  package func value(ofEntry entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite)
    -> Value
  {
    let (value, problem) = valueAndProblem(ofEntry: entry, in: suite)
    if let problem { suite.support.report(problem) }
    return value
  }

  /// The value of an entry; without one the registered default, else the key's.
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
        .invalid, "What is stored isn't allowed, and reads as the default: \(complaint)",
        suite: suite.label, key: name)
    }
    return value
  }

  /// Why a value isn't allowed; nil if it is.
  package func complaint(about value: Value) -> String? {
    guard let allows, !allows(value) else { return nil }
    return Defaults.Rule.complaint(of: rules, about: value, isSecret: isSecret)
  }

  /// An error about a value; of a secret one it doesn't repeat what a bridge says, which may show
  /// it.
  func failure(
    _ code: Defaults.SuiteError.Code, _ reason: String, _ error: Defaults.ConversionError,
    in suite: any Defaults.Suite
  ) -> Defaults.SuiteError {
    Defaults.SuiteError(
      code, isSecret ? "\(reason); why isn't said of a secret" : "\(reason): \(error.words)",
      suite: suite.label, key: name, underlying: isSecret ? nil : error)
  }
}
