/// A key, and what the Observation framework knows of its setting.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  /// The tracker of the key's own suite, if `isBound`. (Not optional: unwrapping it would retain
  /// and release it, which takes as long as all else that a read does.)
  @usableFromInline let tracker: Tracker
  /// Not if the suite is the program's and this was made in a scope, where that isn't opened. The
  /// key's cell has no decoded values then.
  private let isBound: Bool

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    isBound = key.ownSuite != nil || SuiteScope.current == nil
    tracker = isBound ? key.cell.tracker(of: key, in: key.suite) : Tracker()
  }

  /// The value; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      guard let value = key.cached else { return look() }
      tracker.access()
      return value
    }
    set { Defaults[key] = newValue }
  }

  @usableFromInline
  func look() -> Value {
    present.access()
    return key.look()
  }

  /// The tracker of what the key's suite is here and now.
  private var present: Tracker {
    if isBound, key.ownSuite != nil || SuiteScope.current == nil { return tracker }
    let suite = key.suite
    return (suite.stored?.cell(named: key.name) ?? key.cell).tracker(of: key, in: suite)
  }
}
