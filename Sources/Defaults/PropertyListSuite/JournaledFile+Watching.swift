import Foundation
import Synchronization

/// Noticing what other processes do.
extension JournaledFile {
  /// How often the files are looked at where nobody tells of changes.
  private static let pollInterval = 0.5
  /// How long after the opening others are listened to, if nobody observes the suite before.
  static let watchDelay = 0.05

  /// Takes in changes of others as they come.
  func watch() {
    let names = (file: file.location.name, journal: places.journal.location.name)
    do throws(POSIXError) {
      let watch = try FolderWatcher.shared.watch(
        file.folder, names: [names.file, names.journal]
      ) { [weak self] name, event in
        guard let self else { return false }
        switch name {
        case names.journal: return self.notice()
        case names.file where event == .written: return false
        case names.file where event == .gone:
          // Many editors take the old file away before they write the new one.
          self.inBackground(after: 0.1) { $0.lookAtFile() }
          return false
        case names.file: break
        default: if event != .unknown { return false }
        }
        self.state.withLock { $0.mustCheckFile = true }
        return self.notice()
      }
      state.withLock { $0.watch = watch }
    } catch {
      table.support.report(
        SuiteError(
          .unwatched,
          "The folder can't be watched, so changes of others are looked for twice a second",
          path: file.folder, error))
      poll()
    }
  }

  /// Takes in what others did; returns whether there was anything, or at least more than what this
  /// process wrote itself.
  private func notice() -> Bool {
    // First, so that a writer who is in the way finds it when it gives its lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    return lookIfOverdue()
  }

  func lookAtFile() {
    state.withLock { $0.mustCheckFile = true }
    takeIn()
  }

  private func poll() {
    inBackground(after: Self.pollInterval) {
      $0.lookAtFile()
      $0.poll()
    }
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
    let (journal, offset) = state.withLock { state in
      (state.header == nil ? nil : state.journal, state.offset)
    }
    if let journal, let size = try journal.sizeInPlace(), size >= offset,
      try journal.prefix(at: offset) == 0
    {
      return
    }
    if mustLock(after: table.writer.withLock { _ in look() }) { try takeInLocked() }
  }

  /// Takes in what others did, if that is overdue; returns whether there was news. Not while
  /// somebody writes here, who will do it then: the watcher's thread waits for nobody.
  func lookIfOverdue() -> Bool {
    var look: Look?
    _ = table.writer.withLockIfFree(attempts: 1) { _ in
      guard isOverdue.exchange(false, ordering: .sequentiallyConsistent) else { return }
      look = self.look()
    }
    guard let look else { return false }
    if mustLock(after: look) {
      attempt { () throws(SuiteError) in try takeInLocked() }
    } else {
      table.support.deliverExternal()
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
      if state.mustCheckFile, let present = try? FileBase(file.status()) {
        state.mustCheckFile = !state.knows(present)
      }
      guard let journal = state.journal, state.header != nil, !state.mustCheckFile else {
        return result
      }
      // Reading first saves asking how much there is: mostly it is one record.
      let offset = state.offset
      let limit = offset + Self.glance
      guard let bytes = try? journal.bytes(from: offset, to: limit) else { return result }
      if bytes.withUnsafeBytes({ JournalRoom.isEmpty($0) }) {
        let size = try? journal.sizeInPlace()
        result.mustLock = (size ?? 0) < offset
      } else {
        let isComplete = try? takeIn(journal, bytes, &state, isLocked: false)
        result.mustLock = isComplete != true || state.offset == limit
      }
      result.isNews = state.offset != offset
      return result
    }
  }

  /// Takes in what others did, with the journal's lock, or without where this user can't have it.
  private func takeInLocked() throws(SuiteError) {
    if state.withLock({ $0.lacksRights }) {
      try table.writer.withLock { _ throws(SuiteError) in
        try state.withLock { state throws(SuiteError) in
          defer {
            table.support.reportLater(state.problems)
            state.problems = []
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
  /// look.
  private func mustLock(after look: Look) -> Bool {
    guard look.mustLock else { return false }
    let files = places.journal.fileSystem
    let isThere = (try? files.statusIfPresent(of: places.journal.path)) != nil
    return state.withLock { isThere || $0.journal != nil || $0.mustCheckFile }
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
