import Defaults

// Settings as text, for command lines, environment variables, tables and settings windows.

extension Defaults.KeyBase {
  /// The current value as the user would type it; nil if the value is nil.
  ///
  /// The digits of a number, `true`, text unchanged, the raw value or the name of an enum case, an
  /// ISO 8601 date, `1h 30m`, Base64 data, or elements between commas; for all other values JSON as
  /// in an export. ``set(text:)`` restores the exact value. The text of a secret is the secret.
  ///
  /// - Complexity: The cost of decoding and encoding the value.
  public var text: String? { text(in: suite) }

  /// The default value as the user would type it; nil if there is none.
  public var defaultText: String? { typed.defaultEntry.map(text(of:)) }

  /// A description of the texts that ``set(text:)`` accepts: `a whole number, 0 to 11`, `one of
  /// system, light, dark`.
  public var acceptedValues: String {
    let words = typed.form.acceptedValues
    // The default shows the structure of the JSON.
    guard words.hasPrefix("JSON"), !isSecret,
      let example = typed.declaredDefault.map(text(of:)), example.count < 100
    else { return words }
    return "JSON such as \(example)\(words.dropFirst(4))"
  }

  /// The texts of all values, if they are few and known: the cases of an enum that its rules allow,
  /// or the values of `choices` of ``Trait``.
  public var choices: [String]? { typed.form.choices }

  /// The declared range, with its bounds in their stored form; see `in` of ``Trait``.
  public var range: Defaults.ValueRange? { typed.form.range.map(Defaults.ValueRange.init) }

  /// Sets the value from a text.
  ///
  /// Accepts all forms of ``text``. In addition, bools may be yes and no, on and off, 1 and 0;
  /// cases of a `CaseIterable` enum may be names in any letter case; durations may be numbers of
  /// seconds; and white space around a number or an element of a list is ignored. A date needs a
  /// time and an offset from UTC, since a day begins at different times in different time zones.
  ///
  /// ```swift
  /// for key in keys where key.name == arguments[1] { try key.set(text: arguments[2]) }
  /// ```
  ///
  /// - Parameter text: The text of the new value.
  /// - Throws: `invalid` if the text isn't an allowed value. The error names the expected values,
  ///   the text and the position, and the value is unchanged. See ``Suite/set(_:for:)`` for other
  ///   errors.
  public func set(text: String) throws(Defaults.SuiteError) {
    let suite = suite
    try store(try edit(ofText: text, in: suite), in: suite)
  }

  /// Returns the text of an entry of the setting, such as an entry in a ``Defaults/Change``. For
  /// nil and for an invalid entry, returns the text of the default. Returns nil if the value is
  /// nil. Reports no issue.
  public func text(ofEntry entry: Defaults.PropertyListValue?) -> String? {
    typed.entry(forReadingOf: entry, in: suite).map(text(of:))
  }

  /// The entry of a text that may have been written for an earlier version. Throws `invalid` as
  /// ``set(text:)`` does.
  package func entry(
    ofText text: String
  ) throws(Defaults.SuiteError) -> Defaults.PropertyListValue? {
    try edit(ofText: text, in: suite, mayLackFields: true).entry
  }

  /// An earlier entry as text, whether it is a valid value of the setting or not; the text of the
  /// default for nil. Returns nil for nil if the setting has no default, like a generated one.
  package func text(showing entry: Defaults.PropertyListValue?) -> String? {
    guard let entry else { return typed.isGeneratedOnce ? nil : text(ofEntry: nil) }
    return problem(with: entry) == nil ? text(ofEntry: entry) : Defaults.EntryText.json(entry)
  }

  /// Whether a suite has no value of the setting yet, because the first read by the program
  /// generates and stores it; see ``Trait/generatedOnce``.
  package func awaitsGeneration(in suite: any Defaults.Suite) -> Bool {
    guard typed.isGeneratedOnce, suite.support.registeredDefault(named: name) == nil else {
      return false
    }
    return entry(in: suite).map { problem(with: $0) != nil } ?? true
  }

