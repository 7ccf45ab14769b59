import Foundation

/// Opening or creating a log, and replacing the followed one.
extension FileState {
  /// Returns the followed log if it is writable, or else the candidate, or else opens the log at
  /// the path; nil if there is none.
  mutating func openLog() throws(SuiteError) -> LogFile? {
    if let file = log?.file, file.refusal == nil { return file }
    if let candidate { return candidate }
    guard let found = try LogFile.open(places.journal, failingAs: .unwritable) else { return nil }
    if let refusal = found.refusal { throw .unwritableJournal(places.journal.path, refusal) }
    // All threads that wait for the lock share one opening.
    (candidate, awaitedLog) = (found, nil)
    return found
  }

  /// Creates the log with a checkpoint of everything known, unless another process has created a
  /// log. Opens the new log by its name, since the system reports writes under the name by which a
  /// file was opened.
  mutating func createLog() throws(SuiteError) {
    let present = try places.file.status()
    if let present {
      try places.file.requireWritable()
      if !isFromLog, !isKnown(present) { try reloadPropertyList() }
    } else if isFromLog || places.file.fileSystem.statusIfVisible(of: places.file.folder) == nil {
      // A folder that was removed doesn't mean that all settings were removed. So the entries stay.
      fold.bases = []
    }
    let new = try places.journal.writing { () throws(Errno) in
      try places.file.fileSystem.makeFolders(places.file.folder, mustSync: false)
      return try NewLog(fold, places)
    }
    folder.version = places.folderVersion
    // Changes in the lost log may have been durable, so the new log must be durable, too.
    if isFromLog { try new.synchronize() }
    let own = try new.addName()
    // Before the folder is synced, since the log may be deleted meanwhile, or is already deleted.
    // Then only its open file has what other processes appended.
    let opened = try openLog()
    if let own, opened?.version.isSameFile(as: own.version) != true { candidate = own }
    guard isFromLog else { return }
    try places.journal.writing { () throws(Errno) in
      try places.file.fileSystem.synchronizeFolder(places.file.folder)
    }
  }

  /// Replaces the locked log with a new log that has a checkpoint of everything known, but no
  /// history. Returns false if the locked log is no longer at the path.
  ///
  /// - Parameter marksOld: Whether the old log, which this process follows, gets a last record for
  ///   the other processes that follow it.
  @discardableResult
  mutating func replaceLog(
    over old: LogFile, marksOld: Bool = false
  ) throws(SuiteError) -> Bool {
    let new = try places.journal.writing { () throws(Errno) in try NewLog(fold, places) }
    try new.synchronize()
    guard let replaced = try new.replace(old) else { return false }
    // Before the old log's last record, whose version isn't in the new log.
    let next = fold.inNewLog
    if marksOld { markAbandoned(log) }
    switchLog(to: replaced, next, over: old)
    exports.hasDuty = true
    return true
  }

  /// Continues with a log that this process wrote and has locked, and releases the lock of the old
  /// log. The end of the commit releases the lock of the new log, whose state is `fold`.
  mutating func switchLog(to new: FollowedLog, _ fold: LogState, over old: LogFile) {
    old.descriptor.letGo()
    durability.begin()
    log = new
    folder.note(places.folderVersion, new.header)
    self.fold = fold
    (candidate, awaitedLog) = (nil, nil)
    isFromLog = true
    changesForNextRoute = nil
  }

  /// Replaces the fold of a suite without a log by the property list, since that has changed.
  /// Damage changes nothing: an editor may still be writing the file, which is merged later.
  private mutating func reloadPropertyList() throws(SuiteError) {
    guard let content = try places.file.readWritten() else { return }
    do {
      let found = LogState(try options.decode(content), now: places.file.fileSystem.now)
      fold = found.keepingStamps(of: fold)
    } catch {
      // The check of the file under the lock of the new log reports the damage.
      return
    }
    publishAll()
  }
}
