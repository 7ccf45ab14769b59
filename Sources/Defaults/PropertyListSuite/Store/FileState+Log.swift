import Foundation

/// Locking the log that is at its path, and folding what other processes appended.
extension FileState {
  /// Locks the log, and folds what other processes appended. Returns its lock if another process
  /// holds it; nil if this process holds it now.
  mutating func lockLog() throws(SuiteError) -> LogLock? {
    // Each round but the last finds that another process replaced the log, or waits a millisecond for
    // one that is about to.
    let path = places.journal.path
    return try Retry.upTo(
      300,
      orThrow: SuiteError(.locked, "The journal was replaced each time it was locked", path: path)
    ) { () throws(SuiteError) -> LogLock?? in
      guard let file = try openLog() else {
        if options.isAutomatic, let deadline = successorDeadline, MonotonicClock.now < deadline {
          _ = Alarm().wait(until: MonotonicClock.now(plus: .milliseconds(1)))
        } else {
          try createLog()
        }
        return nil
      }
      guard try file.lock.take() else { return .some(file.lock) }
      do throws(SuiteError) {
        if try settle(on: file) {
          if log?.file !== file { file.lock.giveBack() }
          return .some(nil)
        }
      } catch {
        file.lock.giveBack()
        throw error
      }
      file.lock.giveBack()
      return nil
    }
  }

  /// The log that is followed, or the one at the path; nil if there is none.
  private mutating func openLog() throws(SuiteError) -> LogFile? {
    if let file = log?.file, file.isWritable { return file }
    if let candidate { return candidate }
    guard let found = try LogFile.open(places.journal, failingAs: .unwritable) else { return nil }
    guard found.isWritable else {
      throw .unwritableJournal(places.journal.path, POSIXError(.EACCES))
    }
    // All threads that wait for its lock do so on one opening.
    candidate = found
    return found
  }

  /// Makes sure that the locked file is the log at the path, and that all of it is folded; false if
  /// it isn't at the path. The log that is followed afterwards may be another one, which is locked.
  private mutating func settle(on file: LogFile) throws(SuiteError) -> Bool {
    let isFollowed = log?.file === file
    guard let extent = try file.extentInPlace() else {
      leave(file)
      return false
    }
    if isFollowed { try follow(to: extent.size) } else { try adopt(file) }
    if log?.file !== file { return true }
    if log?.isDamaged == true {
      // What could be read of it is in the new one.
      try quarantine(file)
      try replaceLog(over: file)
    } else if extent.names > 1 {
      // The second name is a person's copy, which stays as it is.
      try replaceLog(over: file)
    }
    return true
  }

  /// Folds what other processes appended to the locked log that is followed.
  private mutating func follow(to size: Int) throws(SuiteError) {
    log?.size = size
    guard let log else { return }
    switch try log.news(size: size) {
    case .none: break
    case .records: try foldRest(size: size, isInPlace: true)
    case .overwritten: try adopt(log.file)
    }
  }

  /// Folds the records of other processes in the locked log. Where it is in its place, what ends it
  /// incompletely is removed.
  private mutating func foldRest(size: Int, isInPlace: Bool) throws(SuiteError) {
    guard let log else { return }
    guard try log.news(size: size) != .overwritten else { return }
    let bytes = try log.file.bytes(from: log.offset, to: size)
    let (scan, findings) = log.scan(bytes)
    fold(findings, of: scan)
    if scan.hasNewerRecord { throw .newerJournal(at: places.journal.path) }
    let problems = scan.problems(at: places.journal.path)
    fileHealth.problems += problems
    guard problems.isEmpty else {
      // It is quarantined as it is, and replaced; until that succeeds.
      self.log?.isDamaged = true
      return
    }
    guard scan.hasTail, isInPlace else { return }
    // On the disk before anything is appended: what was removed must not come back behind it.
    try log.file.empty(from: scan.end, to: size)
    try synchronizeLog()
  }

  /// Syncs the content of the locked log. A failure is remembered in it: the system says so once, and
  /// to this process alone.
  mutating func synchronizeLog() throws(SuiteError) {
    guard let log else { return }
    do throws(POSIXError) {
      try log.file.file.synchronizeContent()
    } catch {
      durability.doubt()
      // If that can't be written, other processes don't learn of it.
      _ = try? append([.doubt])
      throw .unsyncedJournal(places.journal.path, error)
    }
  }

  /// Folds what a scan found behind the last record, and publishes what that changes, one commit
  /// after another.
  mutating func fold(_ findings: [LogScan.Finding], of scan: LogScan) {
    for finding in findings {
      switch finding {
      case .record(let record, _): publish(fold.apply(record))
      case .damage: fold.noteDamage()
      }
    }
    log?.offset = scan.end
    if let last = scan.last { log?.last = last }
  }

