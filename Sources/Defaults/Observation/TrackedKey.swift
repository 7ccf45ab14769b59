/// A key, and what the Observation framework knows of its setting.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  /// The tracker of the key's own suite; nil if that is the program's and this was made in a scope.
  @usableFromInline let tracker: Tracker?

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    let isScoped = key.ownSuite == nil && SuiteScope.current != nil
    tracker = isScoped ? nil : key.cell.tracker(of: key, in: key.suite)
  }

  /// The value; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      guard let value = key.cached, let tracker else { return look() }
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
    if let tracker, key.ownSuite != nil || SuiteScope.current == nil { return tracker }
    let suite = key.suite
    return (suite.stored?.cell(named: key.name) ?? key.cell).tracker(of: key, in: suite)
  }
}
