extension Defaults {
  /// What the observer of one key is told: its value before and after a change.
  public struct KeyChange<Value: Sendable>: Sendable {
    /// The value before. In an initial event, the present one.
    public let oldValue: Value
    /// The value after. In an initial event, the present one.
    public let newValue: Value
    /// Whether this is the first of the two events of an observer with
    /// ``ObservationOptions/prior``.
    public let isPrior: Bool
    /// Whether this is the event that ``ObservationOptions/initial`` asked for.
    public let isInitial: Bool
    /// Who made the change.
    public let source: Change.Source
  }
}

extension Defaults.KeyChange {
  /// What a change of a suite means to a key.
  init(_ change: Defaults.Change, of key: Defaults.Key<Value>, in suite: any Defaults.Suite) {
    let entry = change.entries[key.name]
    oldValue = key.value(ofEntry: entry?.old, in: suite)
    newValue = change.isInitial ? oldValue : key.value(ofEntry: entry?.new, in: suite)
    isPrior = change.isPrior
    isInitial = change.isInitial
    source = change.source
  }
}