  /// Goes on with the locked log at the path, whose records are not those that were folded so far.
  ///
  /// What this process knows and the log lacks waits to be appended: it was in a log that was deleted,
  /// cut or overwritten.
  private mutating func adopt(_ file: LogFile) throws(SuiteError) {
    let isOverwritten = log?.file === file
    var commits: [(version: LogVersion, effects: [LogState.Effect])] = []
    let loaded = LoadedLog(try file.content(), path: places.journal.path) { record, effects in
      if !effects.isEmpty { commits.append((record.version, effects)) }
    }
    try loaded.checkVersion(at: places.journal.path)
    (candidate, successorDeadline) = (nil, nil)
    guard loaded.isSound else { return try adoptDamaged(loaded, in: file) }
    let missing = isFromLog ? fold.missing(in: loaded.state) : []
    let latest = fold.horizon.latest
    let isNews = commits.allSatisfy { $0.version > latest }
    (fold, log, isFromLog) = (loaded.state, loaded.followed(in: file), true)
    for change in missing { wait(change) }
    durability.begin()
    self.file.mustCheck = true
    if isNews, waiting.isEmpty { publish(commits.map(\.effects)) }
    publishAll()
    if loaded.hasTail {
      try file.empty(from: loaded.end, to: file.size())
      try synchronizeLog()
    }
    // What a program wrote into the log may be cut off by it again.
    if isOverwritten { try replaceLog(over: file) }
  }

  /// Replaces the locked log at the path, of which only a part can be read.
  private mutating func adoptDamaged(
    _ loaded: LoadedLog, in file: LogFile
  ) throws(SuiteError) {
    if loaded.start != .unwritten {
      try quarantine(file)
      fileHealth.problems += loaded.problems
    }
    if isFromLog {
      let changes = loaded.state.missing(in: fold)
      let version = max(fold.horizon.latest, loaded.state.horizon.latest)
      fold.apply(LogRecord(writer: writer, version: version, content: .joined(changes)))
    } else {
      let found = try LoadedFile(places, options)
      (fold, isFromLog) = (found.fold, found.isFromLog)
    }
    try replaceLog(over: file)
    publishAll()
  }

  /// Leaves the locked log, which was deleted. What is in it, and was never seen here, may be nowhere
  /// else.
  private mutating func leave(_ file: LogFile) {
    candidate = nil
    do throws(SuiteError) {
      if log?.file === file {
        try foldRest(size: file.size(), isInPlace: false)
      } else {
        try applyLost(file)
      }
      if fold.isAbandoned {
        successorDeadline = MonotonicClock.now(plus: .milliseconds(100))
      } else if log != nil {
        try append([.abandoned])
      }
    } catch {
      // On a full disk, perhaps; then a process that comes later doesn't wait.
      if !error.isFullDisk { fileHealth.problems.append(error) }
    }
    log = nil
  }

  /// Applies a log that took the place of the one that was followed, and was deleted before this
  /// process had its lock.
  private mutating func applyLost(_ file: LogFile) throws(SuiteError) {
    let loaded = LoadedLog(try file.content(), path: places.journal.path)
    guard loaded.isSound else { return }
    let missing = isFromLog ? fold.missing(in: loaded.state) : []
    (fold, log, isFromLog) = (loaded.state, loaded.followed(in: file), true)
    fold.apply(LogRecord(writer: writer, version: fold.horizon.latest, content: .joined(missing)))
    publishAll()
  }

  /// Keeps a copy of a damaged log.
  private func quarantine(_ file: LogFile) throws(SuiteError) {
    guard let content = try places.journal.read(), content.version.isSameFile(as: file.version)
    else { return }
    _ = try places.journal.setAside(content, asCopy: true)
  }
}

// MARK: - New logs

extension FileState {
  /// Creates the log, which begins with a checkpoint of all that is known, unless another process
  /// created one. It is opened again, by its name: the system names a file to those who watch its
  /// folder as it was called when it was opened.
  private mutating func createLog() throws(SuiteError) {
    let present = try places.file.status()
    if present != nil { try places.file.requireWritable() }
    if isFromLog {
      // The folder is gone, or was: this is no wish to remove all settings.
      if present == nil { fold.forgetFiles() }
    } else if file.damaged == nil {
      try reloadFile(present)
      // Changes wait that were made in another file.
      publishAll()
    }
    let new = try places.journal.writing { () throws(POSIXError) in
      try places.file.fileSystem.makeFolders(places.file.folder, mustSync: false)
      return try NewLog(fold, places, hasFile: present != nil)
    }
    // What was in the log that was lost may have been flushed.
    if isFromLog { try new.synchronize() }
    try new.publish()
  }

  /// Puts a new log in the place of the locked one, with a checkpoint of all that is known.
  mutating func replaceLog(over old: LogFile) throws(SuiteError) {
    let hasFile = try places.file.status() != nil
    let new = try places.journal.writing { () throws(POSIXError) in
      try NewLog(fold, places, hasFile: hasFile)
    }
    try new.synchronize()
    guard let replaced = try new.replace(old) else {
      throw SuiteError(
        .unwritable, "The journal was replaced while it was written again; try again",
        path: places.journal.path)
    }
    follow(replaced, fold.inNewLog)
  }

  /// Goes on with a log that this process wrote, and whose lock it has. `fold`: what it says.
  mutating func follow(_ new: FollowedLog, _ fold: LogState) {
    // The caller gives back the lock of the one that it took; this one's is given back in the end.
    log = new
    self.fold = fold
    (candidate, successorDeadline) = (nil, nil)
    isFromLog = true
    durability.begin()
    exports.hasDuty = true
  }

  /// Reads the property list of a suite without a log again, if it was changed.
  private mutating func reloadFile(_ present: FileStatus?) throws(SuiteError) {
    if let present, fold.knows(present.version) { return }
    if present == nil, fold.bases.isEmpty { return }
    let loaded = try LoadedFile(places, options)
    guard !loaded.isFromLog else { return }
    fold = loaded.fold
    file.damaged = loaded.damaged
    fileHealth.problems += loaded.problems
    publishAll()
  }
}
