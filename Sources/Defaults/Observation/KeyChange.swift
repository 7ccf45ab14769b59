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
    /// The mark of the writer in this process who set one; see ``Defaults/withOrigin(_:_:)``.
    public let origin: Origin?
  }
}

extension Defaults.KeyChange {
  /// What a change means to a key whose entry was and is this.
  ///
  /// `told` is what the observer was told last: before an initial value is stored there is none but
  /// that, and the first one is no news.
  init(
    _ change: Defaults.Change, _ entry: Defaults.Change.Entry, of key: Defaults.Key<Value>,
    in suite: any Defaults.Suite, told: Value?
  ) {
    newValue = key.value(ofEntry: entry.new, in: suite)
    if change.isInitial {
      oldValue = newValue
    } else if case .initial = key.fallback, entry.old == nil {
      oldValue = told ?? newValue
    } else {
      oldValue = key.value(ofEntry: entry.old, in: suite)
    }
    origin = change.origin
    isPrior = change.isPrior
    isInitial = change.isInitial
    source = change.source
  }
}
