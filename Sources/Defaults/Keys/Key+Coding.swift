// How the values of a key become entries, and entries become values.

extension Defaults.Key {
  /// Returns the value of an entry; without an entry, the registered default or else the key's
  /// default.
  package func decode(
    _ entry: PropertyListValue?, in suite: any Defaults.Suite
  ) throws(SuiteError) -> Value {
    let isStored = entry != nil
    guard let entry = entry ?? suite.support.registeredDefault(named: name) else {
      if isRequired { throw missing(in: suite) }
      let value = defaultValue(in: suite)
      // The rules were checked on a constant default when the key was made.
      switch fallback {
      case .computed: try requireAllowed(value, "The computed default isn't allowed", in: suite)
      case .initial: try requireAllowed(value, "The generated default isn't allowed", in: suite)
      case .constant, .unregistered, .required, .unknown: break
      }
      return value
    }
    let value: Value
    do {
      value = try coding.value(ofEntry: entry) {
        isStored ? valueForFilling(in: suite) : defaultValueIfAny(in: suite)
      }
    } catch {
      throw SuiteError(
        .undecodable, "The entry can't be read", error,
        suite: suite.label, key: name, isSecret: suite.isSecret(self))
    }
    try requireAllowed(value, "The stored value isn't allowed", in: suite)
    return value
  }

  /// Returns the value of the registered default; nil if there is none or it isn't valid.
  func registeredValue(in suite: any Defaults.Suite) -> Value? {
    suite.support.registeredDefault(named: name) == nil ? nil : try? decode(nil, in: suite)
  }

  private func requireAllowed(
    _ value: Value, _ reason: String, in suite: any Defaults.Suite
  ) throws(SuiteError) {
    guard let complaint = complaint(about: value, in: suite) else { return }
    throw SuiteError(.invalid, "\(reason): \(complaint)", suite: suite.label, key: name)
  }

  /// Returns the reason that a value isn't allowed; nil if it is allowed. The suite may have a
  /// secret layer.
  package func complaint(about value: Value, in suite: (any Defaults.Suite)?) -> String? {
    guard let allows, !allows(value) else { return nil }
    return Defaults.Rule.complaint(
      of: rules, about: value, isSecret: suite?.isSecret(self) ?? isSecret)
  }

  /// Returns the error about a required setting without a value.
  func missing(in suite: any Defaults.Suite) -> SuiteError {
    let places = suite.stored?.derived?.placesForSetting.joined(separator: ", ") ?? ""
    return SuiteError(
      .missing,
      places.isEmpty
        ? "The setting is required and has no value"
        : "The setting is required and has no value; set it in one of: \(places)",
      suite: suite.label, key: name)
  }

  /// Returns the edit that stores a value; throws if it is invalid or can't be stored exactly.
  package func edit(for value: Value, in suite: any Defaults.Suite) throws(SuiteError) -> Edit {
    introduce(to: suite)
    let edit = try uncheckedEdit(for: value, in: suite)
    if let entry = edit.entry { try suite.check(entry, named: name) }
    return edit
  }

  /// Stores a value in the storage of a suite.
  ///
  /// The suite returned its storage only once for all steps: weak references to that object make
  /// each strong one slow.
  func store(
    _ value: Value, in stored: Defaults.StoredSuite, of suite: any Defaults.Suite
  ) throws(SuiteError) {
    introduce(to: suite, storedIn: stored)
    let edit = try uncheckedEdit(for: value, in: suite)
    if let entry = edit.entry {
      try suite.check(entry, named: name) { () throws(SuiteError) in
        try stored.persistence.validate(entry, named: name)
      }
    }
    guard previousNames.isEmpty else { return try store(edit, in: suite) }
    try stored.commit(edit, named: name)
  }

  /// Returns the edit that stores a value, before the suite has checked it.
  private func uncheckedEdit(
    for value: Value, in suite: any Defaults.Suite
  ) throws(SuiteError) -> Edit {
    try requireAllowed(value, "The value isn't allowed; the previous value was kept", in: suite)
    do {
      // Not `edit(for:)`, whose call looks up the metadata of the generic type.
      return try coding.makeEdit(value)
    } catch {
      throw SuiteError(
        .unencodable, "The value can't be stored; the previous value was kept", error,
        suite: suite.label, key: name, isSecret: suite.isSecret(self))
    }
  }
}

// MARK: - Equality

extension Defaults.Key {
  /// Returns whether two values are the same for an observer of the key.
  ///
  /// `==` decides, because two archives of an object may differ. The stored forms decide for a type
  /// without `==` and, with `mayBe`, if `==` returns false, as it does for a NaN.
  func areEqual(_ one: Value, _ other: Value, mayBeStoredAlike mayBe: Bool) -> Bool {
    let isSaidEqual: Bool?
    if let type = Value.self as? any Equatable.Type {
      func areEqual<Same: Equatable>(_: Same.Type) -> Bool { one as? Same == other as? Same }
      isSaidEqual = areEqual(type)
    } else if let one = one as? any Equatable {
      func areEqual<Same: Equatable>(_ one: Same) -> Bool { one == other as? Same }
      isSaidEqual = areEqual(one)
    } else {
      isSaidEqual = nil
    }
    if isSaidEqual == true { return true }
    guard mayBe || isSaidEqual == nil,
      let first = try? coding.edit(for: one), let second = try? coding.edit(for: other)
    else { return false }
    return first == second
  }
}

// MARK: - Entries without the fields that their type got later

extension Defaults.Key {
  /// Returns the value from which missing fields of an entry are filled: the value of a read
  /// without an entry; nil for a detached key, whose default is unknown.
  package func valueForFilling(in suite: any Defaults.Suite) -> Value? {
    registeredValue(in: suite) ?? defaultValueIfAny(in: suite)
  }

  /// Returns whether an entry fails to decode only because it lacks a field.
  func lacksField(_ entry: PropertyListValue) -> Bool {
    do throws(ConversionError) {
      _ = try coding.value(ofEntry: entry)
      return false
    } catch {
      return error.lacksField
    }
  }
}
