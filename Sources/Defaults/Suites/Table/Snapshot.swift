/// The entries of a table at one instant, for one run of a transaction's body.
///
/// The table keeps the old value of each entry that other threads or processes change meanwhile.
/// The snapshot records the names that the body reads, and ``isCurrent`` returns whether their
/// entries are unchanged.
package final class Snapshot: Sendable {
  package struct Reads: Sendable {
    /// The names that the body read, with or without an entry.
    package var names: Set<String> = []
    /// Whether the body read the set of all names.
    package var includesAllNames = false
  }

  /// The part of a snapshot that the table keeps.
  struct State {
    fileprivate let owner: ObjectIdentifier
    /// The old values of the entries that changed since the snapshot was taken.
    fileprivate var before: [String: PropertyListValue?] = [:]
    fileprivate var reads = Reads()

    mutating func keep(_ old: PropertyListValue?, of name: String) {
      if before.index(forKey: name) == nil { before.updateValue(old, forKey: name) }
    }
  }

  private let table: EntryTable

  /// Takes a snapshot. Call ``end()`` after the run.
  init(of table: EntryTable) {
    self.table = table
    table.state.withLock { $0.snapshots.append(State(owner: ObjectIdentifier(self))) }
  }

  /// Ends the snapshot. A draft that outlives its transaction reads the current entries.
  func end() { table.state.withLock { state in state.snapshots.removeAll(where: isOwn) } }

  private func isOwn(_ state: State) -> Bool { state.owner == ObjectIdentifier(self) }

  /// Returns the entry of a name and records the read.
  func entry(named name: String) -> PropertyListValue? {
    table.state.withLock { state in
      let current = state.entries[name]
      guard let index = state.snapshots.firstIndex(where: isOwn) else {
        return current
      }
      state.snapshots[index].reads.names.insert(name)
      return state.snapshots[index].before[name] ?? current
    }
  }

  /// Returns the names of all entries and records the read.
  func names() -> Set<String> {
    let (entries, before) = table.state.withLock { state in
      guard let index = state.snapshots.firstIndex(where: isOwn) else {
        return (state.entries.all, [String: PropertyListValue?]())
      }
      state.snapshots[index].reads.includesAllNames = true
      return (state.entries.all, state.snapshots[index].before)
    }
    // Outside of the lock, since there may be many names.
    var names = Set(entries.keys)
    for (name, old) in before {
      if old == nil { names.remove(name) } else { names.insert(name) }
    }
    return names
  }

  var reads: Reads {
    table.state.withLock { state in
      state.snapshots.first(where: isOwn)?.reads ?? Reads()
    }
  }

  /// Whether everything that the body read is unchanged in the table. An entry that changed and
  /// changed back is treated as unchanged.
  var isCurrent: Bool {
    table.state.withLock { state in
      guard let own = state.snapshots.first(where: isOwn) else { return true }
      return own.before.allSatisfy { name, old in
        let current = state.entries[name]
        if old == current { return true }
        if own.reads.includesAllNames, (old == nil) != (current == nil) { return false }
        return !own.reads.names.contains(name)
      }
    }
  }
}
