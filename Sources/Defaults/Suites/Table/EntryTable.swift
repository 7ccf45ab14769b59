import Synchronization

/// The entries of a suite in memory, as all readers in the process see them.
///
/// The ``Persistence`` of a ``Defaults/StoredSuite`` commits the suite's changes and those of other
/// processes to the table. The committing code calls the support's `deliver` after releasing all
/// locks.
package final class EntryTable: Sendable {
  struct State {
    var entries: Entries
    /// The cells of the names that keys have asked for.
    var cells: [String: Cell] = [:]
    /// The cells that depend on a name because it is a previous name of their key.
    var dependents: [String: [Cell]] = [:]
    /// Whether reads can skip the check for a scope that replaces this suite with another one.
    var areCellsTrusted = true
    /// The old entries for the bodies of running transactions.
    var snapshots: [Snapshot] = []
  }

  package let support: Defaults.SuiteSupport
  let state: Lock<State>
  /// Held while entries are committed. Taken with ``withWriter(_:)``. See ``FileState`` for the
  /// order.
  package let writer: Lock<Void>
  let followers = Lock([Follower]())
  let hasFollowers = Atomic(false)

  /// A weak reference to an object that derives other entries from these.
  struct Follower: Sendable {
    weak var object: (any Following)?
  }

  /// Creates a table. If its entries are derived from another table, `writer` is that table's lock.
  package convenience init(
    _ entries: [String: PropertyListValue], _ support: Defaults.SuiteSupport,
    writer: Lock<Void> = Lock(())
  ) {
    self.init(Entries(entries), support, writer: writer)
  }

  /// `entries` are consumed, since a copy needs the metadata of their type. For it, Swift searches
  /// all conformances once, which takes a fifth of the time to open a process's first suite.
  init(
    _ entries: consuming Entries, _ support: Defaults.SuiteSupport, writer: Lock<Void> = Lock(())
  ) {
    state = Lock(State(entries: entries))
    self.support = support
    self.writer = writer
  }
}

extension EntryTable.State {
  fileprivate mutating func cell(named name: String) -> Cell {
    if let cell = cells[name] { return cell }
    if cells.isEmpty { cells = .withRoom }
    let cell = Cell(isTrusted: areCellsTrusted)
    cells[name] = cell
    return cell
  }

  fileprivate func advanceCells(of name: String) {
    cells[name]?.advance()
    if dependents.isEmpty { return }
    for cell in dependents[name] ?? [] { cell.advance() }
  }
}

// MARK: - Reading

extension EntryTable {
  package func entry(named name: String) -> PropertyListValue? {
    state.withLock { $0.entries[name] }
  }

  /// Returns the entry of a name or else of the first other name with an entry, and the generation
  /// of the name's cell.
  func entry(
    named name: String, orElse others: [String], of cell: Cell
  ) -> (entry: PropertyListValue?, generation: UInt64) {
    state.withLock { state in
      var entry = state.entries[name]
      for other in others where entry == nil { entry = state.entries[other] }
      return (entry, cell.present.generation)
    }
  }

  /// All entries at one instant.
  package var entries: [String: PropertyListValue] { state.withLock { $0.entries.all } }

  /// The size in bytes of all entries and their names in a journal.
  var size: Int { state.withLock { $0.entries.size } }

  /// Returns the cell of a name, which is created if necessary. From now on, changes of the other
  /// names also invalidate it.
  func cell(named name: String, orElse others: [String] = []) -> Cell {
    state.withLock { state in
      let cell = state.cell(named: name)
      for other in others where other != name {
        if state.dependents[other]?.contains(where: { $0 === cell }) == true { continue }
        state.dependents[other, default: []].append(cell)
        // Invalidate values that were decoded without that name.
        cell.advance()
      }
      return cell
    }
  }

  /// Makes all later reads check for a scope.
  func distrustCells() {
    state.withLock { state in
      state.areCellsTrusted = false
      for cell in state.cells.values { cell.distrust() }
    }
  }

  /// Invalidates the values that keys have decoded for these names.
  func advanceCells(of names: some Sequence<String>) {
    state.withLock { state in
      for name in names { state.advanceCells(of: name) }
    }
  }
}

// MARK: - Changing

extension EntryTable {
  /// Runs a body under the writer lock. Throws like ``Lock/withWriterLock(of:_:)``.
  package func withWriter<Result>(
    _ body: () throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    try writer.withWriterLock(of: support.label, body)
  }

