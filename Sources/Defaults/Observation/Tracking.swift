import Observation

/// A key, and what the Observation framework knows of its setting.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  /// The tracker of the key's own suite, if `isBound`. (Not optional: unwrapping it would retain
  /// and release it, which takes as long as all else that a read does.)
  @usableFromInline let tracker: Tracker
  /// Not if another suite stood in for the key's own when this was made: that isn't opened then,
  /// and the key's cell has no decoded values.
  private let isBound: Bool

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    isBound = !key.place.isReplaced
    tracker = isBound ? Tracking.tracker(of: key, key.cell, in: key.suite) : Tracker()
  }

  /// The value; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      guard let value = key.cached else { return decoded() }
      tracker.access()
      return value
    }
    set { key.suite[key] = newValue }
  }

  @usableFromInline
  func decoded() -> Value {
    present.access()
    return key.decoded()
  }

  /// The tracker of what the key's suite is here and now.
  private var present: Tracker {
    if isBound, !key.place.isReplaced { return tracker }
    let suite = key.suite
    return Tracking.tracker(
      of: key, suite.stored?.table.cell(named: key.name, orElse: key.previousNames) ?? key.cell,
      in: suite)
  }
}

/// What the Observation framework knows of one setting: a registrar that hears of each change.
///
/// There is one for each name of a suite that was ever read by a property; all properties of that
/// name share it.
@usableFromInline
final class Tracker: Observable, Sendable {
  @usableFromInline let registrar = ObservationRegistrar()
  /// Kept in a property: an access by a literal path costs 14 ns in place of 4.
  @usableFromInline let path: any KeyPath<Tracker, Void> & Sendable = \Tracker.value

  /// Stands for the setting; never read.
  @usableFromInline var value: Void { () }

  @usableFromInline
  init() {}

  /// Records that the setting is being read, if anybody tracks what is read here and now.
  @inlinable
  func access() {
    registrar.access(self, keyPath: path)
  }

  /// Calls those who track the setting, which may run any code: never under a lock.
  func settingChanged() {
    registrar.withMutation(of: self, keyPath: path) {}
  }
}

/// A tracker that hears of the changes of its setting. The cell of the setting holds it.
private final class Tracking: Cell.Companion, @unchecked Sendable {
  // Unchecked as its superclass demands; every property is a constant of a Sendable type.

  private let tracker = Tracker()
  private let observation: any Defaults.Observation

  /// Listens to names of a suite. Not by the suite's own `observe`, which mustn't be called inside
  /// of its transaction, where a property may well be read.
  private init(of names: Set<String>, in suite: any Defaults.Suite) {
    // The tracker, not self: the suite would hold what holds the observation, and neither would go.
    let handler = Defaults.Handler<Defaults.Change> { [tracker] _ in tracker.settingChanged() }
    func observe() -> any Defaults.Observation {
      suite.support.observe(names, initial: [:], handler)
    }
    if let stored = suite.stored {
      observation = stored.table.state.withLock { _ in observe() }
    } else {
      observation = observe()
    }
  }

  /// The tracker of a setting with this cell, made when it is asked for first.
  static func tracker(of key: Defaults.AnyKey, _ cell: Cell, in suite: any Defaults.Suite)
    -> Tracker
  {
    let present =
      cell.companion.load() ?? cell.companion.storeIfNil(Tracking(of: key.observedNames, in: suite))
    guard let tracking = present as? Tracking else {
      fatalError("a cell has one companion, which is its tracking")
    }
    return tracking.tracker
  }
}
