/// A key, and what the Observation framework knows of its setting.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  @usableFromInline let tracker: Tracker

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    tracker = key.cell.tracker(of: key.name, in: key.suite)
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
