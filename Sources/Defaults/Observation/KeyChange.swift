extension Defaults {
  /// What the observer of one key is told: its value before and after a change.
  public struct KeyChange<Value: Sendable>: Sendable, CustomStringConvertible {
    /// The value before. In an initial event, the present one.
    public let oldValue: Value
    /// The value after. In an initial event, the present one.
    public let newValue: Value
    /// Why `newValue` is the default although there is an entry: that isn't a value of the key's
    /// type. nil if all is well.
    public let error: SuiteError?
    /// Whether this is the first of the two events of an observer with
    /// ``ObservationOptions/prior``.
    public let isPrior: Bool
    /// Whether this is the event that ``ObservationOptions/initial`` asked for.
    public let isInitial: Bool
    /// Whether the values are equal, and the error is all that is new.
    let isSame: Bool
    /// Whether the values are shown to nobody who doesn't ask for them.
    let isSecret: Bool
    /// Who made the change.
    public let source: Change.Source
    /// The mark of the writer in this process who set one; see ``Defaults/withOrigin(_:_:)``.
    public let origin: String?
    /// The layer that has changed, in a suite that is made of layers; see ``Change/layer``.
    public let layer: String?

    /// The value before and after: `5 -> 7`. Of a secret neither.
    @_documentation(visibility: internal)
    public var description: String {
      if isSecret { return isInitial ? Description.secret : "\(Description.secret), changed" }
      let new = Description.brief(value: newValue)
      return isInitial ? new : "\(Description.brief(value: oldValue)) -> \(new)"
    }
  }

  /// What an observer gets where the stored entry isn't a value of the key's type.
  public enum UndecodableEntryPolicy: Sendable, Hashable {
    /// The default value, as a read does.
    case useDefault
    /// Nothing: the last good value stays, and the next one is told as a change of that. An
    /// observer that begins with such an entry gets the default first, there being nothing better.
    case skip
  }
}

extension Defaults.KeyChange: CustomReflectable {
  /// What `dump` and failed tests show: of a secret no value.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["change": "\(self)"], displayStyle: .struct)
  }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {
  /// Whether both say the same; problems are the same if their texts are.
  @_documentation(visibility: internal)
  public static func == (left: Self, right: Self) -> Bool {
    left.oldValue == right.oldValue && left.newValue == right.newValue
      && left.error?.description == right.error?.description
      && (left.isPrior, left.isInitial) == (right.isPrior, right.isInitial)
      && (left.source, left.origin, left.layer) == (right.source, right.origin, right.layer)
  }
}

/// Turns the changes of an entry into what the observer of its key is told. Called for one change
/// after another.
final class KeyEvents<Value: Sendable>: Sendable {
  private struct Told {
    let value: Value
    let isInvalid: Bool
  }

  private let key: Defaults.Key<Value>
  private let suite: any Defaults.Suite
  private let response: Defaults.UndecodableEntryPolicy
  /// What the observer knows, where that can't be found out from the change: it skips entries, the
  /// entry may lie under a previous name, or a key with an initial value has none, and reads what
  /// is stored next, which nobody has seen.
  private let told: Lock<Told?>?

  /// `present` is the entry that a read finds as the observation begins.
  init(
    _ key: Defaults.Key<Value>, _ suite: any Defaults.Suite,
    beginningWith present: Defaults.PropertyListValue?, _ response: Defaults.UndecodableEntryPolicy
  ) {
    self.key = key
    self.suite = suite
    self.response = response
    if !key.previousNames.isEmpty {
      let (value, problem) = key.valueAndProblem(ofEntry: present, in: suite)
      told = Lock(Told(value: value, isInvalid: problem != nil))
    } else if case .initial = key.fallback {
      told = Lock(nil)
    } else {
      told = response == .skip ? Lock(nil) : nil
    }
  }

  /// The event for a change; nil if there is nothing to tell.
  func event(for change: Defaults.Change) -> Defaults.KeyChange<Value>? {
    let entry = change.entries[key.name]
    let (new, problem) = key.valueAndProblem(ofEntry: present(entry), in: suite)
    // Told once, until the entry is one that can be read.
    if let problem { suite.support.report(problem) }
    var (old, isSame) = (new, false)
    if !change.isInitial {
      let before = before(entry?.old)
      if problem != nil, response == .skip {
        // The last good one, where the observer was given none yet.
        if let before, !before.isInvalid { told?.replace(with: before) }
        return nil
      }
      if let before {
        old = before.value
        // Two entries of one value differ; the default and an entry, or what was told last, needn't.
        let mayBeStoredAlike = told != nil || entry?.old == nil || entry?.new == nil
        isSame = key.areEqual(old, new, mayBeStoredAlike: mayBeStoredAlike)
        if isSame, before.isInvalid == (problem != nil) { return nil }
      }
    }
    if !change.isPrior { told?.replace(with: Told(value: new, isInvalid: problem != nil)) }
    return Defaults.KeyChange(
      oldValue: old, newValue: new, error: problem, isPrior: change.isPrior,
      isInitial: change.isInitial, isSame: isSame, isSecret: key.isSecret, source: change.source,
      origin: change.origin, layer: change.layer)
  }

  /// The entry that a read finds after a change.
  private func present(_ entry: Defaults.Change.Entry?) -> Defaults.PropertyListValue? {
    if let new = entry?.new { return new }
    if key.previousNames.isEmpty { return nil }
    // The change is that of a previous name, or one of those counts now.
    return (entry == nil ? suite.entry(named: key.name) : nil) ?? key.previousEntry(in: suite)
  }

  /// What the observer knew before a change, if that is known.
  private func before(_ entry: Defaults.PropertyListValue?) -> Told? {
    if let told = told?.withLock({ $0 }),
      response == .skip || entry == nil || !key.previousNames.isEmpty
    {
      return told
    }
    if entry == nil, case .initial = key.fallback { return nil }
    let (value, problem) = key.valueAndProblem(ofEntry: entry, in: suite)
    return Told(value: value, isInvalid: problem != nil)
  }
}
