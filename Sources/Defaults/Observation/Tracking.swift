import Observation

/// A key and its setting's tracker for the Observation framework.
@usableFromInline
final class TrackedKey<Value: Sendable>: Sendable {
  @usableFromInline let key: Defaults.Key<Value>
  /// The tracker of the key's own suite, if `isBound`. Not optional: unwrapping would retain and
  /// release it, which takes as long as the rest of a read.
  @usableFromInline let tracker: Tracker
  /// False if another suite replaced the key's own when this was made. Then the key's own suite
  /// isn't opened, and the key's cell has no decoded values.
  private let isBound: Bool

  @usableFromInline
  init(_ key: Defaults.Key<Value>) {
    self.key = key
    isBound = !key.place.isReplaced
    tracker = isBound ? Tracking.tracker(of: key, key.cell, in: key.suite) : Tracker()
  }

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

  /// The tracker for the key's current suite.
  private var present: Tracker {
    if isBound, !key.place.isReplaced { return tracker }
    let suite = key.suite
    return Tracking.tracker(
      of: key, suite.stored?.table.cell(named: key.name, orElse: key.previousNames) ?? key.cell,
      in: suite)
  }
}

/// The observable object of one setting, with the registrar that is notified of each change.
///
/// All properties with the same suite and name share a tracker.
@usableFromInline
final class Tracker: Observable, Sendable {
  @usableFromInline let registrar = ObservationRegistrar()
  /// Stored, since an access with a literal path takes 14 ns instead of 4.
  @usableFromInline let path: any KeyPath<Tracker, Void> & Sendable = \Tracker.value

  /// The property that represents the setting; never read.
  @usableFromInline var value: Void { () }

  @usableFromInline
  init() {}

  /// Records that the setting is read, if the current code is tracked.
  @inlinable
  func access() { registrar.access(self, keyPath: path) }

  /// Notifies the setting's trackers, which may run any code. Never call this under a lock.
  func settingChanged() { registrar.withMutation(of: self, keyPath: path) {} }
}

/// A tracker and the observations that notify it. The setting's cell holds them.
private final class Tracking: Cell.Companion, @unchecked Sendable {
  // Unchecked only because the superclass is; every property is a constant of a Sendable type.

  private let tracker = Tracker()
  /// The observed names. Declarations of one setting may have different previous names.
  private let observed = Lock((names: Set<String>(), tokens: [any Defaults.Observation]()))

  /// Observes the names of a key that aren't observed yet, through the suite's support: the suite's
  /// own `observe` must not be called in its transaction, where properties may be read.
  private func observe(_ key: Defaults.AnyKey, in suite: any Defaults.Suite) {
    let names = Set(key.allNames).subtracting(observed.withLock { $0.names })
    if names.isEmpty { return }
    // Capture only the tracker: capturing self would be a retain cycle with the observation.
    let handler = Defaults.Handler<Defaults.Change> { [tracker] _ in tracker.settingChanged() }
    // The setting's trackers may be of different scopes. A scope retained here would retain its
    // suite and thereby the cell, which holds this object.
    func observe() -> any Defaults.Observation {
      suite.support.observe(names, options: .deliveringScope, initial: [:], handler)
    }
    let token = suite.stored?.table.state.withLock { _ in observe() } ?? observe()
    // Only now: another thread that finds the names relies on their observation.
    observed.withLock { observed in
      observed.names.formUnion(names)
      observed.tokens.append(token)
    }
  }

  /// Returns the tracker of a setting with this cell, and makes it if necessary.
  static func tracker(of key: Defaults.AnyKey, _ cell: Cell, in suite: any Defaults.Suite)
    -> Tracker
  {
    let present = cell.companion.load() ?? cell.companion.storeIfNil(Tracking())
    guard let tracking = present as? Tracking else {
      fatalError("A cell's companion isn't a `Tracking`.")
    }
    tracking.observe(key, in: suite)
    return tracking.tracker
  }
}
