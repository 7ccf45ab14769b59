import Foundation

/// Putting changes into the journal, or into the backlog where that can't be written.
extension JournaledFile {
  /// Records the changes of the commit that is being made.
  func record(_ changes: [EntryTable.Change], _ state: inout State) throws(SuiteError) {
    guard let turn = state.turn else { return }
    try checkSize(of: changes)
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
      throw SuiteError(
        .unwritable,
        "The journal has grown to \(start >> 20) MiB, since the file couldn't be saved for long. "
          + "Changes are in memory only until it can; see the other issues for the reason",
        path: places.journal.path)
    }
    do throws(POSIXError) {
      try state.journal.write(bytes, to: journal, isLastOurs: state.isLastOurs)
    } catch {
      // Half a record ends the journal for its readers; if it can't be taken away now, the next
      // writer does it.
      try? journal.empty(from: start, to: state.journal.size)
      throw SuiteError(
        .unwritable, "The change is in memory only, and will be stored when that works again",
        path: places.journal.path, error)
    }
    state.history.apply(record, end: state.journal.offset, before: before)
    state.snapshots.hasDuty = true
  }

  /// Notes in the locked journal that another one is about to take its place. Who comes to this one
  /// later doesn't restore what was in it, for there is newer.
  func succeed(_ state: inout State) { try? append(.succeeded, [], &state) }

  /// Throws if the suite would become too large by these changes.
  ///
  /// - Complexity: O(*n*) in the size of the changes, whatever else the suite has.
  private func checkSize(of changes: [EntryTable.Change]) throws(SuiteError) {
    var size = table.size
    for change in changes {
      if let value = change.old { size -= Entries.size(of: value, named: change.name) }
      if let value = change.new { size += Entries.size(of: value, named: change.name) }
    }
    let limit = Defaults.SizeLimit.suite
    guard size > limit else { return }
    throw SuiteError(
      .unrepresentable,
      "All entries together would take \(size >> 20) MiB, and a suite keeps \(limit >> 20). Remove "
        + "some, or keep large values in files of their own",
      path: file.path)
  }
}
