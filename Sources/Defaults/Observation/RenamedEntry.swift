extension Defaults {
  /// Observes the entry of a key that may have had other names: one of these counts while there is
  /// none under a later one, and moving it is no change.
  static func observeEntry(
    of key: Setting, in suite: any Suite, options: ObservationOptions,
    _ handler: @escaping @Sendable (Change, Change.Entry) -> Void
  ) -> any Observation {
    let names = suite.names(of: key)
    let history = RenamedEntry(names)
    // The initial event tells what lies under each name, whoever wants it.
    let own: ObservationOptions =
      names.count == 1 ? .followingNames : [.followingNames, .initial, .silent]
    let observation = suite.observe(Set(names), options: options.union(own)) { change in
      if change.isInitial, change.isSilent {
        history.learn(suite.names(of: key), change)
      } else if let entry = history.take(change), !change.isSilent,
        !change.isInitial || options.contains(.initial)
      {
        handler(change, entry)
      }
    }
    if suite.names(of: key).count > names.count { suite.widenObservers(of: key) }
    return observation
  }
}

extension Defaults.ObservationOptions {
  /// Changes under names, too, that the settings are found to have had later.
  ///
  /// There is an initial and silent change then, with what lies under all names of one setting, and
  /// the observer gets silent changes from there on.
  static let followingNames = Self(rawValue: 1 << 61)
}

extension Defaults {
  /// Lets observers of keys know names that became known since these were looked up.
  static func widenObservers(
    of keys: [AnyKey], since groups: [(suite: any Suite, names: Set<String>)]
  ) {
    guard namesBySuite(keys).map(\.names) != groups.map(\.names) else { return }
    for key in keys { key.suite.widenObservers(of: key) }
  }
}

extension Defaults.Suite {
  /// Lets observers of a setting know names that became known while they began.
  func widenObservers(of key: Defaults.Setting) {
    let names = previousNames(of: key)
    guard !names.isEmpty, let stored else { return }
    stored.state.withLock { state in
      stored.support.widenObservers(of: key.name, by: names) { state.entries[$0] }
    }
  }
}

extension Defaults.SuiteSupport {
  /// Makes observers of a setting hear of the names that it had. Called under the lock under which
  /// entries are committed; nothing is delivered before the next change is, since keys are made in
  /// all sorts of places.
  func widenObservers(
    of name: String, by others: [String],
    entry: (_ name: String) -> Defaults.PropertyListValue?
  ) {
    state.withLock { state in
      var late: [Observer] = []
      for observer in state.observers(of: name) where observer.followsNames {
        let new = observer.widen(by: others)
        state.add(observer, to: new)
        if !new.isEmpty { late.append(observer) }
      }
      guard !late.isEmpty else { return }
      var entries: [String: Defaults.PropertyListValue?] = [:]
      for name in [name] + others + previousNames(of: name) {
        entries.updateValue(entry(name), forKey: name)
      }
      var change = Defaults.Change.initial(entries)
      change.isSilent = true
      state.queue.append(Delivery(change: change, observers: late))
    }
  }
}

/// The entry of a setting that may have had other names, put together from the changes of each.
private final class RenamedEntry: Sendable {
  private struct State {
    var names: [String]
    /// Kept if there is more than one name.
    var entries: [String: Defaults.PropertyListValue] = [:]

    var present: Defaults.PropertyListValue? {
      names.lazy.compactMap { entries[$0] }.first
    }

    mutating func take(_ change: Defaults.Change) {
      for (name, entry) in change.entries { entries[name] = entry.new }
    }
  }

  private let state: Lock<State>

  init(_ names: [String]) { state = Lock(State(names: names)) }

  /// Takes in a change, unless it is only announced; returns the entry before and after it, nil if
  /// it is the same.
  func take(_ change: Defaults.Change) -> Defaults.Change.Entry? {
    state.withLock { state in
      if state.names.count == 1 {
        return change.entries[state.names[0]] ?? Defaults.Change.Entry(old: nil, new: nil)
      }
      let old = state.present
      var later = state
      later.take(change)
      let new = later.present
      if !change.isPrior { state = later }
      if change.isInitial { return Defaults.Change.Entry(old: new, new: new) }
      return old == new ? nil : Defaults.Change.Entry(old: old, new: new)
    }
  }

  /// Takes in what lies under all names that are known by now.
  func learn(_ names: [String], _ change: Defaults.Change) {
    state.withLock { state in
      state.names = names
      state.take(change)
    }
  }
}
