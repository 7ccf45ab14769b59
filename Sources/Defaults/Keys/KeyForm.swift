// What a key says of its values to code that doesn't know their type: declarations, texts, schemas.

extension Defaults {
  /// The values of a key as people and schemas see them.
  struct KeyForm {
    /// One of a few values that are known by name.
    struct Case {
      /// Its text: the raw value, or the name of the case.
      let text: String
      /// The name of the case.
      let label: String
      let entry: PropertyListValue
    }

    /// Of what lies in the entry.
    let shape: Shape
    let limits: [Limit]
    /// All values that are allowed, if they are the cases of an enum that is `CaseIterable`; else
    /// empty.
    let cases: [Case]
    /// Whether nil is an entry: see ``Coding/storingNil()``.
    let storesNil: Bool

    /// The texts of all values, if they are few and known.
    var choices: [String]? {
      if !cases.isEmpty { return cases.map(\.text) }
      for case .choices(let choices) in limits {
        return choices.map { EntryText.text(of: $0, as: shape) }
      }
      return nil
    }

    /// The range that was declared.
    var range: ValueRange? {
      for case .range(let range) in limits { return range }
      return nil
    }

    /// What a person may type.
    var accepts: String {
      // The cases are what all rules allow.
      if !cases.isEmpty { return "one of \(cases.map(\.text).joined(separator: ", "))" }
      let rest = limits.filter { if case .choices = $0 { false } else { true } }
      // A range says more than the type does.
      if let choices {
        return "one of \(choices.joined(separator: ", "))" + rest.map(\.words).joined()
      }
      let kind =
        if case .integer = shape, range != nil { Shape.integer(of: Int.self) } else { shape }
      return kind.words + rest.map(\.words).joined()
    }

    /// The case whose text this is.
    func `case`(of text: String) -> Case? { cases.first { $0.text == text } }

    /// The case that a person may mean by a text.
    func `case`(named text: String) -> Case? {
      let folded = text.lowercased()
      return cases.first { $0.label == text }
        ?? cases.first { $0.text.lowercased() == folded || $0.label.lowercased() == folded }
    }
  }
}

/// What a key says of values whose type it alone knows. Every key is one.
protocol TypedKey {
  /// What values there are.
  var form: Defaults.KeyForm { get }
  /// What would be stored for the default; nil for nil.
  var defaultEntry: Defaults.PropertyListValue? { get }
  /// What is stored for the present value; nil for nil. As with a read, an entry that is no value
  /// counts as the default, and is an issue.
  func valueEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue?
  /// What would be stored for the value that an entry reads as; nil for nil.
  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue?
  /// Whether reading gives the default value now.
  var readsAsDefault: Bool { get }
  /// Throws why an entry isn't allowed; what can't be read is.
  func checkRules(_ entry: Defaults.PropertyListValue) throws(Defaults.SuiteError)
  /// What storing the value of an entry does; throws `invalid`, with no more than the reason, if it
  /// is none that is allowed.
  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit
}

extension Defaults.KeyBase {
  /// The key as what it is: `Key` is the only subclass that can be made.
  var typed: any TypedKey {
    guard let key = self as? any TypedKey else { fatalError("\(name) is a key without a type") }
    return key
  }
}

extension Defaults.Key: TypedKey {
  var form: Defaults.KeyForm {
    let shape = coding.shape
    let isOptional = if case .optional = shape { true } else { false }
    return Defaults.KeyForm(
      shape: shape.ofEntry, limits: rules.map { $0.limit(storedBy: coding) }, cases: cases,
      storesNil: isOptional && !coding.canRemove)
  }

  /// The cases of an enum that are allowed; none if they are very many, two of them can't be told
  /// apart, or there are values that aren't listed: those of an option set, or of a case with more
  /// to it.
  private var cases: [Defaults.KeyForm.Case] {
    let type = (Value.self as? any AnyOptional.Type)?.wrapped ?? Value.self
    guard let type = type as? any CaseIterable.Type else { return [] }
    var cases: [Defaults.KeyForm.Case] = []
    let all = Self.all(type)
    guard all.count <= 1_000 else { return [] }
    for value in all {
      let mirror = Mirror(reflecting: value)
      guard mirror.displayStyle == .enum, mirror.children.isEmpty, let typed = value as? Value,
        let entry = try? coding.edit(for: typed).entry
      else { return [] }
      guard complaint(about: typed) == nil else { continue }
      let raw = (value as? any RawRepresentable).map { "\($0.rawValue)" }
      cases.append(.init(text: raw ?? "\(value)", label: "\(value)", entry: entry))
    }
    return Set(cases.map(\.text)).count == cases.count ? cases : []
  }

