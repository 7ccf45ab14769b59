extension Defaults.Key {
  /// Returns whether two values are the same for an observer of the key.
  ///
  /// `==` decides, or `isEqual` for objects, because two archives of an object may differ. For a
  /// type without them, the stored forms decide. With `mayBe` the stored forms also decide if `==`
  /// returns false, as it does for a NaN and for objects without an `isEqual` of their own.
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

  /// Returns the effect of a change of the entry on an observer without values; nil if none.
  func newsOfEntry(in change: Defaults.Change, of suite: any Defaults.Suite) -> KeyNews? {
    guard let entry = change.entries[name] else {
      // An entry under a previous name is used if the current name has none.
      let isPrevious = previousNames.contains { change.entries[$0] != nil }
      return isPrevious && suite.entry(named: name) == nil ? .value : nil
    }
    let isOneMissing = entry.old == nil || entry.new == nil
    if isOneMissing {
      // The change doesn't determine the value of a missing entry.
      if case .initial = fallback { return .value }
      if isRequired { return .value }
      if !previousNames.isEmpty { return .value }
    }
    guard let (old, oldProblem) = knownValue(ofEntry: entry.old, in: suite),
      let (new, newProblem) = knownValue(ofEntry: entry.new, in: suite)
    else { return .value }
    if !areEqual(old, new, mayBeStoredAlike: isOneMissing) { return .value }
    return (oldProblem == nil) == (newProblem == nil) ? nil : .problem
  }
}
