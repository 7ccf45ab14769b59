import Synchronization

/// The entries of a suite in memory, as every reader of the process sees them; and the one place
/// where they change.
///
/// A ``Defaults/StoredSuite`` commits here what its transactions change, and its ``Persistence``
/// what other processes have changed. That puts the changes into the support's queue; whoever
/// commits calls the support's `deliver` when no lock is held anymore.
package final class EntryTable: Sendable {
  struct State {
    var entries: Entries
    /// The names that keys have asked for.
    var cells: [String: Cell] = [:]
    /// The cells of other names that change with a name, since keys had it before.
    var dependents: [String: [Cell]] = [:]
    /// Whether reads needn't look for a scope, in which another suite stands in for this one.
    var areCellsTrusted = true
    /// What is kept for the bodies of transactions that are running.
    var snapshots: [Snapshot.State] = []
    var lastSnapshot: UInt64 = 0
  }

  /// Observers, registered defaults and issues.
  package let support: Defaults.SuiteSupport
  let state: Lock<State>
  /// Held while entries are committed; taken before all other locks of the suite but that of its
  /// exports. Threads take it by ``withWriter(_:)``.
  package let writer: Lock<Void>
  let followers = Lock(SweptList<Follower>())
  private let hasFollowers = Atomic(false)

  /// An object that derives other entries from these, for as long as it lives.
  struct Follower: Sendable {
    /// The object; nil when it has been released.
    let object: @Sendable () -> (any Following)?
  }

  /// `writer` is the lock of the table that these entries are derived from, if they are.
  package init(
    _ entries: [String: PropertyListValue], _ support: Defaults.SuiteSupport,
    writer: Lock<Void> = Lock(())
  ) {
    state = Lock(State(entries: Entries(entries)))
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

  /// Makes the values stale that keys have decoded of a name.
  fileprivate func advanceCells(of name: String) {
    cells[name]?.advance()
    if dependents.isEmpty { return }
    for cell in dependents[name] ?? [] { cell.advance() }
  }
}

// MARK: - Reading

extension EntryTable {
  /// The committed entry of a name.
  package func entry(named name: String) -> PropertyListValue? {
    state.withLock { $0.entries[name] }
  }

  /// The entry of a name, or else of the first of other names that has one, and the generation of the
  /// cell that belongs to it.
  func entry(
    named name: String, orElse others: [String], of cell: Cell
  ) -> (entry: PropertyListValue?, generation: UInt64) {
    state.withLock { state in
      var entry = state.entries[name]
      for other in others where entry == nil { entry = state.entries[other] }
      return (entry, cell.present.generation)
    }
  }

  /// All entries at one instant; costs nothing until one is changed while they are held, and a copy
  /// while one changes beside a snapshot.
  package var entries: [String: PropertyListValue] { state.withLock { $0.entries.all } }

  /// All entries, for a snapshot, beside which a setter costs what it always does; `release` is to
  /// be called afterwards.
  func hold() -> [String: PropertyListValue] { state.withLock { $0.entries.hold() } }

  /// Ends what `hold` began; called when the held entries are released.
  func release() { state.withLock { $0.entries.release() } }

  /// The bytes that all entries take in a journal, with their names.
  ///
  /// - Complexity: O(1).
  var size: Int { state.withLock { $0.entries.size } }

  /// The cell of a name, made when it is asked for first. It also changes with other names from now
  /// on.
  func cell(named name: String, orElse others: [String] = []) -> Cell {
    state.withLock { state in
      let cell = state.cell(named: name)
      for other in others where other != name {
        if state.dependents[other]?.contains(where: { $0 === cell }) == true { continue }
        state.dependents[other, default: []].append(cell)
        // What was decoded without that name.
        cell.advance()
      }
      return cell
    }
  }

  /// Makes reads look for a scope from now on.
  func distrustCells() {
    state.withLock { state in
      state.areCellsTrusted = false
      for cell in state.cells.values { cell.distrust() }
    }
  }

  /// Makes the values stale that keys have decoded of these names.
  func advanceCells(of names: some Sequence<String>) {
    state.withLock { state in
      for name in names { state.advanceCells(of: name) }
    }
  }
}

// MARK: - Changing

extension EntryTable {
  /// Runs a body with the writer lock. Throws as ``Lock/withWriterLock(of:_:)`` does.
  package func withWriter<Result>(
    _ body: () throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    try writer.withWriterLock(of: support.label, body)
  }

  /// One entry that changes.
  package struct Change {
    package let name: String
    package let old: PropertyListValue?
    package let new: PropertyListValue?

    package init(name: String, old: PropertyListValue?, new: PropertyListValue?) {
      self.name = name
      self.old = old
      self.new = new
    }
  }

  /// The changes that edits would make; setting an entry to what it is makes none.
  package func changes(_ edits: some Sequence<(key: String, value: Edit)>) -> [Change] {
    state.withLock { state in
      edits.compactMap { name, edit in
        let old = state.entries[name]
        let new = edit.entry
        return old == new ? nil : Change(name: name, old: old, new: new)
      }
    }
  }

  /// The edits that would turn the present entries into these.
  func differences(from entries: [String: PropertyListValue]) -> [String: Edit] {
    let present = self.entries
    var edits = entries.filter { present[$0.key] != $0.value }.mapValues(Edit.set)
    for name in present.keys where entries[name] == nil { edits[name] = .remove }
    return edits
  }

  /// Commits what another process has changed. The writer lock is held.
  func commitExternal(_ edits: [String: Edit]) { commit(changes(edits), source: .external) }

  /// Commits changes, all at once, and queues them for observers. The writer lock is held.
  ///
  /// `layer` is what the change comes from, where the entries are derived from several things.
  package func commit(
    _ changes: [Change], source: Defaults.Change.Source = .local, layer: String? = nil
  ) {
    put(changes, source: source, layer: layer)
    tellFollowers(changes, source)
  }

  /// Does so without the followers, which are notified when the caller holds no other lock.
  func put(_ changes: [Change], source: Defaults.Change.Source, layer: String?) {
    guard !changes.isEmpty else { return }
    state.withLock { state in
      var observed: [String: Defaults.Change.Entry] = [:]
      for change in changes {
        state.entries[change.name] = change.new
        for index in state.snapshots.indices {
          state.snapshots[index].keep(change.old, of: change.name)
        }
        state.advanceCells(of: change.name)
        support.reporter.forgetIssues(about: change.name)
        if support.isAwaited(change.name) {
          observed[change.name] = Defaults.Change.Entry(old: change.old, new: change.new)
        }
      }
      guard !observed.isEmpty else { return }
      var change = Defaults.Change(observed, source: source)
      change.layer = layer
      support.enqueue(change)
    }
  }

  /// Calls an object after each commit from now on. The writer lock is held.
  ///
  /// - Returns: Objects that the caller releases when no lock is held: it may have the last
  ///   reference to one of them.
  func addFollower(_ follower: Follower) -> [any Following] {
    hasFollowers.store(true, ordering: .relaxed)
    return followers.withLock { followers in
      var held: [any Following] = []
      _ = followers.sweep { follower in
        guard let object = follower.object() else { return true }
        held.append(object)
        return false
      }
      followers.append(follower)
      return held
    }
  }

  /// Calls the objects that derive other entries from these.
  func tellFollowers(_ changes: [Change], _ source: Defaults.Change.Source) {
    guard !changes.isEmpty, hasFollowers.load(ordering: .relaxed) else { return }
    for follower in followers.withLock({ $0.elements }) {
      follower.object()?.follow(changes, source)
    }
  }
}

/// An object that derives other entries from those of a table.
protocol Following: AnyObject, Sendable {
  /// Follows a commit of the table, whose writer lock is held.
  func follow(_ changes: [EntryTable.Change], _ source: Defaults.Change.Source)
}

// MARK: - What keys know of it

/// The number by which keys see whether the value that they decoded last of a name is still the one
/// that a ``Defaults/StoredSuite`` has.
///
/// A key resolves its cell once; from then on a read compares two integers and takes no lock.
@usableFromInline
final class Cell: Sendable {
  /// Grows with every change of the name's entry or registered default; never 0.
  ///
  /// The highest bit is set where a scope may have another value. No value is ever kept under a
  /// number with that bit, so a read that finds none looks for a scope, and a process without
  /// scopes pays nothing for them.
  @usableFromInline let generation: Atomic<UInt64>
  /// An object of a higher layer that lives as long as the cell; none until it is needed.
  let companion = AtomicLazyReference<Companion>()

  /// The superclass of such objects.
  class Companion: @unchecked Sendable {}

  private static let distrust: UInt64 = 1 << 63

  /// A new cell; `isTrusted` unless a scope may have another value.
  init(isTrusted: Bool = true) { generation = Atomic(isTrusted ? 1 : 1 | Self.distrust) }

  /// A cell of no suite, for a key that is made in a scope: its decoded values aren't kept.
  static var unbound: Cell {
    let cell = Cell()
    cell.generation.store(Self.distrust, ordering: .relaxed)
    return cell
  }

  /// Makes all decoded values stale. Called under the lock that guards the entry: a reader who sees
  /// the new number and takes that lock finds the new entry.
  func advance() { generation.wrappingAdd(1, ordering: .releasing) }

  /// Makes reads look for a scope before they use a decoded value, from now on.
  func distrust() { generation.bitwiseOr(Self.distrust, ordering: .relaxed) }

  /// The generation under which decoded values are kept, 0 if they aren't, and whether a read may
  /// use them without looking for a scope.
  var present: (generation: UInt64, isTrusted: Bool) {
    let number = generation.load(ordering: .acquiring)
    return (number & ~Self.distrust, number & Self.distrust == 0)
  }
}
