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
