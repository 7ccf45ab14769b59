import Foundation

/// Putting changes into the journal, or into the backlog where that can't be written.
extension JournaledFile {
  /// Records the changes of the commit that is being made.
  func record(_ changes: [EntryTable.Change], _ state: inout State) throws(SuiteError) {
    guard let turn = state.turn else { return }
    try table.checkSize(with: changes, path: file.path)
    state.snapshots.changed?.formUnion(changes.map(\.name))
    // Nothing overtakes what waits.
    if turn.isLocked, state.backlog.isEmpty {
      let records = changes.map { change in
        JournalRecord.Change(
          name: change.name, edit: Edit(entry: change.new),
          previous: state.history.has(change.name) ? nil : Edit(entry: change.old),
          mark: turn.began)
      }
      do throws(SuiteError) {
        try append(.changes, records, &state)
        if state.trouble.failures > 0 { recover(&state) }
        return
      } catch {
        if [.exact, .optional].contains(turn.commitment) { throw error }
        state.trouble.add(error)
      }
    }
    for change in changes {
      state.backlog.add(change.name, filed: Edit(entry: change.old), .set(at: turn.began))
    }
  }

  /// Appends what couldn't be appended when it was set, or was lost; in the order of the commits.
  func storeBacklog(_ state: inout State) throws(SuiteError) {
    for (kind, names) in state.backlog.batches {
      let changes = names.map { name, mark in
        JournalRecord.Change(
          name: name, edit: Edit(entry: table.entry(named: name)),
          previous: state.history.has(name) ? nil : state.backlog.filed(name), mark: mark)
      }
      try append(kind, changes, &state)
      for (name, _) in names { state.backlog.remove(name) }
    }
    recover(&state)
    ExitFlush.release(table)
  }

  /// Appends a record to the locked journal. Throws `unwritable`; the journal is then as it was.
  /// `before`: what the file before had, under names that the journal has nothing about.
  func append(
    _ kind: JournalRecord.Kind, _ changes: [JournalRecord.Change], _ state: inout State,
    before: [String: Edit] = [:]
  ) throws(SuiteError) {
    guard let journal = state.journal.file, let header = state.journal.header else {
      throw SuiteError(.unwritable, SuiteError.journalProblem, path: places.journal.path)
    }
    let record = JournalRecord(
      kind: kind, writer: state.writer, durable: state.journal.durability.end, changes: changes)
    let bytes = state.encoder.encode(record, journal: header.id)
    let start = state.journal.offset
    guard start + bytes.count <= Defaults.SizeLimit.journal else {
      throw .outgrownJournal(places.journal.path, size: start)
    }
    do throws(POSIXError) {
      try state.journal.write(bytes, to: journal, isLastOurs: state.isLastOurs)
    } catch {
      // Half a record ends the journal for its readers; if it can't be taken away now, the next
      // writer does it.
      try? journal.empty(from: start, to: state.journal.size)
      throw .unstoredChange(places.journal.path, error)
    }
    state.history.apply(record, end: state.journal.offset, before: before)
    state.snapshots.hasDuty = true
  }

  /// Notes in the locked journal that another one is about to take its place. Who comes to this one
  /// later doesn't restore what was in it, for there is newer.
  func succeed(_ state: inout State) { try? append(.succeeded, [], &state) }
}
