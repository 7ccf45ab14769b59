import Defaults

// The values of a key, for code that doesn't know their type.

extension Defaults {
  /// The form of a key's values, for texts and schemas.
  struct KeyForm {
    /// One of a few named values.
    struct Case {
      /// The raw value, or the name of the case.
      let text: String
      /// The name of the case.
      let label: String
      let entry: PropertyListValue
    }

    /// The shapes of the values that are read, and of those that are written.
    let readShape: Shape
    let shape: Shape
    let limits: [Limit]
    /// The allowed cases of a `CaseIterable` enum; empty for other types.
    let cases: [Case]
    /// Whether the value may be nil.
    let isOptional: Bool
    /// Whether nil is stored as an entry; see ``Coding/storingNil()``.
    let storesNil: Bool

    /// The texts of all values, if they are few and known.
    var choices: [String]? {
      if !cases.isEmpty { return cases.map(\.text) }
      for case .choices(let choices) in limits {
        return choices.map { EntryText.text(of: $0, as: shape) }
      }
      return nil
    }

    /// The declared range.
    var range: RangeLimit? {
      for case .range(let range) in limits { return range }
      return nil
    }

    /// A description of the values that the user may type.
    var acceptedValues: String {
      // The cases already obey all rules.
      if !cases.isEmpty { return "one of \(cases.map(words).joined(separator: ", "))" }
      let rest = limits.filter { if case .choices = $0 { false } else { true } }
      // A range says more than the type.
      if let choices {
        return "one of \(choices.joined(separator: ", "))"
          + rest.map { $0.words(for: shape) }.joined()
      }
      let kind =
        if case .integer = shape, range != nil { Shape.integer(of: Int.self) } else { shape }
      return kind.words + rest.map { $0.words(for: shape) }.joined()
    }

    /// The text of a case, with its name if that is also accepted and differs.
    private func words(for value: Case) -> String {
      let name = value.label.lowercased()
      let isText = cases.contains { $0.text.lowercased() == name }
      return isText ? value.text : "\(value.text) (\(value.label))"
    }

    /// The case with exactly this text.
    func `case`(of text: String) -> Case? { cases.first { $0.text == text } }

    /// The case that the user probably means by a text.
    func `case`(named text: String) -> Case? {
      let folded = text.lowercased()
      return cases.first { $0.label == text }
        ?? cases.first { $0.text.lowercased() == folded || $0.label.lowercased() == folded }
    }
  }
}

/// The typed part of a key, for code that doesn't know the type of its values. Every key conforms.
protocol TypedKey {
  /// The form of the values.
  var form: Defaults.KeyForm { get }
  /// Whether the first value is generated and stored, so that no value is the default.
  var isGeneratedOnce: Bool { get }
  /// The stored form of the default, if it is a constant.
  var declaredDefault: Defaults.PropertyListValue? { get }
  /// The stored form of the default; nil for nil.
  var defaultEntry: Defaults.PropertyListValue? { get }
  /// The stored form of the current value; nil for nil. As in a read, an invalid entry is an issue,
  /// and the default is used.
  func valueEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue?
  /// The stored form of the value that an entry is read as; nil for nil.
  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue?
  /// An entry in the form in which the key writes its value, even if a rule rejects the value; nil
  /// if the entry can't be decoded.
  func ownForm(
    of stored: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue?
  /// The edit that stores the value of an entry. Throws `invalid`, with only a reason, if the value
  /// isn't allowed. Missing fields are filled from the default if `mayLackFields`, for entries that
  /// an earlier version may have stored.
  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite,
    mayLackFields: Bool
  ) throws(Defaults.SuiteError) -> Defaults.Edit
}

extension Defaults.KeyBase {
  /// The key as a typed one. `Key` is the only subclass that can be created.
  var typed: any TypedKey {
    guard let key = self as? any TypedKey else {
      fatalError("\(escaped(name)) is a key without a type")
    }
    return key
  }
}

