import Foundation
import Synchronization

/// Noticing the changes of other processes.
extension FileStore {
  /// The seconds from the opening until the folder is watched, if no observer is added earlier.
  static let watchDelay = 0.05
  /// The seconds until a missing file is checked again.
  private static let settlingSeconds = Double(FileOptions.settlingTime) / 1e9

  /// Watches the folder, to fold new records and merge external edits.
  func startWatch() {
    let places = places
    let names = (file: places.file.location.name, journal: places.journal.location.name)
    let problem = Lock<SuiteError?>(nil)
    let new = watcher.watch(
      places.file.folder, names: [names.file, names.journal]
    ) { [weak self, folder = places.file.folder] name, event in
      guard let self else { return .handled }
      switch (name, event) {
      case (_, .unwatched(let code)):
        let error = SuiteError.unwatched(folder, Errno(code))
        problem.replace(with: error)
        inBackground { $0.table.support.report(error) }
      case (_, .watched):
        // A later loss of the watch is another issue.
        if let error = problem.exchange(nil) { table.support.forget(error) }
        scheduleCheck(.soon)
      case (_, .unknown), (_, .gone):
        if name == names.file { scheduleCheck(.ofAbsence) }
        scheduleCheck(.afterSettling)
      case (names.journal, _): return notice()
      case (names.file, .written): break  // `complete` or `gone` follows.
      case (names.file, _): scheduleCheck(.soon)
      default: break
      }
      return .handled
    }
    watch.replace(with: new)
    // Another thread may have followed a path, and found no watch to renew.
    if file.location != places.file.location { startWatch() }
  }

  private enum Check: UInt8 {
    case soon = 1
    case afterSettling = 2
    case ofAbsence = 4
  }

  /// Checks the files in the background, once for all events until then.
  private func scheduleCheck(_ check: Check) {
    let bit = check.rawValue
    let scheduled = scheduledChecks.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
    if scheduled & bit != 0 { return }
    inBackground(after: check == .afterSettling ? Self.settlingSeconds : 0) { store in
      store.scheduledChecks.bitwiseAnd(~bit, ordering: .acquiringAndReleasing)
      if check == .ofAbsence { store.noticeAbsence() } else { store.checkFiles() }
    }
  }

  /// The number of checks without a commit of this process after which it counts as a listener.
  private static let idleChecks = 50

  /// Folds the records of other processes. While this process commits, each commit does that.
  ///
  /// Shortly after a commit of this process, several changes at once are a sign of busy processes.
  /// The next check comes after a pause, and folds more records with less work. A single change
  /// may be another process's answer, whose handlers must be called at once.
  private func notice() -> FolderWatcher.Reaction {
    let checks = checksSinceCommit.load(ordering: .relaxed)
    if checks < 0 {
      // This may overwrite the mark of a later commit, which only makes the next check earlier.
      checksSinceCommit.store(0, ordering: .relaxed)
      // A thread that waits to commit may have folded changes. It holds no lock meanwhile.
      if table.support.hasExternalNews.load(ordering: .relaxed),
        table.writer.withLockIfFree(attempts: 1, { _ in }) != nil
      {
        table.support.deliverExternal()
      }
      return .postponed
    }
    // This thread serves all suites, so it waits neither for a thread that commits nor for another
    // process.
    let found = table.writer.withLockIfFree(attempts: 1) { _ in
      state.withLock { $0.foldWithoutLock() }
    }
    guard let look = found else { return .postponed }
    table.support.deliverExternal()
    if look.mustLock {
      folding.perform { [weak self] in self?.foldAndMerge() }
    }
    guard checks < Self.idleChecks, look.records > 1 else {
      return look.records > 0 ? .news : .handled
    }
    checksSinceCommit.store(checks + 1, ordering: .relaxed)
    return .postponed
  }

  /// Follows the paths, then folds new records and merges an external edit.
  func checkFiles() {
    followRoutes()
    state.withLock { $0.propertyList.mustCheck = true }
    foldAndMerge()
    // A change of permissions alone doesn't change the stamp.
    table.support.attempt { () throws(SuiteError) in try self.file.requireReadable() }
    let mustLookAgain = state.withLock { state in
      state.propertyList.mustCheck && !state.isDeleted
    }
    if mustLookAgain { scheduleCheck(.afterSettling) }
  }
}

