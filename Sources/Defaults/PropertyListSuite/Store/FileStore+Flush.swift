import Foundation

/// Ensuring that changes survive a power loss.
extension FileStore {
  /// The part of a log that a flush makes durable.
  typealias Goal = (log: LogFile, end: Int)

  package func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    if options.isReadOnly { return }
    if extent == .snapshot { try export() }
    var goal: Goal?
    // Other processes may replace or delete the log meanwhile. Records that are appended meanwhile
    // aren't waited for.
    try Retry.upTo(
      100,
      orThrow: SuiteError(
        .unwritable, "The journal was replaced each time it was synced. Try again",
        path: places.journal.path)
    ) { () throws(SuiteError) -> Void? in
      guard let found = try logToFlush() else { return () }
      let next = goal.flatMap { $0.log === found.log ? $0 : nil } ?? found
      goal = next
      // Whether the log is durable up to the offset and still in place.
      let isDurable = try state.withLock { state throws(SuiteError) -> Bool in
        guard state.log?.file === next.log, state.durability.covers(next.end) else { return false }
        return try next.log.sizeInPlace() != nil
      }
      if isDurable { return () }
      // This needs no lock: if the log is replaced meanwhile, its changes aren't lost.
      try makeDurable(next)
      return nil
    }
  }

  /// Returns the log in place with all earlier changes, and its end; nil if there never was a log,
  /// in which case the file has everything.
  private func logToFlush() throws(SuiteError) -> Goal? {
    let (isReady, found) = try state.withLock { state throws(SuiteError) -> (Bool, Goal?) in
      guard state.waiting.isEmpty, !state.isDoubted else {
        return (false, nil)
      }
      guard let log = state.log else { return (!state.isFromLog, nil) }
      // A damaged log is replaced first, but not by a user who may not write it.
      guard !log.isDamaged || log.file.refusal != nil, let size = try log.file.sizeInPlace(),
        // An appended record may state that a sync failed.
        try state.log?.compare(size: size, includingHeader: true) == FollowedLog.Comparison.upToDate
      else { return (false, nil) }
      return (true, state.log.map { ($0.file, $0.offset) })
    }
    if isReady { return found }
    return try withLog { state throws(SuiteError) in
      try state.replaceDoubtedLog()
      return state.log.map { ($0.file, $0.offset) }
    }
  }

  /// Syncs a log and its name, and records that it is durable up to an offset. Does nothing if the
  /// log is replaced meanwhile.
  func makeDurable(_ goal: Goal) throws(SuiteError) {
    let hasName = state.withLock { $0.log?.file === goal.log && $0.durability.hasName }
    let file = file
    // Opened first, since only a failed sync of the log or the folder means that data may be lost.
    let opened = try places.journal.writing { () throws(Errno) in
      try Errno.ifFound { () throws(Errno) in
        try hasName ? nil : file.fileSystem.openToSynchronize(folder: file.folder)
      }
    }
    // If the folder was moved, the caller looks for the log again.
    guard let folder = opened else { return }
    do throws(Errno) {
      try goal.log.synchronizeContent()
      try folder?.synchronizeNames()
    } catch {
      let isFollowed = state.withLock { state in
        guard state.log?.file.descriptor === goal.log.descriptor else { return false }
        state.durability.doubt()
        return true
      }
      // Otherwise another thread has replaced the log meanwhile.
      guard isFollowed else { return }
      // This commit records the failure for other processes. If it fails, too, the caller still
      // gets the first error.
      try? commitNothing(.maintenance, within: options.timeouts.setter)
      throw .unsyncedJournal(places.journal.path, error)
    }
    if !hasName {
      // A failure here doesn't affect the log: the next flush syncs the folders again.
      try places.journal.writing { () throws(Errno) in
        try file.fileSystem.synchronizeMadeFolders(file.folder)
      }
    }
    state.withLock { state in
      guard state.log?.file === goal.log else { return }
      state.durability.noteFlush(to: goal.end)
    }
  }
}
