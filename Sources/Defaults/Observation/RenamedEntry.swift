extension Defaults {
  /// Observes the entry of a key that had other names: one of these counts while there is none
  /// under a later one, and moving it is no change.
  static func observeRenamed(
    _ names: [String], in suite: any Suite, options: ObservationOptions,
    handler: @escaping @Sendable (Change, Change.Entry) -> Void
  ) -> any Observation {
    let history = RenamedEntry(names)
    // The initial event tells what lies under each name, whoever wants it.
    return suite.observe(Set(names), options: options.union([.initial, .silent])) { change in
      let entry = history.take(change)
      if change.isSilent { return }
      if change.isInitial ? options.contains(.initial) : entry.old != entry.new {
        handler(change, entry)
      }
    }
  }
}

/// The entry of a setting that had other names, put together from the changes of each.
private final class RenamedEntry: Sendable {
  private let names: [String]
  private let entries = Lock([String: Defaults.PropertyListValue]())

  init(_ names: [String]) { self.names = names }

  /// Takes in a change, unless it is only announced; returns the entry before and after it.
  func take(_ change: Defaults.Change) -> Defaults.Change.Entry {
    entries.withLock { known in
      let old = present(in: known)
      var entries = known
      for (name, entry) in change.entries { entries[name] = entry.new }
      let new = present(in: entries)
      if !change.isPrior { known = entries }
      return Defaults.Change.Entry(old: change.isInitial ? new : old, new: new)
    }
  }

  private func present(
    in entries: [String: Defaults.PropertyListValue]
  ) -> Defaults.PropertyListValue? {
    names.lazy.compactMap { entries[$0] }.first
  }
}
