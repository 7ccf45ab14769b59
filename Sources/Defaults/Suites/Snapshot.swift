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
    /// Whether the body read all names where the entries of layers depend on those of the table.
    fileprivate var includesAllValues = false

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
  /// What the entries are derived by, if they are, and how often that had changed.
  private let derived: (any DerivedPersistence)?
  private let ruleChanges: Int

  /// Takes a snapshot of the entries that a commit of the suite changes. Call ``end()`` after the run.
  init(of suite: Defaults.StoredSuite) {
    table = suite.target
    derived = suite.derived
    ruleChanges = suite.derived?.ruleChanges ?? 0
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
    table.state.withLock { state in
      var names = Set(state.entries.all.keys)
      guard let index = state.snapshots.firstIndex(where: { $0.number == number }) else {
        return names
      }
      state.snapshots[index].reads.includesAllNames = true
      for (name, old) in state.snapshots[index].before {
        if old == nil { names.remove(name) } else { names.insert(name) }
      }
      return names
    }
  }

  /// Notes that the body read the names of all entries that are derived from those of the table.
  func noteAllDerivedNames() {
    table.state.withLock { state in
      guard let index = state.snapshots.firstIndex(where: { $0.number == number }) else { return }
      state.snapshots[index].reads.includesAllNames = true
      state.snapshots[index].reads.includesAllValues = true
    }
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
    guard derived?.ruleChanges ?? 0 == ruleChanges else { return false }
    return table.state.withLock { state in
      guard let own = state.snapshots.first(where: { $0.number == number }) else { return true }
      return own.before.allSatisfy { name, old in
        let current = state.entries[name]
        if old == current { return true }
        if own.reads.includesAllNames, (old == nil) != (current == nil) { return false }
        return !own.reads.includesAllValues && !own.reads.names.contains(name)
      }
    }
  }
}