extension Defaults.Key: TypedKey {
  var form: Defaults.KeyForm {
    let shape = coding.shape
    return Defaults.KeyForm(
      readShape: shape.ofEntry, shape: shape.ofEntry.written,
      limits: rules.map(limit(of:)), cases: cases,
      isOptional: shape.isOptional, storesNil: shape.isOptional && !coding.canRemove)
  }

  /// The limit of a rule. Choices are in the form in which the key stores them.
  private func limit(of rule: Defaults.Rule<Value>) -> Defaults.Limit {
    let limit = rule.limit()
    guard let choices = rule.choices else { return limit }
    let stored = choices.compactMap { try? coding.edit(for: $0).entry }
    return stored.count == choices.count ? .choices(stored) : limit
  }

  /// The allowed cases of an enum. Empty if there are too many, if two have the same text, or if
  /// some values aren't cases: those of an option set, or of a case with associated values.
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
      guard complaint(about: typed, in: nil) == nil else { continue }
      let raw = (value as? any RawRepresentable).map { "\($0.rawValue)" }
      cases.append(.init(text: raw ?? "\(value)", label: "\(value)", entry: entry))
    }
    return Set(cases.map(\.text)).count == cases.count ? cases : []
  }

  private static func all<Enum: CaseIterable>(_ type: Enum.Type) -> [Any] { Array(type.allCases) }

  // MARK: - Entries

  func valueEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    entry(forReadingOf: entry(in: suite), in: suite, report: suite.support.report)
  }

  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue? {
    self.entry(forReadingOf: entry, in: suite, report: { _ in })
  }

  private func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite,
    report: (Defaults.SuiteError) -> Void
  ) -> Defaults.PropertyListValue? {
    if isRequired {
      return (try? decode(entry, in: suite)).flatMap { self.entry(ofValue: $0, storedAs: entry) }
    }
    guard let (value, problem) = knownValue(ofEntry: entry, in: suite) else { return nil }
    if let problem { report(problem) }
    return self.entry(ofValue: value, storedAs: problem == nil ? entry : nil)
  }

  var defaultEntry: Defaults.PropertyListValue? {
    defaultValueIfAny.flatMap { entry(ofValue: $0) }
  }

  var declaredDefault: Defaults.PropertyListValue? {
    constantDefault.flatMap { entry(ofValue: $0) }
  }

  /// The stored form of a value; nil for nil, even if the key stores nil.
  private func entry(
    ofValue value: Value, storedAs stored: Defaults.PropertyListValue? = nil
  ) -> Defaults.PropertyListValue? {
    if value is any AnyOptional, Mirror(reflecting: value).children.isEmpty { return nil }
    return keepsBytes(of: stored) ? stored : (try? coding.edit(for: value))?.entry
  }

  func ownForm(
    of stored: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue? {
    let value = try? coding.value(ofEntry: stored) { valueForFilling(in: suite) }
    return value.flatMap { try? coding.edit(for: $0).entry }
  }

  /// Whether an entry is data in the key's own form, which is kept byte for byte: no user types it,
  /// and encoding an archive again changes its order.
  private func keepsBytes(of entry: Defaults.PropertyListValue?) -> Bool {
    if case .data = entry, case .data = coding.shape.ofEntry.stored { true } else { false }
  }

  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite,
    mayLackFields: Bool
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let value: Value
    // The user wrote the entry, with decimal numbers.
    let stored = entry(ofDecimals: stored)
    do {
      value = try coding.value(ofEntry: stored) {
        mayLackFields ? valueForFilling(in: suite) : nil
      }
    } catch {
      // The details may quote a part of the value.
      let reason = suite.isSecret(self) ? "It must be \(acceptedValues)" : error.words
      throw Defaults.SuiteError(.invalid, reason)
    }
    if let complaint = complaint(about: value, in: suite) {
      throw Defaults.SuiteError(.invalid, complaint)
    }
    let edit = try edit(for: value, in: suite)
    return keepsBytes(of: stored) ? .set(stored) : edit
  }
}