  private static func all<Enum: CaseIterable>(_ type: Enum.Type) -> [Any] { Array(type.allCases) }

  // MARK: - Entries

  func valueEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    entry(ofValue: value(ofEntry: entry(in: suite), in: suite))
  }

  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue? {
    self.entry(ofValue: valueAndProblem(ofEntry: entry, in: suite).value)
  }

  var defaultEntry: Defaults.PropertyListValue? { entry(ofValue: defaultValue) }

  var readsAsDefault: Bool {
    let suite = suite
    guard let value = try? decode(entry(in: suite), in: suite) else { return true }
    let present = try? coding.edit(for: value)
    return present == (try? coding.edit(for: defaultValue))
  }

  /// What is stored for a value; nil for nil, also where that is stored, too.
  private func entry(ofValue value: Value) -> Defaults.PropertyListValue? {
    if value is any AnyOptional, Mirror(reflecting: value).children.isEmpty { return nil }
    return (try? coding.edit(for: value))?.entry
  }

  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let value: Value
    do {
      value = try coding.value(ofEntry: stored)
    } catch {
      throw Defaults.SuiteError(.invalid, error.words)
    }
    if let complaint = complaint(about: value) {
      throw Defaults.SuiteError(.invalid, complaint)
    }
    return try edit(for: value, in: suite)
  }

  // MARK: - Declaration

  /// Makes the declaration known to the suite, and checks it: against itself, and against others of
  /// the name.
  func declare() {
    let rules = rules.isEmpty ? nil : declaredRules
    var declaration = KeyDeclaration(
      type: Value.self, isSecret: isSecret, encodedDefault: nil, rules: rules)
    if case .constant(let value) = fallback {
      if let complaint = complaint(about: value) {
        fatalError("the default of \"\(name)\" breaks the rule of its own key: \(complaint)")
      }
      // A default that can't be encoded can't be looked up without its type; reading is unharmed.
      declaration.encodedDefault = { [coding] in (try? coding.edit(for: value))?.entry }
    }
    guard
      let other = place.defaults.register(name, declaration, previousNames: previousNames),
      let difference = declaration.difference(from: other)
    else { return }
    let suite = suite
    suite.support.report(
      Defaults.SuiteError(
        .conflicting,
        "Two keys have this name, \(difference)",
        suite: suite.label, key: name))
  }

  func checkRules(_ entry: Defaults.PropertyListValue) throws(Defaults.SuiteError) {
    try declaredRules.check(entry)
  }

  private var declaredRules: KeyDeclaration.Rules {
    // Not the key itself: it holds its suite, and that holds this.
    KeyDeclaration.Rules(
      limits: { [rules] in rules.map { $0.limit() } },
      check: {
        [rules, coding, isSecret, name] (entry) throws(Defaults.SuiteError) in
        guard let value = try? coding.value(ofEntry: entry),
          let rule = rules.first(where: { !$0.allows(value) }),
          let complaint = rule.complaint(about: value, isSecret: isSecret)
        else { return }
        throw Defaults.SuiteError(.invalid, "The entry isn't allowed: \(complaint)", key: name)
      })
  }
}

extension KeyDeclaration {
  /// What is different in another declaration of the name; nil if both mean the same setting.
  fileprivate func difference(from other: KeyDeclaration) -> String? {
    if isSecret != other.isSecret {
      return "of which one is secret; what one hides the other shows, so declare both alike"
    }
    if isOfAnything || other.isOfAnything { return nil }
    let advice =
      "; what one writes the other may not read, so give one of them another name"
    let types = [other.type, type].map(Self.unwrapped)
    if types[0] != types[1] { return "of type \(types[0]) and of type \(types[1])" + advice }
    guard rules != nil || other.rules != nil else { return nil }
    // In whatever order.
    let limits = [other, self].map { Set($0.rules?.limits() ?? []) }
    return limits[0] == limits[1] ? nil : "with different rules" + advice
  }

  /// Whether keys of the type look at whatever is stored.
  var isOfAnything: Bool {
    let type = Self.unwrapped(type)
    return type == Defaults.PropertyListValue.self || type == Defaults.AnySerializable.self
  }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type)?.wrapped ?? type
  }
}

/// An optional of a type that isn't known.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
