import Foundation

/// Beginning a new journal on a file that was just written.
extension JournaledFile {
  /// What others can't know from the new file and the journal before it.
  func changes(since plan: Plan, _ state: State) -> [JournalRecord.Change] {
    (state.sinceSnapshot ?? []).sorted().map { name in
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

  /// Begins a new journal on the file that was just written, with what changed meanwhile.
  func replaceJournal(_ old: JournalFile, _ plan: Plan) throws(SuiteError) {
    let (id, base) = state.withLock { ($0.header?.id ?? 0, $0.history.base) }
    let header = JournalHeader(id: .random(in: 1 ... .max), previous: id, base: base)
    let encoder = JournalEncoder()
    let start = JournalEncoder.headerSize
    var (bytes, last): ([UInt8], JournalMark?) = ([], nil)
    var filed: [(record: JournalRecord, end: Int)] = []
    for record in filedRecords(plan) {
      encoder.encode(record, journal: header.id)
      last = JournalMark(offset: start + bytes.count, prefix: encoder.prefix)
      bytes += encoder.bytes
      filed.append((record, start + bytes.count))
    }
    let end = start + bytes.count
    let new = try Forking.pause { () throws(SuiteError) in
      try reaching { () throws(POSIXError) in
        let new = try journalPlace.temporary()
        _ = try bytes.withUnsafeBytes { bytes in
          Result { () throws(POSIXError) in try new.file.writeAll(bytes, withRoomAt: start) }
        }.get()
        encoder.encode(header)
        try new.file.writeAll(encoder.bytes, at: 0)
        try new.file.takeAttributes(
          of: try file.fileSystem.statusIfPresent(of: file.path), forJournal: true)
        try new.file.synchronize()
        return new
      }
    }
    let journal = try withJournal(.compacting) {
      state throws(SuiteError) -> (journal: JournalFile, end: Int)? in
      guard state.journal === old, state.revision == plan.revision else { return nil }
      let tail = JournalRecord(
        kind: .changes, writer: state.writer, durable: end,
        changes: changes(since: plan, state))
      succeed(&state)
      let journal = try reaching { () throws(POSIXError) in
        if !tail.changes.isEmpty {
          state.encoder.encode(tail, journal: header.id)
          try new.file.writeAll(state.encoder.bytes, at: end)
          try new.file.synchronizeContent()
        }
        try new.rename(to: journalPlace.path)
        return try JournalFile(new.file, isWritable: true, isLocked: true)
      }
      // Whoever waits for the old one finds that it was replaced. The lock of the new one was taken
      // when it was made, and is given back at the end of this commit.
      state.follow(header, in: journal)
      old.lock.giveBack()
      state.backlog = Backlog()
      ExitFlush.release(table)
      state.offset = end
      state.last = last
      for (record, end) in filed { state.history.apply(record, end: end) }
      if !tail.changes.isEmpty {
        state.last = JournalMark(offset: end, prefix: state.encoder.prefix)
        state.offset += state.encoder.bytes.count
        state.history.apply(tail, end: state.offset)
      }
      state.size = state.offset
      state.isRoomKnown = true
      state.hasDuty = !tail.changes.isEmpty
      if state.failures + state.failedSnapshots > 0 || state.health == .readOnly {
        recover(&state)
      }
      state.failedSnapshots = 0
      return (journal, state.offset)
    }
    guard let journal else { return }
    try makeDurable(journal.journal, to: journal.end)
    state.withLock { $0.durability.believe(failures: plan.failures) }
  }
}
