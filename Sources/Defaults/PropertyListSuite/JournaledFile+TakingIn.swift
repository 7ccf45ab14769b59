import Foundation

/// Taking in what others appended to the journal.
extension JournaledFile {
  /// Takes in the bytes that are behind the offset of the journal. Without the lock, the end may
  /// be half a record: false says that a second look is needed, with the lock.
  @discardableResult
  func takeIn(
    _ journal: JournalFile, _ bytes: [UInt8], _ state: inout State, isLocked: Bool
  ) throws(Defaults.SuiteError) -> Bool {
    guard let header = state.journal.header else { return false }
    let offset = state.journal.offset
    let scan = bytes.withUnsafeBytes {
      JournalScan($0, from: offset, journal: header.id)
    }
    let isDamaged = !scan.skipped.isEmpty || scan.hasTail
    if isDamaged, !isLocked { return false }
    if !scan.skipped.isEmpty || scan.hasLaterRecords {
      try setAside(journal, &state)
      state.trouble.problems += scan.problems(at: places.journal.path)
    }
    var mustReload = false
    for (record, end) in zip(scan.records, scan.ends) {
      // Where a damaged file was replaced, it says more than the journal.
      if case .edited = record.kind, record.changes.isEmpty { mustReload = true }
      take(record, end: end, &state)
    }
    state.journal.advance(to: scan.end, scan.last)
    if scan.hasNewerRecord { throw .newerJournal(at: places.journal.path) }
    if scan.hasTail {
      // On the disk before anything is appended: what was cut off must not come back behind it.
      try journal.empty(from: scan.end, to: state.journal.size)
      do throws(POSIXError) {
        try journal.file.synchronizeContent()
      } catch {
        state.journal.durability.doubt()
        throw .unsyncedJournal(places.journal.path, error)
      }
    }
    if isLocked { state.journal.isRoomKnown = true }
    if mustReload { try reload(&state) }
    return true
  }

  /// Takes in a record that somebody else wrote, but for entries that were set here since.
  private func take(_ record: JournalRecord, end: Int, _ state: inout State) {
    var before: [String: Edit] = [:]
    if case .edited = record.kind {
      for change in record.changes where !state.history.has(change.name) {
        before[change.name] = Edit(entry: table.entry(named: change.name))
      }
    }
    state.history.apply(record, end: end, before: before)
    if case .snapshot = record.kind { state.snapshots.announcer = record.writer }
    switch record.kind {
    case .snapshot: state.file.revision += 1
    case .edited:
      state.file.revision += 1
      state.file.unsure = []
    case .changes, .restored, .filed, .succeeded: break
    }
    if record.kind == .filed { return }
    var edits: [String: Edit] = [:]
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
    state.snapshots.changed?.formUnion(edits.keys)
    table.commitExternal(edits)
  }

  /// Keeps a copy of a damaged journal.
  func setAside(_ journal: JournalFile, _ state: inout State) throws(SuiteError) {
    guard let content = try places.journal.read(), content.version.isSameFile(as: journal.version)
    else { return }
    _ = try places.journal.setAside(content, asCopy: true)
  }
}
