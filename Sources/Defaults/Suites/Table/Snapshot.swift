/// The entries of a table at one instant, for one run of a transaction's body.
///
/// The body runs without a lock. While it does, the table keeps the old value of each entry that other
/// threads and processes change, so that the body sees one instant. The snapshot notes what the body
/// reads, and the commit finds out with ``isCurrent`` whether any of that changed.
package final class Snapshot: Sendable {
  /// What the body read.
  package struct Reads: Sendable {
    /// The names that the body read, whether they have an entry or not.
    package var names: Set<String> = []
    /// Whether the body read which names have entries.
    package var includesAllNames = false

    package init() {}
  }

  /// What the table keeps for a snapshot.
  struct State {
    fileprivate let number: UInt64
    /// The old values of the entries that changed since the snapshot was taken.
    fileprivate var before: [String: PropertyListValue?] = [:]
    fileprivate var reads = Reads()

    /// Keeps the old value of an entry that changes.
    mutating func keep(_ old: PropertyListValue?, of name: String) {
      if before.index(forKey: name) == nil { before.updateValue(old, forKey: name) }
    }

    /// The value that an entry had, given its current one.
    fileprivate func entry(
      named name: String, now current: PropertyListValue?
    ) -> PropertyListValue? {
      if before.isEmpty { return current }
      return before[name] ?? current
    }
  }

  private let table: EntryTable
  private let number: UInt64

  /// Takes a snapshot. Call ``end()`` after the run.
  init(of table: EntryTable) {
    self.table = table
    number = table.state.withLock { state in
      state.lastSnapshot += 1
      state.snapshots.append(State(number: state.lastSnapshot))
      return state.lastSnapshot
    }
  }

  /// Ends the snapshot. A draft that outlives its transaction reads the current entries.
  func end() {
    table.state.withLock { state in state.snapshots.removeAll { $0.number == number } }
  }

  /// The entry of a name, which the body read.
  func entry(named name: String) -> PropertyListValue? {
    table.state.withLock { state in
      let current = state.entries[name]
      guard let index = state.snapshots.firstIndex(where: { $0.number == number }) else {
        return current
      }
      state.snapshots[index].reads.names.insert(name)
      return state.snapshots[index].entry(named: name, now: current)
    }
  }

  /// The names of all entries, which the body read.
  func names() -> Set<String> {
    let (entries, before) = table.state.withLock { state in
      guard let index = state.snapshots.firstIndex(where: { $0.number == number }) else {
        return (state.entries.all, [String: PropertyListValue?]())
      }
      state.snapshots[index].reads.includesAllNames = true
      return (state.entries.all, state.snapshots[index].before)
    }
    // Without the lock, since there may be many.
    var names = Set(entries.keys)
    for (name, old) in before {
      if old == nil { names.remove(name) } else { names.insert(name) }
    }
    return names
  }

  /// What the body read so far.
  var reads: Reads {
    table.state.withLock { state in
      state.snapshots.first { $0.number == number }?.reads ?? Reads()
    }
  }

  /// Whether everything that the body read is still what the table has. An entry that changed and
  /// changed back counts as unchanged.
  var isCurrent: Bool {
    table.state.withLock { state in
      guard let own = state.snapshots.first(where: { $0.number == number }) else { return true }
      return own.before.allSatisfy { name, old in
        let current = state.entries[name]
        if old == current { return true }
        if own.reads.includesAllNames, (old == nil) != (current == nil) { return false }
        return !own.reads.names.contains(name)
      }
    }
  }
}

/// The derived entries of a suite as the draft of a transaction sees them: those of one instant of the
/// base, by the rule of one instant.
protocol DerivedSnapshot: Sendable {
  /// The names of all entries after no edits.
  func names(on snapshot: Snapshot?) -> Set<String>

  /// The entry of a name after these edits of the base, which is as in the snapshot, or else current.
  func entry(
    named name: String, after edits: [String: Edit], on snapshot: Snapshot?
  ) -> PropertyListValue?

  /// Whether the layers are still what they were.
  var isCurrent: Bool { get }
}