/// Folding new records and merging external edits after an event.
extension FileStore {
  /// Records that the property list is missing, unless it wasn't there before. Later changes aren't
  /// undone when it counts as deleted.
  func noticeAbsence() {
    state.withLock { state in
      let file = state.places.file
      if file.fileSystem.statusIfVisible(of: file.path) != nil { return }
      if !state.isKnown(nil) { _ = state.noteAbsence() }
    }
  }

  /// Folds new records and merges an external edit. Waits for a commit of this process.
  func foldAndMerge() {
    table.support.attempt { () throws(SuiteError) in
      let look = table.writer.withLock { _ in state.withLock { $0.foldWithoutLock() } }
      if try mustLock(after: look) { try catchUpOrReload() }
    }
  }

  package func refresh() throws(SuiteError) {
    if routes.withLock({ $0.contains(where: \.hasLinks) }) { followRoutes() }
    if try mustLockToCatchUp() { try catchUpOrReload() }
    // An unknown change of the property list is only an issue for other commits.
    let isUnread = state.withLock { $0.propertyList.mustCheck && $0.propertyList.absence == nil }
    if isUnread { _ = try file.status() }
  }

  package func foldWithoutWaiting() -> Bool {
    do throws(SuiteError) {
      // Waiting changes aren't committed.
      guard state.withLock({ $0.waiting.isEmpty }) else { return false }
      guard try mustLockToCatchUp() else { return true }
      guard state.withLock({ $0.fileHealth.lacksRights }) else { return false }
      try catchUpOrReload()
      return true
    } catch {
      // A check under the lock finds the reason.
      return false
    }
  }

  /// Folds new records as far as that doesn't require the lock of the log. Returns whether the
  /// rest, or the property list, requires it.
  private func mustLockToCatchUp() throws(SuiteError) -> Bool {
    if try state.withLock({ state throws(SuiteError) in try state.isUpToDate() }) { return false }
    state.withLock { $0.propertyList.mustCheck = true }
    let look = try table.withWriter { state.withLock { $0.foldWithoutLock() } }
    return try mustLock(after: look)
  }

  /// Folds new records and merges an external edit under the lock of the log or, if this user may
  /// not take it, reads everything again without the lock.
  private func catchUpOrReload() throws(SuiteError) {
    if state.withLock({ $0.fileHealth.lacksRights }) {
      try table.writer.withLock { _ throws(SuiteError) in
        try state.withLock { state throws(SuiteError) in try state.reload() }
      }
    } else {
      // This works even while the disk has no space for the waiting changes.
      try commitNothing(.maintenance)
    }
  }

  /// Returns whether a check must be repeated under the lock of the log. A check never creates a
  /// deleted folder, and no log in another folder at the path whose files may still be missing. It
  /// creates a log only if the followed log was deleted, or if there is none and the property list
  /// has changed.
  private func mustLock(after look: FileState.Look) throws(SuiteError) -> Bool {
    guard look.mustLock else { return false }
    if try places.journal.present() != nil { return true }
    let file = file
    let folder = try file.reading { () throws(Errno) in
      try file.fileSystem.statusIfPresent(of: file.folder)?.version
    }
    guard let folder else { return false }
    let hasFile = file.fileSystem.statusIfVisible(of: file.path) != nil
    return try state.withLock { state throws(SuiteError) in
      // A disk isn't mounted, or a program hasn't filled a new folder yet. But if the followed log
      // was deleted, the folder was created again.
      if !hasFile, state.folder.isReplaced(by: folder), try state.log?.file.hasName() ?? true {
        return false
      }
      return state.log != nil || state.propertyList.mustCheck
    }
  }
}

extension FileStore {
  /// Starts folding the records of other processes as they arrive, unless already started. Then
  /// checks for earlier records.
  package func listen() {
    // Of two threads that listen at the same time, the second replaces the watch of the first.
    guard options.isAutomatic, watch.withLock({ $0 == nil }) else { return }
    // Watch before checking, so that no change is missed. The check may have to wait for a commit.
    startWatch()
    inBackground { $0.checkFiles() }
  }
}
