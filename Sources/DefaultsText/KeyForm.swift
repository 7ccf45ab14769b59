import Defaults

// What a key says of its values to code that doesn't know their type.

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

    /// Of what is read from the entry, and of what is written there.
    let readShape: Shape
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
    var range: RangeLimit? {
      for case .range(let range) in limits { return range }
      return nil
    }

    /// What a person may type.
    var acceptedValues: String {
      // The cases are what all rules allow.
      if !cases.isEmpty { return "one of \(cases.map(\.text).joined(separator: ", "))" }
      let rest = limits.filter { if case .choices = $0 { false } else { true } }
      // A range says more than the type does.
      if let choices {
        return "one of \(choices.joined(separator: ", "))"
          + rest.map { $0.words(for: shape) }.joined()
      }
      let kind =
        if case .integer = shape, range != nil { Shape.integer(of: Int.self) } else { shape }
      return kind.words + rest.map { $0.words(for: shape) }.joined()
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
  /// What would be stored for the default, if that is a constant.
  var declaredDefault: Defaults.PropertyListValue? { get }
  /// What would be stored for the default; nil for nil.
  var defaultEntry: Defaults.PropertyListValue? { get }
  /// What is stored for the present value; nil for nil. As with a read, an entry that is no value
  /// counts as the default, and is an issue.
  func valueEntry(in suite: any Defaults.Suite) -> Defaults.PropertyListValue?
  /// What would be stored for the value that an entry reads as; nil for nil.
  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue?
  /// What storing the value of an entry does; throws `invalid`, with no more than the reason, if it
  /// is none that is allowed. Fields that it lacks are filled from the default only if it may lack
  /// some, as what an earlier version stored may.
  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite,
    mayLackFields: Bool
  ) throws(Defaults.SuiteError) -> Defaults.Edit
}

extension Defaults.KeyBase {
  /// The key as what it is: `Key` is the only subclass that can be made.
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
      limits: rules.map { $0.limit(storedBy: coding) }, cases: cases,
      storesNil: shape.isOptional && !coding.canRemove)
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
    let stored = entry(in: suite)
    let (value, problem) = valueAndProblem(ofEntry: stored, in: suite)
    if let problem { suite.support.report(problem) }
    return entry(ofValue: value, storedAs: problem == nil ? stored : nil)
  }

  func entry(
    forReadingOf entry: Defaults.PropertyListValue?, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue? {
    let (value, problem) = valueAndProblem(ofEntry: entry, in: suite)
    return self.entry(ofValue: value, storedAs: problem == nil ? entry : nil)
  }

  var defaultEntry: Defaults.PropertyListValue? { entry(ofValue: defaultValue) }

  var declaredDefault: Defaults.PropertyListValue? {
    constantDefault.flatMap { entry(ofValue: $0) }
  }

  /// What is stored for a value; nil for nil, also where that is stored, too.
  private func entry(
    ofValue value: Value, storedAs stored: Defaults.PropertyListValue? = nil
  ) -> Defaults.PropertyListValue? {
    if value is any AnyOptional, Mirror(reflecting: value).children.isEmpty { return nil }
    return keepsBytes(of: stored) ? stored : (try? coding.edit(for: value))?.entry
  }

  /// Whether an entry is data of the key's own, which is taken as it is: no person writes it, and an
  /// archive that is made anew has another order.
  private func keepsBytes(of entry: Defaults.PropertyListValue?) -> Bool {
    if case .data = entry, case .data = coding.shape.ofEntry.stored { true } else { false }
  }

  func edit(
    forStored stored: Defaults.PropertyListValue, in suite: any Defaults.Suite,
    mayLackFields: Bool
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let value: Value
    // It is what a person wrote.
    let stored = entry(ofDecimals: stored)
    do {
      value = try coding.value(ofEntry: stored) {
        mayLackFields ? valueForFilling(in: suite) : nil
      }
    } catch {
      throw Defaults.SuiteError(.invalid, error.words)
    }
    if let complaint = complaint(about: value) {
      throw Defaults.SuiteError(.invalid, complaint)
    }
    let edit = try edit(for: value, in: suite)
    return keepsBytes(of: stored) ? .set(stored) : edit
  }
}

/// An optional of a type that isn't known.
private protocol AnyOptional {
  static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
