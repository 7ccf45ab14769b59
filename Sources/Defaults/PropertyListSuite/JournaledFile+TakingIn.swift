import Foundation

/// Taking in what others appended to the journal.
extension Defaults.JournaledFile {
  /// Takes in what others did, waiting for a transaction that is running.
  func takeIn() {
    attempt { () throws(Defaults.SuiteError) in
      if mustLock(after: table.writer.withLock { _ in look() }) { try takeInLocked() }
    }
  }

  func refresh() throws(Defaults.SuiteError) {
    defer { takeInIfOverdue() }
    let hasNews = try reaching { () throws(POSIXError) -> Bool in
      let (journal, offset) = state.withLock { state in
        (state.header == nil ? nil : state.journal, state.offset)
      }
      guard let journal,
        let extent = try journalPlace.fileSystem.extent(of: journalPlace.path),
        extent.isOf(journal.version), extent.size >= offset
      else { return true }
      return try journal.prefix(at: offset) != 0
    }
    guard hasNews else { return }
    if mustLock(after: table.writer.withLock { _ in look() }) { try takeInLocked() }
  }

  /// Takes in what others did while the writer lock was held here; no lock is.
  func takeInIfOverdue() {
    if isOverdue.load(ordering: .sequentiallyConsistent) { _ = lookIfOverdue() }
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
      attempt { () throws(Defaults.SuiteError) in try takeInLocked() }
    } else {
      table.support.deliver()
    }
    return look.isNews || look.mustLock
  }

  /// Takes in what others did since the files were read, unless that takes the journal's lock;
  /// returns whether it does.
  func mustLookCloser() -> Bool {
    defer { table.support.deliver() }
    return mustLock(after: table.writer.withLock { _ in look() })
  }

  /// What a look at the journal gave.
  private struct Look {
    var isNews = false
    /// Whether it takes the lock to know more.
    var mustLock = false
  }

  /// How many bytes are read at a glance.
  private static let glance = 4_096

  /// Takes in what others appended, without the journal's lock where that does; the writer lock is
  /// held.
  private func look() -> Look {
    state.withLock { state in
      var result = Look(mustLock: true)
      state.mustCheckFile = state.mustCheckFile && isForeign(state)
      guard let journal = state.journal, state.header != nil, !state.mustCheckFile else {
        return result
      }
      // Reading first saves asking how much there is: mostly it is one record.
      let offset = state.offset
      let limit = offset + Self.glance
      guard let bytes = try? journal.bytes(from: offset, to: limit) else { return result }
      if bytes.withUnsafeBytes({ Defaults.JournalRoom.isEmpty($0) }) {
        let extent = try? extentInPlace(of: journal)
        result.mustLock = (extent?.size ?? 0) < offset
      } else {
        let isComplete = try? takeIn(journal, bytes, &state, isLocked: false)
        result.mustLock = isComplete != true || state.offset == limit
      }
      result.isNews = state.offset != offset
      return result
    }
  }

  /// Takes in what others did, with the journal's lock, or without where this user can't have it.
  private func takeInLocked() throws(Defaults.SuiteError) {
    if state.withLock({ $0.lacksRights }) {
      try table.writer.withLock { _ throws(Defaults.SuiteError) in
        try state.withLock { state throws(Defaults.SuiteError) in try reload(&state) }
      }
    } else {
      // Also while there is no room for what waits in memory.
      try withJournal(.compacting) { _ throws(Defaults.SuiteError) in }
    }
  }

  /// Whether a look has to be followed by one under the journal's lock. Nothing is made just to
  /// look.
  private func mustLock(after look: Look) -> Bool {
    guard look.mustLock else { return false }
    let files = journalPlace.fileSystem
    let isThere = (try? files.statusIfPresent(of: journalPlace.path)) != nil
    return state.withLock { isThere || $0.journal != nil || $0.mustCheckFile }
  }

  /// Whether the file isn't one that the journal builds on, nor the damaged one that is known.
  private func isForeign(_ state: State) -> Bool {
    guard let present = try? file.status().map({ Defaults.FileBase($0) }) ?? .absent else {
      return true
    }
    return !state.history.isKnown(present)
      && (state.damaged == nil || state.damaged != present.version)
  }

  /// Takes in the bytes that are behind the offset of the journal. Without the lock, the end may
  /// be half a record: false says that a second look is needed, with the lock.
  @discardableResult
  func takeIn(
    _ journal: Defaults.JournalFile, _ bytes: [UInt8], _ state: inout State, isLocked: Bool
  ) throws(Defaults.SuiteError) -> Bool {
    guard let header = state.header else { return false }
    let offset = state.offset
    let scan = bytes.withUnsafeBytes {
      Defaults.JournalScan($0, from: offset, journal: header.id)
    }
    let isDamaged = !scan.skipped.isEmpty || scan.hasTail
    if isDamaged, !isLocked { return false }
    if !scan.skipped.isEmpty || scan.hasLaterRecords {
      try setAside(journal, &state)
      state.problems += scan.problems(at: journalPlace.path)
    }
    var mustReload = false
    for (record, end) in zip(scan.records, scan.ends) {
      // Where a damaged file was replaced, it says more than the journal.
      if case .edited = record.kind, record.changes.isEmpty { mustReload = true }
      take(record, end: end, &state)
    }
    state.offset = scan.end
    state.last = scan.last ?? state.last
    if scan.hasNewerRecord { throw .newerJournal(at: journalPlace.path) }
    if scan.hasTail {
      // On the disk before anything is appended: what was cut off must not come back behind it.
      try reaching { () throws(POSIXError) in try journal.empty(from: scan.end, to: state.size) }
      try synchronizing(&state) { () throws(POSIXError) in
        try journal.file.synchronizeContent()
      }
    }
    if isLocked { state.isRoomKnown = true }
    if mustReload { try reload(&state) }
    return true
  }

  /// Takes in a record that somebody else wrote, but for entries that were set here since.
  private func take(
    _ record: Defaults.JournalRecord, end: Int, _ state: inout State
  ) {
    var before: [String: Defaults.Edit] = [:]
    if case .edited = record.kind {
      for change in record.changes where !state.history.has(change.name) {
        before[change.name] = Defaults.Edit(entry: table.entry(named: change.name))
      }
    }
    state.history.apply(record, end: end, before: before)
    if case .snapshot = record.kind { state.announcer = record.writer }
    switch record.kind {
    case .snapshot: state.revision += 1
    case .edited:
      state.revision += 1
      state.unsure = []
    case .changes, .restored, .filed, .succeeded: break
    }
    if record.kind == .filed { return }
    var edits: [String: Defaults.Edit] = [:]
    for change in record.changes {
      let isLost = record.kind == .restored
      guard
        !state.backlog.outlasts(
          change.name, mark: isLost ? 0 : change.mark,
          lostPosition: isLost ? Int(clamping: change.mark) : nil)
      else { continue }
      state.backlog.remove(change.name)
      edits[change.name] = change.edit
    }
    if state.sinceSnapshot != nil { state.sinceSnapshot?.formUnion(edits.keys) }
    table.commitExternal(edits)
  }
}
