import Foundation

/// Beginning a new journal on a file that was just written.
extension JournaledFile {
  /// What a snapshot is to hold, and on what it builds.
  struct Plan {
    let entries: [String: PropertyListValue]
    /// How many syncs had failed.
    let failures: Int
    var revision: Int
    /// Whether another process has announced a snapshot that isn't done.
    let isRivalled: Bool
  }

  /// What others can't know from the new file and the journal before it.
  func changes(since plan: Plan, _ state: State) -> [JournalRecord.Change] {
    (state.snapshots.changed ?? []).inByteOrder.map { name in
      .init(
        name: name, edit: Edit(entry: table.entry(named: name)),
        previous: Edit(entry: plan.entries[name]),
        mark: state.backlog.mark(of: name) ?? state.history[name]?.mark ?? 0)
    }
  }

  /// What the files before had, the oldest first, for whoever writes a file that he read then; not
  /// of all of them if that is much.
  private func filedRecords(_ plan: Plan) -> [JournalRecord] {
    let (generations, writer) = state.withLock { ($0.history.generations, $0.writer) }
    var size = 0
    var records: [JournalRecord] = []
    for difference in generations.differences.reversed() {
      let changes = difference.map { name, previous in
        let edit = Edit(entry: plan.entries[name])
        size +=
          name.utf8.count + (edit.entry?.encodedSize ?? 0) + (previous.entry?.encodedSize ?? 0)
        return JournalRecord.Change(name: name, edit: edit, previous: previous)
      }
      guard size <= (records.isEmpty ? 1 << 16 : 1 << 14) else { break }
      records.append(.init(kind: .filed, writer: writer, durable: 0, changes: changes))
    }
    return records.reversed()
  }

  /// A journal that is to take the place of another one.
  struct Successor {
    let file: TemporaryFile
    let start: JournalStart
  }

  /// Begins a new journal on the file that was just written, beside the present one.
  func makeSuccessor(_ plan: Plan) throws(SuiteError) -> Successor {
    let (id, base) = state.withLock { ($0.journal.header?.id ?? 0, $0.history.base) }
    let header = JournalHeader(id: .random(in: 1 ... .max), previous: id, base: base)
    let records = filedRecords(plan)
    return try reaching { () throws(POSIXError) in
      let new = try places.journal.temporary()
      let start = try new.file.begin(header, with: records)
      let fileSystem = file.fileSystem
      try new.file.takePermissions(
        of: try fileSystem.permissionsIfPresent(of: file.path), forJournal: true)
      try new.file.takeAttributes(of: places.journal.path, on: fileSystem)
      try new.file.synchronize()
      return Successor(file: new, start: start)
    }
  }

  /// Puts a new journal in the place of the old one, with what changed meanwhile; returns the new
  /// one, or nil if somebody else has replaced the old one or the file.
  func replaceJournal(
    _ old: JournalFile, with new: Successor, _ plan: Plan, _ state: inout State
  ) throws(SuiteError) -> JournalFile? {
    guard state.journal.file === old, state.file.revision == plan.revision else { return nil }
    let (file, start) = (new.file.file, new.start)
    let tail = JournalRecord(
      kind: .changes, writer: state.writer, durable: start.end, changes: changes(since: plan, state)
    )
    succeed(&state)
    var mark: LogMark?
    var end = start.end
    let journal = try reaching { () throws(POSIXError) in
      if !tail.changes.isEmpty {
        let bytes = state.encoder.encode(tail, journal: start.header.id)
        mark = LogMark(of: bytes, at: end)
        try file.writeAll(bytes, at: end)
        try file.synchronizeContent()
        end += bytes.count
      }
      try new.file.rename(to: places.journal.path)
      return try JournalFile(file, at: places.journal, isWritable: true, isLocked: true)
    }
    // Whoever waits for the old one finds that it was replaced. The lock of the new one was taken
    // when it was made, and is given back at the end of this commit.
    state.follow(start, in: journal)
    old.lock.giveBack()
    state.backlog = Backlog()
    ExitFlush.release(table)
    if let mark {
      state.journal.advance(to: end, mark)
      state.journal.size = max(state.journal.size, end)
      state.history.apply(tail, end: end)
    }
    state.snapshots.hasDuty = mark != nil
    if state.trouble.failures + state.snapshots.failures > 0 || state.trouble.health == .readOnly {
      recover(&state)
    }
    state.snapshots.failures = 0
    return journal
  }
}
