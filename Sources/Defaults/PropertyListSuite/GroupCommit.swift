/// The saving policy for a ``Defaults/Store``: it saves in the background as soon as no other save
/// is running, and what changes meanwhile goes into the next one, together.
///
/// A save that fails leaves memory as it is, raises an issue, and is tried again with the next
/// change, with a flush, and at normal exit.
final class GroupCommit: Persistence {
  private struct State {
    /// The edits that the store doesn't have yet.
    var unsaved: [String: Defaults.Edit] = [:]
    /// In which process a save is scheduled, by the forks before it: a child has none of its
    /// parent's.
    var scheduledIn: Int?
  }

  private let store: any Defaults.Store
  private let state = Lock(State())
  /// Held while the store loads or saves. At exit it is taken by a thread that may have the suite's
  /// writer lock, so nobody waits for that one with this one.
  private let storeAccess = ForkLocal { Lock(()) }
  private let lane = BackgroundLane()

  init(_ store: any Defaults.Store) {
    self.store = store
  }

  func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try store.validate(value, named: name)
  }

  func exclusively(
    _ commitment: Commitment, for suite: Defaults.StoredSuite, within patience: Duration?,
    leaving aftermath: inout Defaults.StoredSuite.Aftermath, _ body: () -> Void
  ) throws(Defaults.SuiteError) {
    suite.writer.withLock { _ in body() }
  }

  func refresh(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    try reload(suite)
  }

  func record(
    _ edits: [EntryEdit], for suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) {
    let (isFirst, mustSchedule) = state.withLock { state in
      let isFirst = state.unsaved.isEmpty
      for edit in edits { state.unsaved[edit.name] = edit.edit }
      defer { state.scheduledIn = Forking.forks }
      return (isFirst, state.scheduledIn != Forking.forks)
    }
    if isFirst { ExitFlush.keep(suite) }
    guard mustSchedule else { return }
    lane.perform { [self] in
      do throws(Defaults.SuiteError) {
        try save(suite)
      } catch {
        suite.support.report(error)
      }
    }
  }

  func settle(for suite: Defaults.StoredSuite) {}

  func flush(
    _ extent: Defaults.FlushExtent, for suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) {
    try save(suite)
  }

  func close(_ suite: Defaults.StoredSuite) {
    do throws(Defaults.SuiteError) {
      try save(suite)
    } catch {
      suite.support.report(error)
    }
  }

  /// Waits for the save that is running, then saves what is still unsaved, on this thread.
  private func save(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    try storeAccess.value.withLock { _ throws(Defaults.SuiteError) in
      let unsaved = state.withLock { state in
        defer { state.unsaved = [:] }
        state.scheduledIn = nil
        return state.unsaved
      }
      guard !unsaved.isEmpty else { return }
      // The edits may not be committed yet, so they are laid over what is.
      var entries = suite.entries
      for (name, edit) in unsaved { entries[name] = edit.entry }
      do {
        try store.withExclusiveAccess {
          try store.save(entries, changed: Set(unsaved.keys))
        }
      } catch {
        state.withLock { $0.unsaved.merge(unsaved) { newer, _ in newer } }
        throw Defaults.SuiteError(wrapping: error, .unwritable, suite: suite.label)
      }
      suite.support.forgetIssues(about: nil)
      state.withLock { state in
        if state.unsaved.isEmpty { ExitFlush.release(suite) }
      }
    }
  }

  /// Takes in what somebody else stored, whenever the store says that somebody may have.
  func watch(for suite: Defaults.StoredSuite) {
    store.watch { [self, weak suite] in
      guard let suite else { return }
      lane.perform {
        do throws(Defaults.SuiteError) {
          try self.reload(suite)
        } catch {
          suite.support.report(error)
        }
      }
    }
  }

  /// Loads the store again, and commits the differences as external changes. A name that has a
  /// change which isn't saved yet keeps it.
  private func reload(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    while true {
      if let mustDeliver = try reloadIfFree(suite) {
        if mustDeliver { suite.support.deliver() }
        return
      }
      // Without the store's lock: who has the writer's may be waiting for that one, at exit.
      suite.writer.withLock { _ in }
    }
  }

  /// Returns whether observers wait, or nil if nothing was committed because of a transaction that
  /// takes its time.
  private func reloadIfFree(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError) -> Bool? {
    try storeAccess.value.withLock { _ throws(Defaults.SuiteError) in
      let loaded: [String: Defaults.PropertyListValue]
      do {
        loaded = try store.withExclusiveAccess { try store.load() }
      } catch {
        throw Defaults.SuiteError(wrapping: error, .unreadable, suite: suite.label)
      }
      var mustDeliver: Bool?
      _ = suite.writer.withLockIfFree(attempts: 100) { _ in
        let unsaved = state.withLock { $0.unsaved }
        let edits = suite.differences(from: loaded).filter { unsaved[$0.key] == nil }
        mustDeliver = suite.commitExternal(edits)
      }
      return mustDeliver
    }
  }
}
