import Observation

/// What the Observation framework knows of one setting: its own registrar, told of each change.
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

  /// Takes down that the setting is being read, if that is of interest to anybody.
  @inlinable
  func access() {
    registrar.access(self, keyPath: path)
  }

  /// Tells those who read the setting that it changed. They may run any code: never under a lock.
  func tellChange() {
    registrar.withMutation(of: self, keyPath: path) {}
  }
}

/// A tracker that hears of the changes of its setting.
final class Tracking: Cell.Attachment, @unchecked Sendable {
  // Unchecked as its superclass demands.

  let tracker = Tracker()
  private let observation: any Defaults.Observation

  /// Listens to a name of a suite, and to those that its key had. Not by the suite's own `observe`,
  /// which mustn't be called inside of its transaction, where a property may well be read.
  init(of names: Set<String>, in suite: any Defaults.Suite) {
    // The tracker, not self: the suite would hold what holds the observation, and neither would go.
    let handler: @Sendable (Defaults.Change) -> Void = { [tracker] change in
      if !change.isSilent { tracker.tellChange() }
    }
    func observe() -> any Defaults.Observation {
      suite.support.observe(names, options: .followingNames, initial: [:], handler)
    }
    if let stored = suite.stored {
      observation = stored.state.withLock { _ in observe() }
    } else {
      observation = observe()
    }
  }
}

extension Cell {
  /// The tracker of the setting, made when it is asked for first.
  func tracker(of key: Defaults.AnyKey, in suite: any Defaults.Suite) -> Tracker {
    // Nothing else is ever attached to a cell.
    if let known = attachment.load() { return unsafeDowncast(known, to: Tracking.self).tracker }
    let tracking = attachment.storeIfNil(Tracking(of: Set(suite.names(of: key)), in: suite))
    suite.widenObservers(of: key)
    return unsafeDowncast(tracking, to: Tracking.self).tracker
  }
}
