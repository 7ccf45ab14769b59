import Defaults

// Settings as text, for command lines, environments, tables and settings windows.

extension Defaults.KeyBase {
  /// The present value as a person would type it; nil if that is nil.
  ///
  /// A number's digits, `true`, text as it is, the raw value or the name of an enum's case, a date
  /// in ISO 8601, `1h 30m`, data in base 64, elements between commas; for all else JSON as an
  /// export writes it. ``set(text:)`` takes it back, bit for bit. Costs a decoding and an encoding.
  ///
  /// The text of a secret is the secret.
  public var text: String? { text(in: suite) }

  /// The default value as a person would type it; nil if there is none.
  public var defaultText: String? { typed.defaultEntry.map(text(of:)) }

  /// What ``set(text:)`` takes, for people: `a whole number, 0 to 11`, `one of system, light,
  /// dark`.
  public var acceptedValues: String {
    let words = typed.form.acceptedValues
    // What the JSON of a type looks like, the default shows.
    guard words.hasPrefix("JSON"), !isSecret,
      let example = typed.declaredDefault.map(text(of:)), example.count < 100
    else { return words }
    return "JSON such as \(example)\(words.dropFirst(4))"
  }

  /// The texts of all values, if they are few and known: the cases of an enum that its rules allow,
  /// or what `choices` of ``Trait`` lists.
  public var choices: [String]? { typed.form.choices }

  /// The range that was declared, in what is stored for its bounds; see `in` of ``Trait``.
  public var range: Defaults.ValueRange? { typed.form.range.map(Defaults.ValueRange.init) }

  /// Sets the value to what a text stands for; throws `invalid`, with what was expected and what
  /// was found where, and leaves the value, if that is none that is allowed.
  ///
  /// Beside what ``text`` gives, bools are also yes and no, on and off, 1 and 0; cases of an enum
  /// go by their names, in any letter case; durations are also numbers of seconds; and white space
  /// around a number or a word of a list doesn't count. See ``Suite/set(_:for:)`` for what else is
  /// thrown, and when others see the value.
  ///
  /// ```swift
  /// for key in keys where key.name == arguments[1] { try key.set(text: arguments[2]) }
  /// ```
  public func set(text: String) throws(Defaults.SuiteError) {
    let suite = suite
    try store(try edit(ofText: text, in: suite), in: suite)
  }

  /// The text that an entry of the setting reads as, such as one of a ``Defaults/Change``: that of
  /// the default for nil, and for what isn't a value that is allowed; nil for nil. Reports nothing.
  public func text(ofEntry entry: Defaults.PropertyListValue?) -> String? {
    typed.entry(forReadingOf: entry, in: suite).map(text(of:))
  }

  /// What a text stands for that may have been written for an earlier version; throws `invalid` as
  /// ``set(text:)`` does.
  package func entry(
    ofText text: String
  ) throws(Defaults.SuiteError) -> Defaults.PropertyListValue? {
    try edit(ofText: text, in: suite, mayLackFields: true).entry
  }

  /// An entry as text, be it a value of the setting or not.
  package func text(showing entry: Defaults.PropertyListValue) -> String? {
    problem(with: entry) == nil ? text(ofEntry: entry) : Defaults.EntryText.json(entry)
  }

  /// What would be stored for the default; nil for nil.
  package var entryOfDefault: Defaults.PropertyListValue? { typed.defaultEntry }

  /// Whether texts of the setting are those of a bool.
  package var takesBool: Bool {
    switch typed.form.shape.stored {
    case .bool, .bit: true
    default: false
    }
  }

  /// Whether a text is one of a bool.
  package static func isBool(_ text: String) -> Bool {
    (try? Defaults.EntryText.scalar(text, as: .bool)) != nil
  }

  /// The text of the present value in a suite.
  func text(in suite: any Defaults.Suite) -> String? {
    typed.valueEntry(in: suite).map(text(of:))
  }

  /// The text of an entry that the key wrote.
  ///
  /// Whatever it looks like, it is one that is read back as the same entry.
  func text(of entry: Defaults.PropertyListValue) -> String {
    let form = typed.form
    if let value = form.cases.first(where: { $0.entry == entry }) { return value.text }
    let text = Defaults.EntryText.text(of: entry, as: form.shape)
    guard form.shape.isScalar || text.first != "[" else { return text }
    let entries = (try? Defaults.EntryText.entries(of: text, as: form.shape)) ?? []
    return entries.contains(entry) ? text : Defaults.EntryText.json(entry)
  }

  /// What a text does to the entry in a suite. The person who types one is told of a field that it
  /// lacks, unless the text may have been written for an earlier version.
  func edit(
    ofText text: String, in suite: any Defaults.Suite, mayLackFields: Bool = false
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let form = typed.form
    var entries: [Defaults.PropertyListValue] = []
    var problem: Defaults.TextError?
    do throws(Defaults.TextError) {
      entries = try Defaults.EntryText.entries(of: text, as: form.shape)
    } catch {
      problem = error
    }
    // What the text is comes before what may be meant by it.
    if let value = form.case(of: text) { entries.insert(value.entry, at: 0) }
    if let value = form.case(named: text) { entries.append(value.entry) }
    if let problem, entries.isEmpty { throw refusal(of: problem, in: suite) }
    var first: Defaults.SuiteError?
    for entry in entries {
      do throws(Defaults.SuiteError) {
        return try typed.edit(forStored: entry, in: suite, mayLackFields: mayLackFields)
      } catch {
        first = first ?? error
      }
    }
    if let first, first.code != .invalid { throw first }
    // The list of choices says it all.
    let reason = form.cases.isEmpty ? first?.reason : nil
    throw refusal(of: Defaults.TextError(found: text, problem: reason), in: suite)
  }

  func refusal(
    of error: Defaults.TextError, in suite: any Defaults.Suite
  ) -> Defaults.SuiteError {
    var reason = "It takes \(acceptedValues)"
    if !isSecret {
      reason += ", not \"\(Description.brief(error.found))\""
      if let position = error.position { reason += " at character \(position)" }
      if let problem = error.problem { reason += ": \(problem)" }
    }
    return Defaults.SuiteError(.invalid, reason, suite: suite.label, key: name)
  }
}

extension Defaults.Suite {
  /// The value of a key in this suite as a person would type it; see ``KeyBase/text``.
  public func text(for key: Defaults.AnyKey) -> String? { key.text(in: self) }

  /// Sets the value of a key in this suite to what a text stands for; see ``KeyBase/set(text:)``.
  public func set(text: String, for key: Defaults.AnyKey) throws(Defaults.SuiteError) {
    try key.store(try key.edit(ofText: text, in: self), in: self)
  }
}
