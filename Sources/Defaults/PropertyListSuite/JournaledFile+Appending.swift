import Foundation

/// Appending to the journal.
extension JournaledFile {
  /// Notes in the locked journal that another one is about to take its place. Who comes to this one
  /// later doesn't restore what was in it, for there is newer.
  func succeed(_ state: inout State) {
    try? append(
      JournalRecord(
        kind: .succeeded, writer: state.writer, durable: state.durability.end, changes: []), &state)
  }

  func record(_ edits: [EntryTable.Change]) throws(SuiteError) {
    try state.withLock { state throws(SuiteError) in
      guard let turn = state.turn else { return }
      try checkSize(of: edits, state)
      if state.sinceSnapshot != nil { state.sinceSnapshot?.formUnion(edits.map(\.name)) }
      // Nothing overtakes what waits.
      if turn.isLocked, state.backlog.isEmpty {
        let record = JournalRecord(
          writer: state.writer, durable: state.durability.end,
          changes: edits.map { edit in
            JournalRecord.Change(
              name: edit.name, edit: edit.edit,
              previous: state.history.has(edit.name) ? nil : Edit(entry: edit.old),
              mark: turn.began)
          })
        do throws(SuiteError) {
          try append(record, &state)
          if state.failures > 0 { recover(&state) }
          return
        } catch {
          if [.exact, .optional].contains(turn.commitment) { throw error }
          state.fail(error)
        }
      }
      for edit in edits {
        state.backlog.add(edit.name, filed: Edit(entry: edit.old), .set(at: turn.began))
      }
    }
  }

  /// Appends what couldn't be appended when it was set, or was lost; in the order of the commits.
  func storeBacklog(_ state: inout State) throws(SuiteError) {
    guard !state.backlog.isEmpty else { return }
    for (kind, names) in state.backlog.batches {
      let record = JournalRecord(
        kind: kind, writer: state.writer, durable: state.durability.end,
        changes: names.map { name, mark in
          JournalRecord.Change(
            name: name, edit: Edit(entry: table.entry(named: name)),
            previous: state.history.has(name) ? nil : state.backlog.filed(name), mark: mark)
        })
      try append(record, &state)
      for (name, _) in names { state.backlog.remove(name) }
    }
    recover(&state)
    ExitFlush.release(table)
  }

  /// Appends a record to the locked journal. Throws `unwritable`; the journal is then as it was.
  /// `before`: what the file before had, under names that the journal has nothing about.
  func append(
    _ record: JournalRecord, _ state: inout State,
    before: [String: Edit] = [:]
  ) throws(SuiteError) {
    guard let journal = state.journal, let header = state.header else {
      throw SuiteError(.unwritable, Self.problem, path: journalPlace.path)
    }
    state.encoder.encode(record, journal: header.id)
    let start = state.offset
    guard start + state.encoder.bytes.count <= Defaults.SizeLimit.journal else {
      throw SuiteError(
        .unwritable,
        "The journal has grown to \(start >> 20) MiB, since the file couldn't be saved for long. "
          + "Changes are in memory only until it can; see the other issues for the reason",
        path: journalPlace.path)
    }
    do throws(POSIXError) {
      try write(state.encoder.bytes, to: journal, &state)
    } catch {
      // Half a record ends the journal for its readers; if it can't be taken away now, the next
      // writer does it.
      try? journal.empty(from: start, to: state.size)
      throw SuiteError(
        .unwritable, "The change is in memory only, and will be stored when that works again",
        path: journalPlace.path, error)
    }
    state.last = JournalMark(offset: start, prefix: state.encoder.prefix)
    state.history.apply(record, end: state.offset, before: before)
    state.hasDuty = true
  }

  /// Writes a record into the room behind the last one, or with new room. After a record of
  /// somebody else the journal becomes larger, which is how its writer notices.
  private func write(
    _ record: UnsafeRawBufferPointer, to journal: JournalFile, _ state: inout State
  ) throws(POSIXError) {
    let end = state.offset + record.count
    if state.history.lastWriter != state.writer {
      try journal.file.truncate(to: state.size + 1)
      state.size += 1
    }
    do throws(POSIXError) {
      if end <= state.size {
        try journal.file.writeAll(record, at: state.offset)
      } else {
        state.size = try journal.file.writeAll(record, withRoomAt: state.offset)
      }
    } catch {
      // If all that is missing are zeros, and there is room, others may have read the record.
      guard let written = try? journal.bytes(from: state.offset, to: end),
        written.elementsEqual(record)
      else { throw error }
      state.size = max(state.size, end)
    }
    state.offset = end
  }
}

// MARK: - Sizes

extension JournaledFile {
  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try requireWritable()
    try format.validate(value, named: name)
    guard name.utf8.count + value.encodedSize <= Defaults.SizeLimit.value else {
      throw SuiteError(
        .unrepresentable,
        "The value takes more than \(Defaults.SizeLimit.value >> 20) MiB, which is the most that a "
          + "suite keeps. Keep it in a file of its own, and store its path",
        path: file.path)
    }
  }

  /// Throws if the suite would become too large by these edits. What the files take bounds what the
  /// entries do, so that these are hardly ever counted.
  private func checkSize(of edits: [EntryTable.Change], _ state: State) throws(SuiteError) {
    var growth = 0
    for edit in edits {
      if let value = edit.edit.entry { growth += edit.name.utf8.count + value.encodedSize }
    }
    let limit = Defaults.SizeLimit.suite
    // The backlog may have anything.
    let known = state.offset + (state.history.base.version?.size ?? 0)
    guard 8 * (known + growth) > limit || !state.backlog.isEmpty && growth > limit >> 10 else {
      return
    }
    var size = growth
    let names = Set(edits.map(\.name))
    for (name, value) in table.entries where !names.contains(name) {
      size += name.utf8.count + value.encodedSize
    }
    guard size > limit else { return }
    throw SuiteError(
      .unrepresentable,
      "All entries together would take \(size >> 20) MiB, and a suite keeps \(limit >> 20). Remove "
        + "some, or keep large values in files of their own",
      path: file.path)
  }
}
