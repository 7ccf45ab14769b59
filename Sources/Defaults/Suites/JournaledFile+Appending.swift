import Foundation

/// Taking the lock, appending to the journal, and giving the lock back.
extension Defaults.JournaledFile {
  func begin(for suite: Defaults.StoredSuite) -> Bool {
    state.withLock { state in
      var mustDeliver = false
      do throws(Defaults.SuiteError) {
        try lockJournal(&state, suite, &mustDeliver)
        state.isLocked = true
      } catch {
        state.fail(error)
      }
      do throws(Defaults.SuiteError) {
        if state.isLocked, state.mustCheckFile { try mergeFile(&state, suite, &mustDeliver) }
      } catch {
        // The journal takes changes all the same.
        state.problems.append(error)
      }
      return mustDeliver
    }
  }

  func record(_ edits: [EntryEdit], for suite: Defaults.StoredSuite) {
    state.withLock { append(edits, .changes, &$0, suite) }
  }

  func end(for suite: Defaults.StoredSuite) -> [Defaults.SuiteError] {
    let (problems, delay) = state.withLock { state in
      if state.isLocked { try? state.journal?.file.unlock() }
      state.isLocked = false
      defer { state.problems = [] }
      return (state.problems, nextDelay(&state))
    }
    if let delay { schedule(after: delay, for: suite) }
    return problems
  }

  /// Runs the body with the journal's lock and everything that others did. Throws what prevents
  /// that, and what the body throws.
  func withJournal<Result>(
    of suite: Defaults.StoredSuite,
    _ body: (inout State) throws(Defaults.SuiteError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    var aftermath = Defaults.StoredSuite.Aftermath()
    defer { suite.conclude(aftermath) }
    return try withJournal(of: suite, leaving: &aftermath, body)
  }

  /// The same for a caller who holds a lock, and concludes the aftermath when it doesn't anymore.
  func withJournal<Result>(
    of suite: Defaults.StoredSuite, leaving aftermath: inout Defaults.StoredSuite.Aftermath,
    _ body: (inout State) throws(Defaults.SuiteError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    try suite.exclusively(leaving: &aftermath) { () throws(Defaults.SuiteError) in
      let result = try state.withLock { state throws(Defaults.SuiteError) in
        guard state.isLocked else { throw state.problems.popLast() ?? unreachable }
        return try body(&state)
      }
      return (result, false)
    }
  }

  /// Appends what couldn't be appended when it was set; returns the journal that has everything,
  /// and where that ends.
  func storeBacklog(
    of suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) -> (journal: Defaults.JournalFile, end: Int) {
    try withJournal(of: suite) { state throws(Defaults.SuiteError) in
      try storeBacklog(&state, suite)
      guard let journal = state.journal else { throw unreachable }
      return (journal, state.offset)
    }
  }

  func storeBacklog(
    _ state: inout State, _ suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) {
    guard !state.backlog.isEmpty else { return }
    append([], .changes, &state, suite)
    guard state.backlog.isEmpty else { throw state.problems.popLast() ?? unreachable }
  }

  /// What is thrown where nothing more is known.
  private var unreachable: Defaults.SuiteError {
    Defaults.SuiteError(.locked, "The journal can't be locked", path: journalPlace.path)
  }

  /// Appends a record with these edits, and those that are waiting. What can't be appended waits.
  func append(
    _ edits: [EntryEdit], _ kind: Defaults.JournalRecord.Kind, _ state: inout State,
    _ suite: Defaults.StoredSuite
  ) {
    if state.sinceSnapshot != nil { state.sinceSnapshot?.formUnion(edits.map(\.name)) }
    if state.isLocked, let journal = state.journal, let header = state.header {
      let record = Defaults.JournalRecord(
        kind: kind, writer: state.writer, durable: state.durable,
        changes: changes(edits, state, suite))
      state.encoder.encode(record, journal: header.id)
      do throws(POSIXError) {
        try write(state.encoder.bytes, to: journal, &state)
        state.history.apply(record)
        state.backlog = [:]
        state.hasDuty = true
        if state.failures > 0 { state.recover(suite) }
        return
      } catch {
        // Half a record ends the journal for its readers; if it can't be cut off now, the next
        // writer does it.
        try? journal.file.truncate(to: state.offset)
        state.size = state.offset
        state.fail(
          Defaults.SuiteError(
            .unwritable, "The change is in memory only, and will be stored when that works again",
            path: journalPlace.path, error))
      }
    }
    for edit in edits where state.backlog[edit.name] == nil {
      state.backlog[edit.name] = Defaults.Edit(entry: edit.old)
    }
  }

  /// Writes a record into the room behind the last one, or with new room. After a record of
  /// somebody else the journal becomes larger, which is how its writer notices.
  private func write(
    _ record: UnsafeRawBufferPointer, to journal: Defaults.JournalFile, _ state: inout State
  ) throws(POSIXError) {
    let end = state.offset + record.count
    if state.history.lastWriter != state.writer {
      try journal.file.truncate(to: state.size + 1)
      state.size += 1
    }
    if end <= state.size {
      try journal.file.writeAll(record, at: state.offset)
    } else {
      state.size = try journal.file.writeAll(record, withRoomAt: state.offset)
    }
    state.offset = end
  }

  private func changes(
    _ edits: [EntryEdit], _ state: State, _ suite: Defaults.StoredSuite
  ) -> [Defaults.JournalRecord.Change] {
    var changes = edits.map { edit in
      Defaults.JournalRecord.Change(
        name: edit.name, edit: edit.edit,
        previous: state.history.has(edit.name)
          ? nil : state.backlog[edit.name] ?? Defaults.Edit(entry: edit.old))
    }
    guard !state.backlog.isEmpty else { return changes }
    let names = Set(edits.map(\.name))
    for (name, filed) in state.backlog where !names.contains(name) {
      changes.append(
        .init(
          name: name, edit: Defaults.Edit(entry: suite.entry(named: name)),
          previous: state.history.has(name) ? nil : filed))
    }
    return changes
  }
}

extension Defaults.JournaledFile.State {
  /// Notes what went wrong, for the time when no lock is held.
  mutating func fail(_ problem: Defaults.SuiteError) {
    problems.append(problem)
    failures += 1
    if problem.code != .locked, health == .intact { health = .readOnly }
  }

  /// It works again.
  mutating func recover(_ suite: Defaults.StoredSuite) {
    failures = 0
    if health == .readOnly { health = .intact }
    suite.support.forgetIssues(about: nil)
  }
}
