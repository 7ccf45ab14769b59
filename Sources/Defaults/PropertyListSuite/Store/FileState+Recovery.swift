import Foundation

/// Continuing with another log after the followed one was replaced, deleted, overwritten or
/// damaged. After a restart, ``LoadedSuite`` reads the files first.
extension FileState {
  /// Reads the locked log at the path from scratch: another log, an overwritten one or, if
  /// `isContinued`, the followed log with a damaged or incomplete record.
  ///
  /// Changes that only this process knows are added to the waiting changes. Returns false if the
  /// log is no longer at the path.
  mutating func adopt(_ file: LogFile, isContinued: Bool = false) throws(SuiteError) -> Bool {
    let isOverwritten = log?.file === file && !isContinued
    // Before the log is read: another folder may take the path meanwhile.
    let present = places.folderVersion
    var commits: [(version: LogVersion, changes: [EntryChange])] = []
    let content = try file.content()
    let loaded = LoadedLog(
      content, path: places.journal.path, wasCut: wasCut(file, to: content),
      supersededBefore: .max
    ) {
      if !$1.isEmpty { commits.append(($0.version, $1)) }
    } keeps: {
      table.isAwaited($0)
    }
    try loaded.checkVersion(at: places.journal.path)
    (candidate, awaitedLog) = (nil, nil)
    guard loaded.isSound else { return try replaceDamaged(loaded, in: file) }
    // The log lacks the record of this property list, so this process's bases apply.
    if try knowsFile(unlike: loaded) {
      join(loaded.fold, keepsBases: true)
      defer { publishAll() }
      return try replaceLog(over: file)
    }
    let view = try viewWithKnownFile(of: loaded.fold)
    let missing = isFromLog ? fold.missing(in: loaded.fold) : []
    let latest = fold.horizon.latest
    let areNewer = commits.allSatisfy { $0.version > latest }
    // What is known about the earlier records of this file doesn't apply to the new ones.
    let followed =
      isOverwritten
      ? try places.journal.readingLog { () throws(Errno) in
        try LogFile(file.descriptor, at: places.journal)
      } : file
    (fold, log, isFromLog) = (loaded.fold, loaded.followed(in: followed), true)
    log?.size = content.count
    folder.note(present, log?.header)
    changesForNextRoute = nil
    for change in missing { postpone(change) }
    if !isContinued { durability.begin() }
    // Until the log is replaced below. An earlier sync may have failed.
    if isOverwritten { durability.doubt() }
    propertyList.mustCheck = true
    if let view {
      publishAll(view)
      propertyList.isUnmerged = true
    } else {
      // If all of the log is newer than what this process knew, observers get each commit.
      if areNewer, waiting.isEmpty { publishOneByOne(commits.map(\.changes)) }
      publishAll()
    }
    if loaded.hasTail {
      // Durable before anything is appended, after which the removed record must not reappear.
      try file.clear(from: loaded.end, to: file.size())
      try synchronizeLog(evenAfterFailure: true)
    }
    // Another program wrote into the log, and may truncate it again.
    return try isOverwritten ? replaceLog(over: file) : true
  }

  /// Returns whether another program has cut the followed log, so that this is its content.
  private func wasCut(_ file: LogFile, to content: [UInt8]) -> Bool {
    log.map { $0.file === file && content.count < $0.offset } ?? false
  }

  /// Returns a log's state with the edits of the property list that readers have seen, so that they
  /// see no older entries before the file is merged. Returns nil if this process had a log, or if
  /// the log has a record of that version of the file, or knows the present one.
  private func viewWithKnownFile(of log: LogState) throws(SuiteError) -> LogState? {
    guard !isFromLog, let file = fold.bases.last?.file, log.finding(file) == .external,
      !log.hasRecord(of: file.stamp),
      try places.file.status().map({ !log.knows($0.version) }) ?? true
    else { return nil }
    var view = log
    view.preview(fold.values, file, at: places.file.fileSystem.now)
    return view
  }

  /// Replaces the locked log at the path, of which only a part can be read. It may be an empty one,
  /// which `NewLog.addName` makes where there are no hard links. Returns false if the log is no
  /// longer at the path.
  private mutating func replaceDamaged(
    _ loaded: LoadedLog, in file: LogFile
  ) throws(SuiteError) -> Bool {
    if loaded.start != .unwritten {
      try quarantine(file)
      table.support.reportLater(loaded.problems)
    }
    let knowsMore = loaded.fold.isComplete && loaded.fold.placedVersion > fold.placedVersion
    var other = loaded.fold
    if !isFromLog {
      // This process may know less than the damaged log and the property list. If the property
      // list is damaged, too, an editor may be writing it.
      let found = try LoadedSuite(places, options)
      if found.propertyList.damage == nil { fold = found.fold.keepingStamps(of: fold) }
    } else if knowsMore {
      do throws(SuiteError) {
        // The property list may have entries that the log lacks. The log knows the file, so they
        // aren't merged.
        let found = try LoadedSuite(places, options)
        if found.isFromLog { other = found.fold }
      } catch {
        // The file can't be read. The next check reports that.
      }
    }
    // Without a log, the bases are those of the property list that was just read.
    join(other, keepsBases: !isFromLog || !knowsMore)
    if loaded.hasGaps { fold.forgetSync() }
    defer { publishAll() }
    return try replaceLog(over: file)
  }

