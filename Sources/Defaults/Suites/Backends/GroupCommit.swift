/// The saving policy for a ``Defaults/Store``: it saves in the background as soon as no other save
/// is running, and what changes meanwhile goes into the next one, together.
///
/// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
/// change, with a flush, and at normal exit.
final class GroupCommit: Persistence {
  private struct State {
    /// The edits that the store doesn't have yet.
    var unsaved: [String: Edit] = [:]
    var isSaveScheduled = false
  }

  private let store: any Defaults.Store
  private let table: EntryTable
  private let state = Lock(State())
  /// Held while the store loads or saves. At exit a thread that has the suite's writer lock may
  /// wait for this lock, so no thread waits for the writer lock while holding this one.
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
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try table.withWriter { () throws(SuiteError) in
      let changes = try body().changes
      if !changes.isEmpty { scheduleSave(of: changes) }
      table.commit(changes)
    }
  }

  /// No other process commits to the table.
  func applyNews() -> Bool { true }

  func refresh() throws(SuiteError) { try reload() }

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) { try save() }

  func close() {
    var outcome: Result<Void, SuiteError> = .success(())
    let isFree = storeAccess.withLockUnlessOwn { _ in
      outcome = Result { () throws(SuiteError) in try saveAlone() }
    }
    attempt { () throws(SuiteError) in
      guard isFree else {
        throw SuiteError(
          .unwritable,
          "The store let go of the suite, or ended the program, while it was loading or saving; "
            + "what was set last may not be stored",
          suite: store.label)
      }
      try outcome.get()
    }
  }

  /// Runs a body whose errors no caller can get, and reports them.
  private func attempt(_ body: () throws(SuiteError) -> Void) {
    do throws(SuiteError) {
      try body()
    } catch {
      table.support.report(error)
    }
    table.support.deliverExternal()
  }

  private func scheduleSave(of changes: [EntryTable.Change]) {
    let mustSchedule = state.withLock { state in
      if state.unsaved.isEmpty { ExitFlush.keep(table) }
      for change in changes { state.unsaved[change.name] = Edit(entry: change.new) }
      defer { state.isSaveScheduled = true }
      return !state.isSaveScheduled
    }
    guard mustSchedule else { return }
    lane.perform { [self] in
      attempt { () throws(SuiteError) in try save() }
    }
  }

  /// Waits for the save that is running, then saves what is still unsaved, on this thread.
  private func save() throws(SuiteError) {
    try storeAccess.withLock { _ throws(SuiteError) in try saveAlone() }
  }

  /// Saves what is unsaved; the caller holds the store.
  private func saveAlone() throws(SuiteError) {
    let unsaved = state.withLock { state in
      defer { state.unsaved = [:] }
      state.isSaveScheduled = false
      return state.unsaved
    }
    guard !unsaved.isEmpty else { return }
    // The edits may not be committed yet, so they are laid over what is.
    var entries = table.entries
    for (name, edit) in unsaved { entries[name] = edit.entry }
    do {
      try store.withExclusiveAccess {
        try store.save(entries, changed: Set(unsaved.keys))
      }
    } catch {
      state.withLock { $0.unsaved.merge(unsaved) { newer, _ in newer } }
      throw SuiteError(wrapping: error, .unwritable, suite: store.label)
    }
    table.support.reporter.forgetIssues(about: nil)
    state.withLock { state in
      if state.unsaved.isEmpty { ExitFlush.release(table) }
    }
  }

  /// Applies what another program stored, whenever the store says that it may have.
  func watch() {
    store.watch { [weak self] in
      guard let self else { return }
      lane.perform { [self] in
        attempt { () throws(SuiteError) in try reload() }
      }
    }
  }

  /// Loads the store again, and commits the differences as external changes. A name that has a
  /// change which isn't saved yet keeps it.
  private func reload() throws(SuiteError) {
    while try !reloadIfFree() {
      // Not while holding the store's lock: at exit the holder of the writer lock may wait for it.
      try table.withWriter {}
    }
  }

  /// Returns false if nothing was committed because a commit takes its time.
  private func reloadIfFree() throws(SuiteError) -> Bool {
    try storeAccess.withLock { _ throws(SuiteError) in
      let loaded: [String: PropertyListValue]
      do {
        loaded = try store.withExclusiveAccess { try store.load() }
      } catch {
        throw SuiteError(wrapping: error, .unreadable, suite: store.label)
      }
      return table.writer.withLockIfFree(attempts: 100) { _ in
        let unsaved = state.withLock { $0.unsaved }
        table.commitExternal(table.differences(from: loaded).filter { unsaved[$0.key] == nil })
      }
    }
  }
}
