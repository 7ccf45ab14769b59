import Foundation

/// Making sure of what was set: the one place where something is found to be on the disk.
extension Defaults.JournaledFile {
  func flush(_ extent: Defaults.FlushExtent) throws(Defaults.SuiteError) {
    defer { takeInIfOverdue() }
    // A sync that failed isn't made good by another one: everything is written to new files.
    if extent == .snapshot || state.withLock({ $0.durability.isSuspect }) {
      try snapshot()
    }
    // Others may replace the journal meanwhile, or take it away.
    for _ in 0..<100 {
      guard let (journal, end) = try journalToFlush() else { return }
      if state.withLock({ $0.journal === journal && $0.durability.covers(end) }) { return }
      // Without a lock: what was in a journal isn't lost when it is replaced.
      try makeDurable(journal, to: end)
    }
    throw Defaults.SuiteError(
      .unwritable, "The journal was replaced each time it was synced; try again",
      path: journalPlace.path)
  }

  /// The journal that has everything which was set before, in its place, and where that ends; nil
  /// if nothing was ever set, nor stored that isn't in the file.
  private func journalToFlush() throws(Defaults.SuiteError) -> (
    journal: Defaults.JournalFile, end: Int
  )? {
    let isComplete = try state.withLock { state throws(Defaults.SuiteError) in
      guard state.backlog.isEmpty else { return false }
      guard let journal = state.journal else { return state.header == nil }
      // The folder may have been moved away, with files that nobody will find.
      let file = try file.status().map { Defaults.FileBase($0) } ?? .absent
      return try extentInPlace(of: journal) != nil && state.history.isKnown(file)
    }
    if !isComplete {
      return try withJournal { state throws(Defaults.SuiteError) in
        // What has to be restored was, before the body.
        guard let journal = state.journal else { return nil }
        return (journal, state.offset)
      }
    }
    return state.withLock { state in state.journal.map { ($0, state.offset) } }
  }

  /// Syncs a journal and its name, and notes that it is safe up to a place.
  func makeDurable(
    _ journal: Defaults.JournalFile, to end: Int
  ) throws(Defaults.SuiteError) {
    let hasName = state.withLock { $0.journal === journal && $0.durability.hasName }
    var outcome = Result<Void, Defaults.SuiteError>.success(())
    do throws(POSIXError) {
      try Forking.pause { () throws(POSIXError) in
        try journal.file.synchronizeContent()
        if !hasName { try file.fileSystem.synchronizeFolder(file.folder) }
      }
    } catch {
      outcome = .failure(
        Defaults.SuiteError(
          .unwritable, "What was changed can't be made durable", path: journalPlace.path, error))
    }
    state.withLock { state in
      switch outcome {
      case .success: if state.journal === journal { state.durability.advance(to: end) }
      case .failure: state.durability.doubt()
      }
    }
    try outcome.get()
  }

  /// Runs a sync on which something depends; if it fails, nothing is believed anymore.
  func synchronizing(
    _ state: inout State, _ sync: () throws(POSIXError) -> Void
  ) throws(Defaults.SuiteError) {
    do throws(POSIXError) {
      try sync()
    } catch {
      state.durability.doubt()
      throw Defaults.SuiteError(
        .unwritable, "What was changed can't be made durable", path: journalPlace.path, error)
    }
  }
}

extension Defaults {
  /// What a power cut can't take, as far as this process knows: the one place that knows it.
  ///
  /// Nothing is written down here before its last sync has returned. A sync that failed is never
  /// made good by a later one: the system may have dropped what it couldn't write, and says so
  /// once. Then nothing counts until all of it was written to new files.
  struct Durability {
    /// Everything before this place of the present journal is on the disk.
    private(set) var end = 0
    /// Whether the journal's name is, and that of the file which it builds on.
    private(set) var hasName = false
    /// How many syncs failed since everything was written to new files.
    private(set) var failures = 0

    /// Whether everything has to be written to new files.
    var isSuspect: Bool { failures > 0 }

    /// Whether the journal is safe up to a place.
    func covers(_ end: Int) -> Bool { !isSuspect && hasName && self.end >= end }

    /// Another journal counts now, of which nothing is known.
    mutating func begin() {
      end = 0
      hasName = false
    }

    /// The journal up to a place was synced, and the folder.
    mutating func advance(to end: Int) {
      // Something before it may have been dropped.
      if isSuspect { return }
      self.end = max(self.end, end)
      hasName = true
    }

    /// A sync failed.
    mutating func doubt() { failures += 1 }

    /// Everything was written to new files and synced, after so many failures.
    mutating func believe(failures before: Int) {
      // One that came meanwhile may concern the new files.
      if failures == before { failures = 0 }
    }
  }
}
