import Foundation

/// The steps of a commit, in the order in which a set makes them.
extension FileState {
  /// Begins a commit, with the lock or, if permitted, without it.
  ///
  /// - Parameter hasTimedOut: Whether to stop waiting for the lock.
  /// - Returns: Whether the commit has begun, under the lock if `isLocked` and otherwise in memory;
  ///   false to wait for another process that holds the lock.
  mutating func begin(
    _ commitment: Commitment, hasTimedOut: Bool
  ) throws(SuiteError) -> Bool {
    if commitment == .exact { propertyList.mustCheck = true }
    let problem: SuiteError
    do throws(SuiteError) {
      if try lockLog(for: commitment) {
        isLocked = true
        try catchUp(for: commitment)
        return true
      }
      // If changes already wait, a set doesn't wait for the lock again. The reason was reported.
      guard hasTimedOut else { return commitment == .blind && !waiting.isEmpty }
      let path = places.journal.path
      problem = awaitedLog == nil ? .heldJournal(path) : .awaitedJournal(path)
    } catch {
      problem = error
    }
    // A change in memory that depends on entries would overwrite later commits of other processes
    // once it can be stored.
    if commitment != .blind {
      // Under the lock, the rights to the log aren't missing: only a merge failed.
      if !isLocked, problem.isLackOfRights { fileHealth.count(problem) }
      unlockLog()
      throw problem
    }
    countAndReport(problem)
    return true
  }

  /// Locks the log and folds the records of other processes.
  ///
  /// - Returns: Whether this process holds the lock now; false if another process holds it, or is
  ///   expected to create the next log.
  mutating func lockLog(for commitment: Commitment) throws(SuiteError) -> Bool {
    // Each round except the last finds that the log was deleted or replaced, or creates a log.
    try Retry.upTo(
      300,
      orThrow: SuiteError(
        .locked, "The journal was replaced each time it was locked", path: places.journal.path)
    ) { () throws(SuiteError) -> Bool? in
      guard let file = try openLog() else {
        if awaitedLog?.mustWait() == true { return false }
        awaitedLog = nil
        try createLog()
        return nil
      }
      guard try takeLock(of: file) else { return false }
      var isCurrent = false
      defer { if !isCurrent { file.descriptor.letGo() } }
      isCurrent = try makeCurrent(file, for: commitment)
      return isCurrent ? true : nil
    }
  }

  /// Takes a log's lock in a few attempts, with which a set is faster than with a pause.
  private mutating func takeLock(of file: LogFile) throws(SuiteError) -> Bool {
    for attempt in 1...file.descriptor.lockAttempts {
      if try file.takeLock() { return true }
      if attempt == file.descriptor.lockAttempts { break }
      sched_yield()
      // Records that are folded now take no time under the lock. The size isn't asked for: reads
      // end at the end of the file.
      if log?.file === file, try log?.compare(size: .max) == .hasRecords {
        try foldRecords(upTo: .max)
      }
    }
    return false
  }

  /// Folds all of the locked log, or replaces it if it is damaged or has another name.
  ///
  /// - Returns: False if the file is no longer at the path. If this process replaces the log, the
  ///   new one is locked.
  private mutating func makeCurrent(
    _ file: LogFile, for commitment: Commitment
  ) throws(SuiteError) -> Bool {
    let isFollowed = log?.file === file
    guard let extent = try file.extentInPlace() else {
      try leave(file)
      return false
    }
    guard
      try isFollowed
        ? follow(file, to: extent.size, isQuick: commitment == .blind) : adopt(file)
    else { return false }
    // This process has just replaced the log.
    if log?.file !== file { return true }
    if log?.isDamaged == true {
      // The new log has the readable part of the damaged log.
      try quarantine(file)
      return try replaceLog(over: file)
    }
    if extent.names == 1 { log?.keepsNames = false }
    guard extent.names > 1, log?.keepsNames != true else { return true }
    do throws(SuiteError) {
      // A second name is a hard link that a person made as a copy, which must not change, unless it
      // is the log's temporary name.
      guard extent.names == 2, places.journal.isTemporary(file.status) else {
        return try replaceLog(over: file)
      }
    } catch {
      // In an append-only folder, no name can be removed, and each attempt leaves a file.
      guard error.isForbidden else { throw error }
    }
    log?.keepsNames = true
    return true
  }