  /// Returns whether this process knows a version of the property list of which a log has no
  /// record, since the log lost its end. For that log, the property list would be an edit, which
  /// undoes changes.
  private func knowsFile(unlike loaded: LoadedLog) throws(SuiteError) -> Bool {
    guard isFromLog else { return false }
    let (state, present) = (loaded.fold, try places.file.status()?.version)
    if let present, state.hasRecord(of: present) { return false }
    // The followed log may end within the last export. A later log may have forgotten the file.
    let isFollowed = loaded.header != nil && loaded.header == log?.header
    let latest = isFollowed ? state.placedVersion : state.horizon.latest
    return fold.placedVersion > latest || present.map(fold.knows) ?? false
  }

  /// Adds the changes of another state that this process's state lacks. `keepsBases` is false if
  /// the other state knows the newest version of the property list.
  private mutating func join(_ other: LogState, keepsBases: Bool) {
    var (known, added) = keepsBases ? (fold, other) : (other, fold)
    let changes = known.join(added)
    fold = known
    noteJoined(changes)
  }

  /// Leaves the locked log, which is no longer at its path: it was deleted, or replaced by another
  /// process. First folds its unread changes, which may exist nowhere else.
  ///
  /// Unless there was a next log, the process creates it before it releases the lock, so that no
  /// other process creates one that lacks changes.
  mutating func leave(_ file: LogFile) throws(SuiteError) {
    (candidate, awaitedLog) = (nil, nil)
    do throws(SuiteError) {
      let isFollowed = log?.file === file
      let size = try isFollowed ? file.size() : 0
      switch try isFollowed ? log?.compare(underLock: size, isQuick: false) : .overwritten {
      case .upToDate?, nil: break
      case .hasRecords: if try foldRecords(upTo: size).hasRest { try applyLost(file) }
      case .overwritten: try applyLost(file)
      }
    } catch {
      table.support.reportLater([error])
      (log, fold.isAbandoned) = (nil, false)
    }
    if let log, try folder.hasOtherSuite(than: log.file, at: places) {
      // The logs so far are forgotten: if their folder comes back, it has another suite, too. But
      // an abandoned log has a successor, which is probably the log at the path.
      if !fold.isAbandoned { folder = KnownFolder(places.folderVersion) }
      return leaveForAnother(places)
    }
    let left = log
    log = nil
    if fold.isAbandoned { return awaitLog() }
    // A later version of the library wrote the log, and creates the next one.
    if awaitedLog != nil { return }
    // Until there is a next log, the changes are only in memory.
    exports.hasDuty = true
    if try openLog() != nil { return markAbandoned(left) }
    defer {
      // If only the sync of the folder failed, the new log is already the candidate.
      if candidate != nil {
        markAbandoned(left)
      } else if let left, left.offset <= 1 << 20 {
        // If the creation failed, the next attempt finds out whether there was another log. A
        // longer log must not keep its space on a full disk.
        candidate = left.file
      }
    }
    try createLog()
  }

  /// Waits for another process to create a log. If everything runs on one thread, none does.
  private mutating func awaitLog() {
    if options.isAutomatic { awaitedLog = AwaitedLog() }
  }

  /// Applies a deleted log that replaced the followed one, or that another program overwrote, or
  /// whose next record is incomplete or damaged.
  private mutating func applyLost(_ file: LogFile) throws(SuiteError) {
    let content = try file.content()
    let loaded = LoadedLog(
      content, path: places.journal.path, wasCut: wasCut(file, to: content))
    let knowsFile = try knowsFile(unlike: loaded)
    table.support.reportLater(loaded.problems)
    // Only the later version that wrote the log knows all of it.
    if loaded.start == .later { awaitLog() }
    if loaded.isSound, !isFromLog { (fold, isFromLog) = (LogState(), true) }
    join(loaded.fold, keepsBases: knowsFile || !loaded.isSound)  // Damage may hide bases.
    if loaded.hasGaps { fold.forgetSync() }
    // Not the state of a log that was lost before.
    fold.isAbandoned = loaded.fold.isAbandoned
    log = loaded.isSound ? loaded.followed(in: file) : nil
    log?.size = content.count
    publishAll()
  }

  /// Replaces the locked log if syncing it can't make it durable: an earlier sync failed, after
  /// which the system may have dropped data, or the beginning of the log was overwritten.
  mutating func replaceDoubtedLog() throws(SuiteError) {
    guard let log else { return }
    if isDoubted {
      try replaceLog(over: log.file, marksOld: true)
    } else if try self.log?.compare(size: log.file.size(), includingHeader: true) == .overwritten {
      _ = try adopt(log.file)
    }
  }

  /// Keeps a copy of a damaged log.
  func quarantine(_ file: LogFile) throws(SuiteError) {
    guard let content = try places.journal.read(), content.version.isSameFile(as: file.version)
    else { return }
    _ = try places.journal.setAside(content, asCopy: true)
  }

  /// Continues in other files, or with those of another folder at the path. Changes that aren't in
  /// the property list yet are stored there; all entries if there are no files.
  mutating func leaveForAnother(_ new: SuiteFiles) {
    let mayWrite = isFromLog && !options.isReadOnly && !fileHealth.lacksRights
    let unexported = changesForNextRoute ?? (mayWrite ? fold.unexported : [])
    (log, candidate, awaitedLog) = (nil, nil, nil)
    (propertyList, changesForNextRoute) = (KnownFile(), nil)
    (places, durability) = (new, LogDurability())
    let fileSystem = new.file.fileSystem
    guard
      fileSystem.statusIfVisible(of: new.file.path) != nil
        || fileSystem.statusIfVisible(of: new.journal.path) != nil
    else {
      changesForNextRoute = unexported
      return (fold.bases = [])
    }
    for change in unexported { postpone(change) }
    (fold, isFromLog) = (.empty, false)
  }
}
