import Dispatch
import Foundation

/// The saving policy: when the store is called, and what happens when it fails.
extension Defaults.StoredSuite {
  /// Notes a change under the state's lock; returns whether a save must be scheduled for it.
  func noteUnsaved(_ name: String, _ state: inout State) -> Bool {
    if state.unsaved.isEmpty { ExitFlush.keep(self) }
    state.unsaved.insert(name)
    defer { state.isSaveScheduled = true }
    return !state.isSaveScheduled
  }

  func saveSoon() {
    savingQueue.async { [self] in
      do throws(Defaults.SuiteError) {
        try save()
      } catch {
        support.report(error)
      }
    }
  }

  /// Waits for the save that is running, then saves what is still unsaved, on this thread.
  func save() throws(Defaults.SuiteError) {
    guard let store else { return }
    try storeAccess.withLock { _ throws(Defaults.SuiteError) in
      let (entries, changed) = state.withLock { state in
        defer { state.unsaved = [] }
        state.isSaveScheduled = false
        return (state.entries, state.unsaved)
      }
      guard !changed.isEmpty else { return }
      do {
        try store.withExclusiveAccess { try store.save(entries, changed: changed) }
      } catch {
        state.withLock { $0.unsaved.formUnion(changed) }
        throw Defaults.SuiteError(wrapping: error, .unwritable, suite: label)
      }
      support.forgetIssues(about: nil)
      state.withLock { state in
        if state.unsaved.isEmpty { ExitFlush.release(self) }
      }
    }
  }

  /// Stores everything that was changed before the call; see the protocol. Without changes it costs
  /// two locks.
  public func flush() throws(Defaults.SuiteError) {
    // Waits for a transaction that is running, and traps inside of one.
    writer.withLock { _ in }
    do throws(Defaults.SuiteError) {
      try save()
    } catch {
      // The caller knows now; the next attempt in the background needn't say it again.
      support.countAsReported(error)
      throw error
    }
  }

  /// Takes in what somebody else stored, as the store's `watch` demands.
  func reloadSoon() {
    savingQueue.async { [self] in
      do throws(Defaults.SuiteError) {
        try reload()
      } catch {
        support.report(error)
      }
    }
  }

  /// Loads the store again, and commits the differences as external changes. A name that has a
  /// change which isn't saved yet keeps it.
  func reload() throws(Defaults.SuiteError) {
    guard let store else { return }
    let outcome = try storeAccess.withLock { _ throws(Defaults.SuiteError) in
      let loaded: [String: Defaults.PropertyListValue]
      do {
        loaded = try store.withExclusiveAccess { try store.load() }
      } catch {
        throw Defaults.SuiteError(wrapping: error, .unreadable, suite: label)
      }
      return writer.withLock { _ in
        let (entries, unsaved) = state.withLock { ($0.entries, $0.unsaved) }
        var edits: [String: Defaults.Edit] = [:]
        for name in Set(loaded.keys).union(entries.keys).subtracting(unsaved) {
          edits[name] = loaded[name].map(Defaults.Edit.set) ?? .remove
        }
        return commit(edits, source: .external)
      }
    }
    finish(outcome)
  }
}

/// Keeps suites alive that have unsaved changes, and saves them at normal exit.
private enum ExitFlush {
  private static let unsaved: Lock<[ObjectIdentifier: Defaults.StoredSuite]> = {
    atexit { ExitFlush.saveAll() }
    return Lock([:])
  }()

  static func keep(_ suite: Defaults.StoredSuite) {
    unsaved.withLock { $0[ObjectIdentifier(suite)] = suite }
  }

  static func release(_ suite: Defaults.StoredSuite) {
    _ = unsaved.withLock { $0.removeValue(forKey: ObjectIdentifier(suite)) }
  }

  /// Not `flush`: `exit` may have been called inside a transaction, whose draft then doesn't count.
  private static func saveAll() {
    for suite in unsaved.withLock({ Array($0.values) }) {
      do throws(Defaults.SuiteError) {
        try suite.save()
      } catch {
        suite.support.report(error)
      }
    }
  }
}
