import Foundation

/// Locking the log that is at its path, and folding what other processes appended.
extension FileState {
  /// Locks the log, and folds what other processes appended. Returns its lock if another process
  /// holds it; nil if this process holds it now.
  mutating func lockLog() throws(SuiteError) -> LogLock? {
    // Each round but the last finds that another process replaced the log.
    for _ in 0..<100 {
      guard let file = try openLog() else {
        try createLog()
        continue
      }
      guard try file.lock.take() else { return file.lock }
      do throws(SuiteError) {
        if try settle(on: file) {
          if log?.file !== file { file.lock.giveBack() }
          return nil
        }
      } catch {
        file.lock.giveBack()
        throw error
      }
      file.lock.giveBack()
    }
    throw SuiteError(
      .locked, "The journal was replaced each time it was locked", path: places.journal.path)
  }

  /// The log that is followed, or the one at the path; nil if there is none.
  private mutating func openLog() throws(SuiteError) -> LogFile? {
    if let file = log?.file, file.isWritable { return file }
    if let candidate { return candidate }
    guard
      let found = try LogFile.open(
        places.journal, failingAs: .unwritable)
    else { return nil }
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
    guard let size = try file.sizeInPlace() else {
      candidate = nil
      if isFollowed {
        // What is in it, and was never seen here, may be nowhere else.
        try? foldRest(size: file.size())
        log = nil
      }
      return false
    }
    guard isFollowed else {
      try adopt(file)
      return true
    }
    log?.size = size
    guard let log else { return false }
    switch try log.news(size: size) {
    case .none: break
    case .records: try foldRest(size: size)
    case .overwritten: try adopt(file)
    }
    if self.log?.isDamaged == true {
      // What could be read of it is in the new one.
      try quarantine(file)
      try replaceLog(over: file)
    }
    return true
  }

  /// Folds the records of other processes in the locked log.
  private mutating func foldRest(size: Int) throws(SuiteError) {
    guard let log else { return }
    guard try log.news(size: size) != .overwritten else { return }
    let bytes = try log.file.bytes(from: log.offset, to: size)
    let (scan, findings) = log.scan(bytes)
    fold(findings, of: scan)
    if scan.hasNewerRecord { throw .newerJournal(at: places.journal.path) }
    let problems = scan.problems(at: places.journal.path)
    if !problems.isEmpty {
      try quarantine(log.file)
      trouble.problems += problems
    }
    if scan.hasTail {
      // On the disk before anything is appended: what was removed must not come back behind it.
      try log.file.empty(from: scan.end, to: size)
      do throws(POSIXError) {
        try log.file.file.synchronizeContent()
      } catch {
        durability.doubt()
        throw .unsyncedJournal(places.journal.path, error)
      }
    }
    if !problems.isEmpty { try replaceLog(over: log.file) }
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
  /// What this process knows and the log lacks is appended: it was in a log that was deleted, cut
  /// or overwritten.
  private mutating func adopt(_ file: LogFile) throws(SuiteError) {
    let isOverwritten = log?.file === file
    var commits: [(version: LogVersion, effects: [LogState.Effect])] = []
    let loaded = LoadedLog(try file.content(), path: places.journal.path) { record, effects in
      if !effects.isEmpty { commits.append((record.version, effects)) }
    }
    try loaded.checkVersion(at: places.journal.path)
    candidate = nil
    guard loaded.isSound else {
      if loaded.start != .unwritten {
        try quarantine(file)
        trouble.problems += loaded.problems
      }
      if !isFromLog {
        let found = try LoadedFile(places, options)
        (fold, isFromLog) = (found.fold, found.isFromLog)
      }
      try replaceLog(over: file)
      publishAll()
      return
    }
    let missing = isFromLog ? fold.missing(in: loaded.state) : []
    let isNews = commits.allSatisfy { $0.version > fold.horizon.latest }
    fold = loaded.state
    isFromLog = true
    log = loaded.followed(in: file)
    durability.begin()
    self.file.mustCheck = true
    if loaded.hasTail {
      try file.empty(from: loaded.end, to: file.size())
      try places.journal.writing { () throws(POSIXError) in
        try file.file.synchronizeContent()
      }
    }
    if !missing.isEmpty { try append([.joined(missing)]) }
    // What a program wrote into the log may be cut off by it again.
    if isOverwritten { try replaceLog(over: file) }
    if isNews, missing.isEmpty, waiting.isEmpty { publish(commits.map(\.effects)) }
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
  /// created one. It is opened anew, by its name: the system names a file to those who watch its
  /// folder as it was called when it was opened.
  private mutating func createLog() throws(SuiteError) {
    let present = try places.file.status()
    if present != nil { try places.file.requireWritable() }
    if isFromLog {
      // The folder is gone, or was: this is no wish to remove all settings.
      if present == nil { fold.forgetFiles() }
    } else if file.damaged == nil {
      try reloadFile(present)
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
    follow(try new.replace())
  }

  /// Goes on with a log that this process wrote, and whose lock it has.
  mutating func follow(_ new: FollowedLog) {
    // The caller gives back the lock of the one that it took; this one's is given back in the end.
    log = new
    fold.beginLog()
    candidate = nil
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
    trouble.problems += loaded.problems
    publishAll()
  }
}
