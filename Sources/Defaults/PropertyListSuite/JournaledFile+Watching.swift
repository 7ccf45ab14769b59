import Foundation
import Synchronization

/// Noticing what other processes do.
extension JournaledFile {
  /// How long after the opening others are listened to, if nobody observes the suite before.
  static let watchDelay = 0.05
  /// The seconds after which a file that went is looked for. Many editors take the old file away
  /// before they write the new one, scripts do the same with folders, and a folder that is being
  /// deleted can't be if a file is put in it.
  private static let settlingTime = 0.1

  /// Takes in changes of other processes as they come.
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
    let old = state.withLock { state in
      defer { state.watch = watch }
      return state.watch
    }
    withExtendedLifetime(old) {}
  }

  /// Takes in what others did; returns whether there was anything, or at least more than what this
  /// process wrote itself.
  private func notice() -> Bool {
    // First, so that a writer who is in the way finds it when it gives its lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    return lookIfOverdue(mayWait: false)
  }

  func lookAtFile() {
    followRoutes()
    state.withLock { $0.file.mustCheck = true }
    takeIn()
  }
}

/// Taking in what others did, whenever somebody says that there may be something.
extension JournaledFile {
  /// Takes in what others did, waiting for a transaction that is running.
  func takeIn() {
    attempt { () throws(SuiteError) in
      if mustLock(after: table.writer.withLock { _ in look() }) { try takeInLocked() }
    }
  }

  package func refresh() throws(SuiteError) {
    defer { takeInIfOverdue() }
    if routes.withLock({ $0.contains(where: \.hasLinks) }) { followRoutes() }
    let (journal, offset) = state.withLock { state in
      (state.journal.header == nil ? nil : state.journal.file, state.journal.offset)
    }
    if let journal, let size = try journal.sizeInPlace(), size >= offset,
      try journal.prefix(at: offset) == 0
    {
      return
    }
    if mustLock(after: table.writer.withLock { _ in look() }) { try takeInLocked() }
  }

  /// Takes in what other processes did, if that is overdue; returns whether there was news. Not
  /// while another thread writes here, which will do it then.
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
      attempt { () throws(SuiteError) in try takeInLocked() }
    } else {
      table.support.deliverExternal()
    }
    if mustLock, !mayWait {
      intake.perform { [weak self] in
        self?.attempt { () throws(SuiteError) in try self?.takeInLocked() }
      }
    }
    return look.isNews || look.mustLock
  }

  /// Takes in what others did since the files were read, unless that takes the journal's lock;
  /// returns whether it does.
  func mustLookCloser() -> Bool {
    defer { table.support.deliverExternal() }
    return mustLock(after: table.writer.withLock { _ in look() })
  }

  /// What a look at the journal gave.
  private struct Look {
    var isNews = false
    /// Whether it takes the lock to know more.
    var mustLock = false
  }

  private static let glance = 4_096

  /// Takes in what others appended, without the journal's lock where that does; the writer lock is
  /// held.
  private func look() -> Look {
    state.withLock { state in
      var result = Look(mustLock: true)
      if state.file.mustCheck, let present = try? FileBase(file.status()) {
        state.file.mustCheck = !state.knows(present)
      }
      guard let journal = state.journal.file, state.journal.header != nil, !state.file.mustCheck
      else {
        return result
      }
      // Reading first saves asking how much there is: mostly it is one record.
      let offset = state.journal.offset
      let limit = offset + Self.glance
      guard let bytes = try? journal.bytes(from: offset, to: limit) else { return result }
      if bytes.withUnsafeBytes({ JournalRoom.isEmpty($0) }) {
        let size = try? journal.sizeInPlace()
        result.mustLock = (size ?? 0) < offset
      } else {
        let isComplete = try? takeIn(journal, bytes, &state, isLocked: false)
        result.mustLock = isComplete != true || state.journal.offset == limit
      }
      result.isNews = state.journal.offset != offset
      return result
    }
  }

  /// Takes in what others did, with the journal's lock, or without where this user can't have it.
  private func takeInLocked() throws(SuiteError) {
    if state.withLock({ $0.trouble.lacksRights }) {
      try table.writer.withLock { _ throws(SuiteError) in
        try state.withLock { state throws(SuiteError) in
          defer {
            table.support.reportLater(state.trouble.problems)
            state.trouble.problems = []
          }
          try reload(&state)
        }
      }
    } else {
      // Also while there is no room for what waits in memory.
      try withJournal(.compacting) { _ throws(SuiteError) in }
    }
  }

  /// Whether a look has to be followed by one under the journal's lock. Nothing is made just to
  /// look, and no folder that went is made again: the next write does that.
  private func mustLock(after look: Look) -> Bool {
    guard look.mustLock else { return false }
    let files = places.journal.fileSystem
    if (try? files.statusIfPresent(of: places.journal.path)) != nil { return true }
    guard (try? files.statusIfPresent(of: file.folder)) != nil else { return false }
    return state.withLock { $0.journal.file != nil || $0.file.mustCheck }
  }
}

/// Doing what nobody waits for.
extension JournaledFile {
  /// Does something later, on a thread of the library, if the suite is still there then; one thing
  /// at a time.
  func inBackground(
    after seconds: Double = 0, _ work: @escaping @Sendable (JournaledFile) -> Void
  ) {
    // Not strongly: the open journal mustn't outlive the suite until then.
    lane.perform(after: seconds) { [weak self] in
      if let self { work(self) }
    }
  }

  /// Does something that nobody waits for, and reports what it throws.
  func attempt(_ body: () throws(SuiteError) -> Void) {
    do throws(SuiteError) {
      try body()
    } catch {
      table.support.report(error)
    }
    table.support.deliverExternal()
    takeInIfOverdue()
  }
}
