extension Defaults.Key {
  /// Whether two values are the same to whoever observes the key.
  ///
  /// What `==` says of them counts, and of objects `isEqual`: two archives of one object may differ
  /// in their bytes. Values that have neither are the same if what is stored for them is. So are
  /// those of which `==` says too little, as of a NaN, or of objects without an `isEqual` of their
  /// own; that is looked at only where the caller says that it `mayBe`.
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

  /// What a change of the entry is to an observer who is told no values; nil if nothing.
  func newsOfEntry(in change: Defaults.Change, of suite: any Defaults.Suite) -> KeyNews? {
    guard let entry = change.entries[name] else {
      // An entry under a previous name counts where there is none under the present one.
      let isPrevious = previousNames.contains { change.entries[$0] != nil }
      return isPrevious && suite.entry(named: name) == nil ? .value : nil
    }
    let isOneMissing = entry.old == nil || entry.new == nil
    if isOneMissing {
      // The value of no entry can't be found out from the change.
      if case .initial = fallback { return .value }
      if !previousNames.isEmpty { return .value }
    }
    let (old, oldProblem) = valueAndProblem(ofEntry: entry.old, in: suite)
    let (new, newProblem) = valueAndProblem(ofEntry: entry.new, in: suite)
    if !areEqual(old, new, mayBeStoredAlike: isOneMissing) { return .value }
    return (oldProblem == nil) == (newProblem == nil) ? nil : .problem
  }
}
