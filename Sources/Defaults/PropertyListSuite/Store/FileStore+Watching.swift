import Foundation
import Synchronization

/// Noticing what other processes do.
extension FileStore {
  /// The seconds after the opening until the folder is watched, if no observer is added before.
  static let watchDelay = 0.05
  /// The seconds after which a missing file is looked for again. Many text editors move the old file
  /// away before they write the new one, scripts do the same with folders, and a folder can't be
  /// deleted while a file is created in it.
  private static let settlingTime = Double(FileOptions.settlingTime) / 1e9

  /// Watches the folder, and merges what other processes change.
  func watch() {
    let names = (file: file.location.name, journal: places.journal.location.name)
    let problem = Lock<SuiteError?>(nil)
    let watch = watcher.watch(
      file.folder, names: [names.file, names.journal]
    ) { [weak self, folder = file.folder] name, event in
      guard let self else { return false }
      switch (name, event) {
      case (_, .unwatched(let code)):
        let error = SuiteError.unwatched(folder, POSIXError(code))
        problem.replace(with: error)
        inBackground { $0.table.support.report(error) }
      case (_, .watched):
        // If the watch is lost again, that is another issue.
        if let error = problem.exchange(nil) { table.support.forget(error) }
        inBackground { $0.lookAtFile() }
      case (_, .unknown), (_, .gone):
        inBackground(after: Self.settlingTime) { $0.lookAtFile() }
      case (names.journal, _): return notice()
      case (names.file, .written): break
      case (names.file, _): inBackground { $0.lookAtFile() }
      default: break
      }
      return false
    }
    let old = watching.withLock { state in
      defer { state.watch = watch }
      return state.watch
    }
    withExtendedLifetime(old) {}
  }

  /// Merges what other processes changed; returns whether the watcher has to look again at once. It
  /// hasn't where the events were those of this process, nor where this process commits: each commit
  /// folds what other processes appended.
  private func notice() -> Bool {
    // First, so that a thread that holds the writer lock finds it when it gives that lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    let isNews = lookIfOverdue(mayWait: false)
    return !hasCommitted.exchange(false, ordering: .relaxed) && isNews
  }

  func lookAtFile() {
    followRoutes()
    state.withLock { $0.file.mustCheck = true }
    foldNews()
    // Rights alone may have changed, which doesn't show in the stamp.
    attempt { () throws(SuiteError) in try self.file.requireReadable() }
    let mustLookAgain = state.withLock { state in
      state.file.mustCheck && state.file.missingSince.map { !state.isDeleted(since: $0) } ?? false
    }
    if mustLookAgain { inBackground(after: Self.settlingTime) { $0.lookAtFile() } }
  }
}

/// Merging what other processes changed, when an event says that there may be something.
extension FileStore {
  /// Merges what other processes changed; waits for a commit of this process.
  func foldNews() {
    attempt { () throws(SuiteError) in
      if mustLock(after: table.writer.withLock { _ in look() }) { try foldWithLock() }
    }
  }

  package func refresh() throws(SuiteError) {
    defer { foldIfOverdue() }
    if routes.withLock({ $0.contains(where: \.hasLinks) }) { followRoutes() }
    if try state.withLock({ state throws(SuiteError) in try state.isUpToDate() }) { return }
    if mustLock(after: try table.withWriter { look() }) { try foldWithLock() }
  }

  package func applyNews() -> Bool {
    defer { foldIfOverdue() }
    do throws(SuiteError) {
      // What waits in memory isn't committed.
      guard state.withLock({ $0.waiting.isEmpty }) else { return false }
      if try state.withLock({ state throws(SuiteError) in try state.isUpToDate() }) { return true }
      // The watcher may not have seen an external change.
      state.withLock { $0.file.mustCheck = true }
      guard mustLock(after: try table.withWriter { look() }) else { return true }
      guard state.withLock({ $0.fileHealth.lacksRights }) else { return false }
      try foldWithLock()
      return true
    } catch {
      // A look with the lock finds out what is wrong.
      return false
    }
  }

  /// Merges what other processes changed, if that is overdue; returns whether there was anything.
  /// While another thread of this process commits, it is left to that thread.
  ///
  /// - Parameter mayWait: Whether the thread may wait for another process. The watcher's thread
  ///   never does: it serves all suites.
  func lookIfOverdue(mayWait: Bool) -> Bool {
    var look: Look?
    _ = table.writer.withLockIfFree(attempts: 1) { _ in
      guard isOverdue.exchange(false, ordering: .sequentiallyConsistent) else { return }
      look = self.look()
    }
    guard let look else { return false }
    let mustLock = mustLock(after: look)
    if mustLock, mayWait {
      attempt { () throws(SuiteError) in try foldWithLock() }
    } else {
      table.support.deliverExternal()
    }
    if mustLock, !mayWait {
      folding.perform { [weak self] in
        self?.attempt { () throws(SuiteError) in try self?.foldWithLock() }
      }
    }
    return look.isNews || look.mustLock
  }