  /// Whether the default is generated once, so that no value is the default.
  package var hasGeneratedDefault: Bool { typed.isGeneratedOnce }

  /// The stored form of the default; nil for nil.
  package var entryOfDefault: Defaults.PropertyListValue? { typed.defaultEntry }

  /// Whether the setting's texts are those of a bool.
  package var takesBool: Bool {
    switch typed.form.shape.stored {
    case .bool, .bit: true
    default: false
    }
  }

  /// Whether the stored form of the setting's values is data.
  package var takesData: Bool { if case .data = typed.form.shape.stored { true } else { false } }

  /// Whether a text is one of a bool.
  package static func isBool(_ text: String) -> Bool {
    (try? Defaults.EntryText.scalar(text, as: .bool)) != nil
  }

  /// The text of the current value in a suite.
  func text(in suite: any Defaults.Suite) -> String? {
    typed.valueEntry(in: suite).map(text(of:))
  }

  /// The text of an entry that the key wrote. It is always read back as the same entry.
  func text(of entry: Defaults.PropertyListValue) -> String {
    let form = typed.form
    if let value = form.cases.first(where: { $0.entry == entry }) { return value.text }
    let text = Defaults.EntryText.text(of: entry, as: form.shape)
    guard form.shape.isScalar || text.first != "[" else { return text }
    let entries = (try? Defaults.EntryText.entries(of: text, as: form.shape)) ?? []
    return entries.contains(entry) ? text : Defaults.EntryText.json(entry)
  }

  /// The edit that a text makes in a suite. A missing field is an error, unless the text may have
  /// been written for an earlier version.
  package func edit(
    ofText text: String, in suite: any Defaults.Suite, mayLackFields: Bool = false
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let form = typed.form
    var entries: [Defaults.PropertyListValue] = []
    var problem: Defaults.TextError?
    do throws(Defaults.TextError) {
      entries = try Defaults.EntryText.entries(of: text, as: form.shape) {
        ownForm(ofElement: $0, in: suite)
      }
    } catch {
      problem = error
    }
    // An exact text takes precedence over one that only resembles a case.
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
    // The list of choices is a sufficient explanation.
    let reason = form.cases.isEmpty ? first?.reason : nil
    throw refusal(of: Defaults.TextError(found: text, problem: reason), in: suite)
  }

  /// The edit that sets an optional value to nil.
  package func editOfNil(
    in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    guard typed.form.storesNil else { return .remove }
    return try typed.edit(forStored: .array([]), in: suite, mayLackFields: false)
  }

  func refusal(
    of error: Defaults.TextError, in suite: any Defaults.Suite
  ) -> Defaults.SuiteError {
    var reason = "It must be \(acceptedValues)"
    if !suite.isSecret(self) {
      // The key's bridge has rejected a text, whose form the default shows.
      if acceptedValues == "text", let example = typed.declaredDefault.map(text(of:)),
        (1..<100).contains(example.count)
      {
        reason += " such as \"\(example)\""
      }
      reason += ", not \"\(Description.brief(error.found))\""
      if let position = error.position { reason += " at character \(position)" }
      if let problem = error.problem { reason += ": \(problem)" }
    }
    return Defaults.SuiteError(.invalid, reason, suite: suite.label, key: name)
  }
}

extension Defaults.Suite {
  /// Returns the value of a key in this suite as the user would type it. See ``KeyBase/text``.
  public func text(for key: Defaults.AnyKey) -> String? { key.text(in: self) }

  /// Sets the value of a key in this suite from a text. See ``KeyBase/set(text:)``.
  public func set(text: String, for key: Defaults.AnyKey) throws(Defaults.SuiteError) {
    try key.store(try key.edit(ofText: text, in: self), in: self)
  }
}
