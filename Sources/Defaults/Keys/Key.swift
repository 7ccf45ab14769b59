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
  /// A name may be any string except the empty one and the names of the library's own entries, such
  /// as ``Defaults/versionName``; dots are allowed. Creating a key opens its suite and registers
  /// the default for look-ups by name, unless the default is computed. Keep keys in static
  /// constants: a key caches the value that it decoded last, which makes reading fast.
  ///
  /// Everything else in a declaration is a ``Trait``, in any order after the other arguments.
  public final class Key<Value: Sendable>: AnyKey, @unchecked Sendable {
    // Unchecked because its superclass is; every property is a constant of a Sendable type.

    @usableFromInline let fallback: Fallback<Value>
    /// The initial value of the fallback. Looking into the fallback would take 3 % of a set.
    let initial: InitialValue<Value>?
    @usableFromInline package let coding: Coding<Value>
    package let rules: [Rule<Value>]
    /// Whether all rules allow a value; nil if there are no rules. One closure, because a loop over
    /// the rules would retain and release each of them, which takes 30 ns.
    let allows: (@Sendable (Value) -> Bool)?
    @usableFromInline let slot = DecodedSlot<Value>()
    /// The suite's cell for the name. If the suite has none, a cell of the key's own, with which
    /// each read goes to the suite and nothing is cached. Not optional, because unwrapping would
    /// retain and release it: 20 of the 22 ns that a read of an `Int` took.
    @usableFromInline let cell: Cell

    /// Creates a key; `prefixed` turns the previous names of the declaration into names of entries.
    @usableFromInline
    init(
      _ name: String, fallback: Fallback<Value>, suite: any Suite, coding: Coding<Value>,
      traits: [Trait<Value>] = [], prefixed: ([String]) -> [String] = { $0 }
    ) {
      let labels = TraitLabels(traits)
      // In a loop; see `TraitLabels`.
      var rules: [Rule<Value>] = []
      for trait in traits {
        if case .rule(let rule) = trait.content { rules.append(rule) }
      }
      let previousNames = prefixed(labels.previousNames)
      if labels.generation != nil, !fallback.isGenerated {
        fatalError(
          "the key \"\(escaped(name))\" has no default to compute or generate; "
            + "add `default:` or a closure, or remove the trait")
      }
      for rule in rules {
        guard let defect = rule.defect() else { continue }
        fatalError("the key \"\(escaped(name))\" can't be declared: \(escapedMessage(defect))")
      }
      self.fallback = fallback
      initial = if case .initial(let initial) = fallback { initial } else { nil }
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
        isSecret: labels.isSecret, mark: labels.mark)
      declare()
    }

    private init(detachedFrom key: Defaults.Key<Value>, addingPreviousNames more: [String]) {
      // The closure of a computed default may retain the suite.
      switch key.fallback {
      case .constant, .unregistered: fallback = key.fallback
      case .computed, .initial, .required, .unknown: fallback = .unknown
      }
      initial = nil
      coding = key.coding
      rules = key.rules
      allows = key.allows
      cell = .unbound
      super.init(
        name: key.name, previousNames: key.previousNames + more, place: .none, about: key.about,
        isSecret: key.isSecret, mark: key.mark)
    }

    package override func detached(addingPreviousNames more: [String] = []) -> AnyKey {
      Defaults.Key<Value>(detachedFrom: self, addingPreviousNames: more)
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

    override var shape: Shape { coding.shape }

    override var keyDeclaration: KeyDeclaration {
      KeyDeclaration(
        type: Value.self, isSecret: isSecret, encodedDefault: nil,
        rules: rules.isEmpty ? nil : declaredRules)
    }

    /// The key's own default: the value of the setting while nothing is stored, no default is
    /// registered with the suite, and no layer has a value. A closure computes it at each access;
    /// with ``Trait/generatedOnce`` it is the value that will be stored. A required setting has its
    /// last valid value, or traps if this process has read none.
    public var defaultValue: Value { defaultValue(in: suite) }

    /// Returns the default value in a suite. Only a generated value depends on the suite; any other
    /// doesn't resolve it, since that could open the program's file.
    func defaultValue(in suite: @autoclosure () -> any Suite) -> Value {
      if let value = defaultValueIfAny(in: suite()) { return value }
      if case .required(let last) = fallback {
        if let value = last.withLock({ $0 }) { return value }
        trapMissing(in: suite())
      }
      fatalError("the key \"\(escaped(name))\" is detached from its suite and has no default")
    }

    /// The default value; nil for a required setting.
    package var defaultValueIfAny: Value? { defaultValueIfAny(in: suite) }

    /// Returns the default value in a suite; nil for a required setting.
    func defaultValueIfAny(in suite: @autoclosure () -> any Suite) -> Value? {
      switch fallback {
      case .constant(let value), .unregistered(let value): value
      case .computed(let compute): compute()
      case .initial(let initial): candidate(of: initial, in: suite())
      case .required, .unknown: nil
      }
    }

    /// Returns the generated value that will be stored next in a suite.
    func candidate(of initial: InitialValue<Value>, in suite: any Suite) -> Value {
      initial.candidate(
        for: suite.stored?.table.cell(named: name) ?? suite.support.cell(named: name))
    }

    /// Whether the setting has no default and must be set.
    public override var isRequired: Bool { if case .required = fallback { true } else { false } }

    override func startProblem(in suite: any Suite) -> SuiteError? {
      do throws(SuiteError) {
        remember(try decode(establishedEntry(in: suite), in: suite), in: suite)
        return nil
      } catch {
        return error
      }
    }

    package var constantDefault: Value? {
      if case .constant(let value) = fallback { .some(value) } else { nil }
    }

    /// Whether the current value equals the default, even if the value is stored. A default that
    /// was registered with the suite replaces the key's own. The values of lower layers aren't
    /// defaults. Compares by `==` or, without it, the encoded values.
    public override var isDefaultValue: Bool {
      if isRequired { return false }
      let suite = suite
      guard let value = try? decode(entry(in: suite), in: suite) else { return true }
      let usual = registeredValue(in: suite) ?? defaultValue
      return areEqual(value, usual, mayBeStoredAlike: true)
    }

    override var declaration: String {
      let suite = suite
      let entry = suite.entry(named: name) ?? previousEntry(in: suite)
      let start = "\(escaped(name)): \(Description.of(Value.self))"
      if entry == nil, isGeneratedOnce { return start + ", not stored yet" }
      if entry == nil, isRequired, suite.support.registeredDefault(named: name) == nil {
        return start + ", required and not set"
      }
      guard let value = try? decode(entry, in: suite) else {
        return start + ", stored in an unreadable form"
      }
      let words = suite.isSecret(self) ? Description.secret : Description.brief(value: value)
      return "\(start) = \(words)"
    }
  }
}
