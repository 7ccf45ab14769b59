import Foundation

/// Making sure that what was set survives a power cut.
extension FileStore {
  package func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    if options.isReadOnly { return }
    defer { foldIfOverdue() }
    if extent == .snapshot { try export() }
    var goal: (log: LogFile, end: Int)?
    // Other processes may replace the log meanwhile, or it is deleted. What is appended meanwhile isn't
    // waited for.
    try Retry.upTo(
      100,
      orThrow: SuiteError(
        .unwritable, "The journal was replaced each time it was synced; try again",
        path: places.journal.path)
    ) { () throws(SuiteError) -> Void? in
      guard let found = try logToFlush() else { return () }
      let (log, end) = goal.flatMap { $0.log === found.log ? $0 : nil } ?? found
      goal = (log, end)
      let isDurable = try state.withLock { state throws(SuiteError) in
        try state.isDurable(log, to: end)
      }
      if isDurable { return () }
      // Without a lock: what was in a log isn't lost when it is replaced.
      try makeDurable(log, to: end)
      return nil
    }
  }

  /// The log that has everything which was set before, in its place, and where that ends; nil if
  /// nothing was ever set, nor stored that isn't in the file.
  private func logToFlush() throws(SuiteError) -> (log: LogFile, end: Int)? {
    let (isReady, found) = try state.withLock { state throws(SuiteError) -> (Bool, FollowedLog?) in
      guard state.waiting.isEmpty, !state.durability.isSuspect, !state.fold.isDoubted else {
        return (false, nil)
      }
      guard let log = state.log else { return (!state.isFromLog, nil) }
      guard let size = try log.file.sizeInPlace(),
        // What was appended may say that a sync failed.
        try log.news(size: size, includingHeader: true) == .none
      else { return (false, nil) }
      return (true, log)
    }
    if isReady { return found.map { ($0.file, $0.offset) } }
    return try withLog { state throws(SuiteError) in
      if let log = state.log, try state.mustReplace(log) {
        try state.replaceLog(over: log.file)
        log.file.lock.giveBack()
      }
      return state.log.map { ($0.file, $0.offset) }
    }
  }

  /// Syncs a log and its name, and notes that it is durable up to an offset.
  func makeDurable(_ log: LogFile, to end: Int) throws(SuiteError) {
    let (hasName, hasFolders) = state.withLock { state in
      state.log?.file === log
        ? (state.durability.hasName, state.durability.hasFolders) : (false, false)
    }
    let file = file
    do throws(POSIXError) {
      try log.file.synchronizeContent()
      if !hasName { try file.fileSystem.synchronizeFolder(file.folder) }
    } catch {
      state.withLock { $0.durability.doubt() }
      // Other processes learn of it, if that can be written.
      try? withLog(.optional, within: options.patience.setter) { state throws(SuiteError) in
        _ = try state.append([.doubt])
      }
      throw .unsyncedJournal(places.journal.path, error)
    }
    if !hasFolders {
      // No doubt about the log if this fails: the next flush syncs the folders again.
      try places.journal.writing { () throws(POSIXError) in
        try file.fileSystem.synchronizeMadeFolders(file.folder)
      }
    }
    state.withLock { state in
      guard state.log?.file === log else { return }
      state.durability.advance(to: end)
      state.durability.trustFolders()
    }
  }
}

extension FileState {
  /// Whether a sync of the locked log can't make it durable: an earlier one failed, and the system may
  /// have dropped what it couldn't write; or the beginning of the log was overwritten.
  fileprivate func mustReplace(_ log: FollowedLog) throws(SuiteError) -> Bool {
    if durability.isSuspect || fold.isDoubted { return true }
    return try log.news(size: log.file.size(), includingHeader: true) == .overwritten
  }

  /// Whether the log is durable up to an offset, and still in its place.
  fileprivate func isDurable(_ log: LogFile, to end: Int) throws(SuiteError) -> Bool {
    guard self.log?.file === log, durability.covers(end) else { return false }
    return try log.sizeInPlace() != nil
  }
}
