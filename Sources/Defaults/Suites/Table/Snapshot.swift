/// The entries of a table at one instant, for one run of a transaction's body.
///
/// The table keeps the old value of each entry that other threads or processes change meanwhile.
/// The snapshot records the names that the body reads, and ``isCurrent`` returns whether their
/// entries are unchanged.
package final class Snapshot {
  package struct Reads: Sendable {
    /// The names that the body read, with or without an entry.
    package var names: Set<String> = []
    /// Whether the body read the set of all names.
    package var includesAllNames = false
  }

  private let table: EntryTable
  // The lock of the table's state guards the variables, since the table calls `keep` under it.
  /// The old values of the entries that changed since the snapshot was taken.
  private var before: [String: PropertyListValue?] = [:]
  private var recorded = Reads()

  /// Takes a snapshot. Call ``end()`` after the run.
  init(of table: EntryTable) {
    self.table = table
    table.state.withLock { $0.snapshots.append(self) }
  }

  /// Ends the snapshot. A draft that outlives its transaction reads the current entries.
  func end() {
    table.state.withLock { state in
      state.snapshots.removeAll { $0 === self }
      (before, recorded) = ([:], Reads())
    }
  }

  /// Keeps the old value of an entry that changes. The caller holds the lock of the table's state.
  func keep(_ old: PropertyListValue?, of name: String) {
    if before.index(forKey: name) == nil { before.updateValue(old, forKey: name) }
  }

  /// Returns the entry of a name and records the read.
  func entry(named name: String) -> PropertyListValue? {
    table.state.withLock { state in
      recorded.names.insert(name)
      return before[name] ?? state.entries[name]
    }
  }

  /// Returns the names of all entries and records the read.
  func names() -> Set<String> {
    let (entries, before) = table.state.withLock { state in
      recorded.includesAllNames = true
      return (state.entries.all, self.before)
    }
    // Outside of the lock, since there may be many names.
    var names = Set(entries.keys)
    for (name, old) in before {
      if old == nil { names.remove(name) } else { names.insert(name) }
    }
    return names
  }

  var reads: Reads { table.state.withLock { _ in recorded } }

  /// Whether everything that the body read is unchanged in the table. An entry that changed and
  /// changed back is treated as unchanged.
  var isCurrent: Bool {
    table.state.withLock { state in
      before.allSatisfy { name, old in
        let current = state.entries[name]
        if old == current { return true }
        if recorded.includesAllNames, (old == nil) != (current == nil) { return false }
        return !recorded.names.contains(name)
      }
    }
  }
}
