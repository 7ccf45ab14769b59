/// The saving policy for a ``Defaults/Store``, as documented at ``Defaults/StoredSuite``.
final class GroupCommit: Persistence {
  private struct State {
    /// The edits that aren't in the store yet.
    var unsaved: [String: Edit] = [:]
    var isSaveScheduled = false
    /// The errors of failed saves since a save succeeded.
    var saveErrors = Failures()
    /// The errors of failed loads since a load succeeded.
    var loadErrors = Failures()
  }

  /// The different errors of failures in a row, the first few.
  private struct Failures {
    private(set) var all: [SuiteError] = []

    mutating func add(_ error: SuiteError) {
      if all.count < 16, !all.contains(where: { $0.description == error.description }) {
        all.append(error)
      }
    }
  }

  private let store: any Defaults.Store
  private let table: EntryTable
  private let state = Lock(State())
  /// Held while the store loads or saves. At exit, a thread that holds the suite's writer lock may
  /// wait for this lock, so no thread may wait for the writer lock while holding this one.
  private let storeAccess = Lock(())
  private let lane = BackgroundLane()

  init(_ store: any Defaults.Store, _ table: EntryTable) {
    self.store = store
    self.table = table
  }

  var health: Defaults.Health { .intact }

  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try store.validate(value, named: name)
  }

  func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try table.withWriter { () throws(SuiteError) in
      let changes = try body().changes
      if !changes.isEmpty { scheduleSave(of: changes) }
      table.commit(changes)
    }
  }

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) { try save() }

  func close() {
    table.support.attempt { () throws(SuiteError) in
      let done: Void? = try storeAccess.withLockUnlessOwn { _ throws(SuiteError) in
        try saveAlone()
      }
      guard done != nil else {
        throw SuiteError(
          .unwritable,
          "The store released the suite or exited the process during a load or save. The latest "
            + "changes may not be stored",
          suite: store.label)
      }
    }
  }

  private func scheduleSave(of changes: [EntryChange]) {
    let mustSchedule = state.withLock { state in
      if state.unsaved.isEmpty { ExitFlush.keep(table) }
      for change in changes { state.unsaved[change.name] = Edit(entry: change.new) }
      defer { state.isSaveScheduled = true }
      return !state.isSaveScheduled
    }
    guard mustSchedule else { return }
    lane.perform { [self] in
      table.support.attempt { () throws(SuiteError) in try save() }
    }
  }

  /// Waits for the running save, then saves the remaining edits on this thread.
  private func save() throws(SuiteError) {
    try storeAccess.withLock { _ throws(SuiteError) in try saveAlone() }
  }

  /// Saves the remaining edits. The caller holds `storeAccess`.
  private func saveAlone() throws(SuiteError) {
    // Before the edits are taken, so that they have all edits of each transaction in the entries.
    var entries = table.entries
    let unsaved = state.withLock { state in
      defer { state.unsaved = [:] }
      state.isSaveScheduled = false
      return state.unsaved
    }
    guard !unsaved.isEmpty else { return }
    // Some of these edits weren't committed yet.
    for (name, edit) in unsaved { entries[name] = edit.entry }
    do {
      try store.withExclusiveAccess {
        try store.save(entries, changed: Set(unsaved.keys))
      }
    } catch {
      let error = SuiteError(wrapping: error, .unwritable, suite: store.label)
      state.withLock { state in
        state.unsaved.merge(unsaved) { newer, _ in newer }
        state.saveErrors.add(error)
      }
      throw error
    }
    state.withLock { state in
      if state.unsaved.isEmpty { ExitFlush.release(table) }
    }
    forget(\.saveErrors)
  }

  /// Allows errors whose cause no longer exists to be reported again.
  private func forget(_ failures: WritableKeyPath<State, Failures>) {
    let known = state.withLock { state in
      defer { state[keyPath: failures] = Failures() }
      return state[keyPath: failures].all
    }
    for error in known { table.support.forget(error) }
  }

  /// Reloads the store whenever it signals a change by another program.
  func watch() {
    store.watch { [weak self] in
      guard let self else { return }
      lane.perform { [self] in
        table.support.attempt { () throws(SuiteError) in try refresh() }
      }
    }
  }

  /// Loads the store again and commits the differences as external changes. Unsaved edits take
  /// precedence.
  func refresh() throws(SuiteError) {
    while try !reloadIfFree() {
      // Wait without `storeAccess`: at exit, the holder of the writer lock may wait for it.
      try table.withWriter {}
    }
  }

  /// Returns false, with nothing committed, if the writer lock stays held.
  private func reloadIfFree() throws(SuiteError) -> Bool {
    try storeAccess.withLock { _ throws(SuiteError) in
      let loaded: [String: PropertyListValue]
      do throws(SuiteError) {
        loaded = try store.loaded()
      } catch {
        state.withLock { $0.loadErrors.add(error) }
        throw error
      }
      forget(\.loadErrors)
      let done: Void? = table.writer.withLockIfFree(attempts: 100) { _ in
        let unsaved = state.withLock { $0.unsaved }
        table.commitExternal(table.differences(from: loaded).filter { unsaved[$0.key] == nil })
      }
      return done != nil
    }
  }
}
