/// A key, and what the Observation framework knows of its setting.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  @usableFromInline let tracker: Tracker

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    let suite = key.suite
    // In a scope the name has another cell.
    let isScoped = key.ownSuite == nil && SuiteScope.current != nil
    let cell = isScoped ? suite.stored?.cell(named: key.name) ?? key.cell : key.cell
    tracker = cell.tracker(of: key.name, in: suite)
  }

  /// The value; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      tracker.access()
      return key.current
    }
    set { Defaults[key] = newValue }
  }
}
