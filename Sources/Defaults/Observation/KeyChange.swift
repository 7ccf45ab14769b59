extension Defaults {
  /// What the observer of one key is told: its value before and after a change.
  public struct KeyChange<Value: Sendable>: Sendable, CustomStringConvertible {
    /// The value before. In an initial event, the present one.
    public let oldValue: Value
    /// The value after. In an initial event, the present one.
    public let newValue: Value
    /// Why `newValue` is the default although there is an entry: that isn't a value of the key's
    /// type. nil if all is well.
    public let problem: SuiteError?
    /// Whether this is the first of the two events of an observer with
    /// ``ObservationOptions/prior``.
    public let isPrior: Bool
    /// Whether this is the event that ``ObservationOptions/initial`` asked for.
    public let isInitial: Bool
    /// Whether the values are equal, and the problem is all that is new.
    let isSame: Bool
    /// Who made the change.
    public let source: Change.Source
    /// The mark of the writer in this process who set one; see ``Defaults/withOrigin(_:_:)``.
    public let origin: Origin?

    /// The value before and after: `5 -> 7`.
    public var description: String {
      let new = Description.brief(value: newValue)
      return isInitial ? new : "\(Description.brief(value: oldValue)) -> \(new)"
    }
  }

  /// What an observer gets where the stored entry isn't a value of the key's type.
  public enum InvalidEntryResponse: Sendable, Hashable {
    /// The default value, as a read does.
    case useDefault
    /// Nothing: the last good value stays, and the next one is told as a change of that. An
    /// observer that begins with such an entry gets the default first, there being nothing better.
    case skip
  }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {
  /// Whether both say the same; problems are the same if their texts are.
  public static func == (left: Self, right: Self) -> Bool {
    left.oldValue == right.oldValue && left.newValue == right.newValue
      && left.problem?.description == right.problem?.description
      && (left.isPrior, left.isInitial) == (right.isPrior, right.isInitial)
      && left.source == right.source && left.origin == right.origin
  }
}

/// Turns the changes of an entry into what the observer of its key is told. Called for one change
/// after another.
final class KeyEvents<Value: Sendable>: Sendable {
  private let key: Defaults.Key<Value>
  private let suite: any Defaults.Suite
  private let response: Defaults.InvalidEntryResponse
  /// What the observer was given last, where that can't be found out from the change.
  private let last: Lock<Value?>?

  init(
    _ key: Defaults.Key<Value>, _ suite: any Defaults.Suite,
    _ response: Defaults.InvalidEntryResponse
  ) {
    self.key = key
    self.suite = suite
    self.response = response
    // A key with an initial value that has no entry reads what is stored next, which nobody has
    // seen.
    let isInitial = if case .initial = key.fallback { true } else { false }
    last = isInitial || response == .skip ? Lock(nil) : nil
  }

  /// The event for a change; nil if there is nothing to tell.
  func event(for change: Defaults.Change) -> Defaults.KeyChange<Value>? {
    let entry = change.entries[key.name]
    // Where nothing can be moved now, an observer begins with what a read finds.
    let unmoved = change.isInitial && entry?.new == nil ? key.unmovedEntry(in: suite) : nil
    let (new, problem) = key.valueAndProblem(ofEntry: entry?.new ?? unmoved, in: suite)
    // Told once, until the entry is one that can be read.
    if let problem { suite.support.report(problem) }
    var (old, isSame) = (new, false)
    if !change.isInitial {
      let before = before(entry?.old)
      if problem != nil, response == .skip {
        // The last good one, where the observer was given none yet.
        if !before.isInvalid { last?.replace(with: before.value) }
        return nil
      }
      if let value = before.value {
        old = value
        isSame = areEqual(old, new)
        if isSame, problem == nil || before.isInvalid { return nil }
      }
    }
    if !change.isPrior { last?.replace(with: new) }
    return Defaults.KeyChange(
      oldValue: old, newValue: new, problem: problem, isPrior: change.isPrior,
      isInitial: change.isInitial, isSame: isSame, source: change.source, origin: change.origin)
  }

  /// The value before a change, if it is known, and whether it stood for an entry that can't be
  /// read.
  private func before(_ entry: Defaults.PropertyListValue?) -> (value: Value?, isInvalid: Bool) {
    if response == .skip || entry == nil, let last = last?.withLock({ $0 }) { return (last, false) }
    if entry == nil, case .initial = key.fallback { return (nil, false) }
    let (value, problem) = key.valueAndProblem(ofEntry: entry, in: suite)
    return (value, problem != nil)
  }

  /// Whether two values are the same: by `==` if their type has it, else by what is stored for
  /// them.
  private func areEqual(_ one: Value, _ other: Value) -> Bool {
    func areEqual<Same: Equatable>(_: Same.Type) -> Bool { one as? Same == other as? Same }
    if let type = Value.self as? any Equatable.Type { return areEqual(type) }
    guard let first = try? key.coding.edit(for: one), let second = try? key.coding.edit(for: other)
    else { return false }
    return first == second
  }
}
