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
  /// What a change of a suite means to a key.
  init(_ change: Defaults.Change, of key: Defaults.Key<Value>, in suite: any Defaults.Suite) {
    let entry = change.entries[key.name] ?? .init(old: nil, new: nil)
    self.init(change, entry, of: key, in: suite)
  }

  /// What a change means to a key whose entry was and is this.
  init(
    _ change: Defaults.Change, _ entry: Defaults.Change.Entry, of key: Defaults.Key<Value>,
    in suite: any Defaults.Suite
  ) {
    newValue = key.value(ofEntry: entry.new, in: suite)
    // Before an initial value was stored there was none; the first one is no news.
    let isFirst = if case .initial = key.fallback { entry.old == nil } else { false }
    oldValue =
      change.isInitial || isFirst ? newValue : key.value(ofEntry: entry.old, in: suite)
    origin = change.origin
    isPrior = change.isPrior
    isInitial = change.isInitial
    source = change.source
  }
}