  /// Folds the records that other processes appended to the followed, locked log. Returns false if
  /// the log is no longer at the path.
  private mutating func follow(
    _ file: LogFile, to size: Int, isQuick: Bool
  ) throws(SuiteError) -> Bool {
    switch try log?.compare(underLock: size, isQuick: isQuick) {
    case .upToDate?, nil: return true
    case .hasRecords where places.file.fileSystem.omits(rule: .foldBeforeAppend): return true
    case .hasRecords:
      guard try foldRecords(upTo: size).hasRest else { return true }
      // The whole log is read again if a record is incomplete or damaged, or if another program cut
      // or overwrote the log meanwhile.
      let found = try log?.compare(size: file.size(), includingHeader: true)
      return try adopt(file, isContinued: found != .overwritten)
    case .overwritten: return try adopt(file)
    }
  }

  /// Appends what must precede the commit: the record of a failed sync, the waiting changes if an
  /// attempt is due, and the merge of an external edit. The caller holds the lock.
  private mutating func catchUp(for commitment: Commitment) throws(SuiteError) {
    do throws(SuiteError) {
      // Other processes must know of a failed sync, which could not be recorded at once.
      if durability.isDoubted, !fold.isDoubted { try append(.doubt) }
      if !waiting.isEmpty {
        let isDue = waiting.countCommit()
        if commitment != .blind || isDue { try storeWaiting() }
      }
    } catch {
      guard commitment == .maintenance, error.isLackOfSpace else { throw error }
    }
    do throws(SuiteError) {
      if propertyList.mustCheck { try checkFile() }
      // The file was removed or replaced meanwhile. An update must use committed entries.
      if commitment == .exact, propertyList.isUnmerged {
        propertyList.isUnmerged = false
        publishAll()
      }
    } catch {
      // An update must not use entries that the external writer changed before, or changes that
      // aren't merged.
      if commitment == .exact, error.code == .unwritable || propertyList.isUnmerged { throw error }
      // The log may still accept changes.
      table.support.reportLater([error])
    }
  }

  /// Stores the proposal of the current commit in the log, or in memory until the log can be
  /// written.
  mutating func record(_ proposal: Proposal, for commitment: Commitment) throws(SuiteError) {
    var edits = proposal.changes.map { LogRecord.Change(name: $0.name, edit: Edit(entry: $0.new)) }
    // A set to the value that readers see isn't omitted if another value may be committed: by
    // another process, or below an edit that isn't merged.
    if !isLocked || propertyList.isUnmerged {
      edits += proposal.confirmed.map { name in
        LogRecord.Change(name: name, edit: Edit(entry: table.entry(named: name)))
      }
    }
    guard !edits.isEmpty else { return }
    // Without waiting changes, the size of the fold suffices, which needs no other lock. An edit of
    // the property list that isn't merged yet doesn't count.
    try Entries.requireRoom(
      for: proposal.changes, after: waiting.isEmpty ? fold.entries.present.size : table.size,
      path: places.file.path)
    // A later change must not overtake waiting changes.
    if isLocked, waiting.isEmpty {
      do throws(SuiteError) {
        try append(.set(edits), committing: proposal.changes)
        if fileHealth.failures > 0 || fileHealth.lacksRights { noteStored() }
        return
      } catch {
        if commitment != .blind { throw error }
        countAndReport(error)
      }
    }
    let version = nextVersion(after: waiting.latest)
    for change in edits {
      postpone(
        LogRecord.JoinedChange(
          name: change.name, edit: change.edit, version: version, writer: writer))
    }
    table.commit(proposal.changes)
  }

  /// Ends the commit, which releases the lock of the log if it has taken it.
  mutating func unlockLog() {
    if isLocked { log?.file.descriptor.letGo() }
    isLocked = false
  }
}