  /// Merges what other processes changed since the files were read, unless that takes the lock of
  /// the log; returns whether it does.
  func foldAtOpening() -> Bool {
    defer { table.support.deliverExternal() }
    return mustLock(after: table.writer.withLock { _ in look() })
  }

  /// The result of a look at the log.
  fileprivate struct Look {
    var isNews = false
    /// Whether more can be found out with the lock of the log alone.
    var mustLock = false
  }

  /// Folds what other processes appended, without the lock of the log where that does; the writer
  /// lock is held.
  private func look() -> Look {
    state.withLock { state in
      do throws(SuiteError) {
        return try state.look()
      } catch {
        // What can't be looked at is looked at with the lock, and reported then.
        return Look(mustLock: true)
      }
    }
  }

  /// Merges what other processes changed, with the lock of the log, or without it where this user
  /// has no right to it.
  private func foldWithLock() throws(SuiteError) {
    if state.withLock({ $0.fileHealth.lacksRights }) {
      try table.writer.withLock { _ throws(SuiteError) in
        try state.withLock { state throws(SuiteError) in
          defer {
            table.support.reportLater(state.fileHealth.takeProblems())
          }
          try state.reload()
        }
      }
    } else {
      // Also while there is no room for what waits in memory.
      try withLog(.compacting) { _ throws(SuiteError) in }
    }
  }

  /// Whether a look has to be followed by one with the lock of the log. Nothing is created for a look,
  /// and no folder that was deleted: the next write does that.
  private func mustLock(after look: Look) -> Bool {
    guard look.mustLock else { return false }
    let files = places.journal.fileSystem
    if files.statusIfVisible(of: places.journal.path) != nil { return true }
    guard files.statusIfVisible(of: file.folder) != nil else { return false }
    return state.withLock { $0.log != nil || $0.file.mustCheck }
  }
}

extension FileStore {
  /// Folds what other processes append as they do, from now on, unless that is done already; then
  /// looks for what came before.
  package func listen() {
    guard options.isAutomatic else { return }
    let isFirst = watching.withLock { state in
      defer { state.isListening = true }
      return !state.isListening
    }
    guard isFirst else { return }
    // Listen first, look second; that may have to wait, for a commit or another process.
    watch()
    inBackground { $0.lookAtFile() }
  }
}

extension FileState {
  /// Whether everything that other processes wrote is known here, as far as a glance tells.
  fileprivate mutating func isUpToDate() throws(SuiteError) -> Bool {
    guard let log, let size = try log.file.sizeInPlace(), try log.news(size: size) == .none
    else { return false }
    try glanceAtFile()
    return !file.mustCheck
  }

  /// How many bytes of the log a look reads.
  private static let glance = 4_096

  /// Folds what other processes appended, as far as that needs no lock.
  fileprivate mutating func look() throws(SuiteError) -> FileStore.Look {
    if file.mustCheck { try glanceAtFile() }
    guard let log, !file.mustCheck, let size = try log.file.sizeInPlace() else {
      return FileStore.Look(mustLock: true)
    }
    switch try log.news(size: size) {
    case .none: return FileStore.Look()
    case .overwritten: return FileStore.Look(mustLock: true)
    case .records: break
    }
    let limit = log.offset + Self.glance
    let (scan, findings) = log.scan(try log.file.bytes(from: log.offset, to: limit))
    // An incomplete record at the end is being written, or is longer than this look.
    guard scan.skipped.isEmpty, !scan.hasNewerRecord, !scan.hasTail else {
      return FileStore.Look(mustLock: true)
    }
    fold(findings, of: scan)
    return FileStore.Look(isNews: scan.end != log.offset, mustLock: scan.end == limit)
  }

  /// Finds out whether the property list has to be looked at with the lock of the log.
  fileprivate mutating func glanceAtFile() throws(SuiteError) {
    if file.isUnmerged {
      file.mustCheck = true
      return
    }
    if let status = try places.file.status() {
      file.mustCheck = !knows(status.version)
    } else {
      file.mustCheck = fold.finding(nil) == .external
    }
    if !file.mustCheck { file.missingSince = nil }
  }

  /// Whether a property list with this stamp has nothing that the log doesn't know.
  fileprivate func knows(_ stamp: FileVersion) -> Bool {
    if [file.damaged, file.alias].contains(stamp) { return true }
    return fold.file(stamp).map { fold.finding($0) != .external } ?? false
  }

  /// Reads everything again, where this user can't have the lock of the log, and publishes what is
  /// different.
  fileprivate mutating func reload() throws(SuiteError) {
    let loaded = try LoadedFile(places, options)
    // The folder is gone, which is no wish to remove all settings.
    if !loaded.isFromLog, loaded.entries.isEmpty, isFromLog { return }
    (fold, log, isFromLog) = (loaded.fold, loaded.log, loaded.isFromLog)
    durability.begin()
    if loaded.damaged != nil { fileHealth.problems += loaded.problems }
    file.damaged = loaded.damaged
    file.isUnmerged = loaded.isUnmerged
    var entries = loaded.entries
    for (name, change) in waiting where fold.isNews(change) { entries[name] = change.edit.entry }
    table.commitExternal(table.differences(from: entries))
  }
}