  /// Returns the changes that edits would make. Setting an entry to its current value is no change.
  package func changes(_ edits: some Sequence<(key: String, value: Edit)>) -> [EntryChange] {
    state.withLock { state in
      edits.compactMap { state.entries.change($1, named: $0) }
    }
  }

  /// Returns the change that one edit would make; nil if it is none.
  func change(_ edit: Edit, named name: String) -> EntryChange? {
    state.withLock { $0.entries.change(edit, named: name) }
  }

  /// Returns the edits that turn the current entries into `entries`.
  func differences(from entries: [String: PropertyListValue]) -> [String: Edit] {
    let present = self.entries
    var edits = entries.filter { present[$0.key] != $0.value }.mapValues(Edit.set)
    for name in present.keys where entries[name] == nil { edits[name] = .remove }
    return edits
  }

  /// Commits changes of another process. The caller holds the writer lock.
  func commitExternal(_ edits: [String: Edit]) { commit(changes(edits), source: .external) }

  /// Returns whether each change of an entry must be announced, also if the next one overwrites it.
  func isAwaited(_ name: String) -> Bool {
    hasFollowers.load(ordering: .relaxed) || support.isAwaited(name)
  }

  /// Commits changes at once and queues them for observers. The caller holds the writer lock.
  package func commit(_ changes: [EntryChange], source: Defaults.Change.Source = .local) {
    put(changes, source: source, layer: nil)
    tellFollowers(changes, source)
  }

  /// Commits changes like `commit`, but without notifying the followers, which the caller does
  /// later. `layer` is the source of the change if the entries are derived from several layers.
  func put(_ changes: [EntryChange], source: Defaults.Change.Source, layer: String?) {
    guard !changes.isEmpty else { return }
    state.withLock { state in
      for change in changes { state.entries[change.name] = change.new }
      announce(changes, source, layer, &state)
    }
  }

  /// Commits changes that the body makes to the entries and returns. The caller holds the writer
  /// lock.
  func commitInPlace(_ source: Defaults.Change.Source, _ body: (inout Entries) -> [EntryChange]) {
    let changes = state.withLock { state in
      let changes = body(&state.entries)
      announce(changes, source, nil, &state)
      return changes
    }
    tellFollowers(changes, source)
  }

  /// Replaces the entries with equal ones, so that both are stored only once. Does nothing if they
  /// differ. The caller holds the writer lock.
  func share(_ equal: Entries) {
    // Compared outside of the lock that readers take.
    if state.withLock({ $0.entries }) == equal { state.withLock { $0.entries = equal } }
  }

  /// Records changes for the readers, and queues them for observers.
  private func announce(
    _ changes: [EntryChange], _ source: Defaults.Change.Source, _ layer: String?,
    _ state: inout State
  ) {
    var observed: [String: Defaults.Change.Entry] = [:]
    // Not `for change in changes`, which would copy the values.
    for place in changes.indices {
      let name = changes[place].name
      for snapshot in state.snapshots { snapshot.keep(changes[place].old, of: name) }
      state.advanceCells(of: name)
      support.reporter.forgetIssues(about: name)
      if support.isAwaited(name), name != Defaults.syncName {
        observed[name] = Defaults.Change.Entry(old: changes[place].old, new: changes[place].new)
      }
    }
    guard !observed.isEmpty else { return }
    var change = Defaults.Change(observed, source: source)
    change.layer = layer
    support.enqueue(change)
  }

  /// Adds an object to be called after each commit. The caller holds the writer lock.
  ///
  /// - Returns: Objects to release without a lock, since each may be the last reference.
  func addFollower(_ follower: any Following) -> [any Following] {
    hasFollowers.store(true, ordering: .relaxed)
    return followers.withLock { followers in
      let held = followers.compactMap(\.object)
      followers = (held + [follower]).map { Follower(object: $0) }
      return held
    }
  }

  /// Calls the objects that derive other entries from these.
  func tellFollowers(_ changes: [EntryChange], _ source: Defaults.Change.Source) {
    guard !changes.isEmpty, hasFollowers.load(ordering: .relaxed) else { return }
    for follower in followers.withLock({ $0 }) {
      follower.object?.follow(changes, source)
    }
  }
}

/// An object that derives other entries from the entries of a table.
protocol Following: AnyObject, Sendable {
  /// Derives entries after a commit of the table, whose writer lock is held.
  func follow(_ changes: [EntryChange], _ source: Defaults.Change.Source)
}
