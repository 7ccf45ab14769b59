import Foundation

/// Writing the file anew, after which a new journal begins.
///
/// The order is what makes every instant safe: the new file is on the disk before the journal
/// announces it, the announcement is on the disk before the file has its name, the name is on the
/// disk before a new journal builds on it, and what others appended meanwhile is on the disk before
/// the new journal has its name. No lock is held while anything of the suite's size is read,
/// encoded or written.
extension JournaledFile {
  private struct Present {
    let content: StoredFile.Content
    let isSound: Bool
  }

  /// Writes what the journal has into the file, and begins a new journal; does nothing if the file
  /// has everything. Others may be quicker: then theirs is as good.
  ///
  /// Waits so long for each of the few times that it needs the journal's lock; without a time, as
  /// long as everything that is made on what is committed.
  ///
  /// Handlers are told by the caller: one of them may ask for a snapshot, or end the process.
  func snapshot(within patience: Duration? = nil) throws(SuiteError) {
    try whileNobodyElse(within: patience) { () throws(SuiteError) in
      // Nobody may be watching.
      let mayBeNeeded = state.withLock { state in
        let hasFiles =
          state.journal.file != nil || state.journal.header != nil || state.file.damaged != nil
          || state.snapshots.mustRewrite
        if hasFiles { state.file.mustCheck = true }
        return hasFiles || !state.backlog.isEmpty
      }
      guard mayBeNeeded else { return }
      // Two that announce in turns would never finish: the second one waits, unless the first one
      // seems to have died. Where a test says what happens when, nobody is at work meanwhile.
      var rounds = isAutomatic ? 20 : 0
      var bases: [FileBase] = []
      for _ in 0..<40 {
        defer {
          table.release()
          state.withLock { $0.snapshots.changed = nil }
        }
        let outcome = try attemptSnapshot(within: patience, isPatient: rounds > 0)
        switch outcome {
        case .done: return
        case .overtaken: break
        case .rivalled:
          rounds -= 1
          usleep(.random(in: 5_000...15_000))
        }
        if isFiledByOthers(&bases) { return }
      }
      throw SuiteError(
        .unwritable, "Others replace the file all the time, so it lags behind. It is tried again",
        path: file.path)
    }
  }

  /// Whether others have written the file so often meanwhile that it has what this snapshot is for.
  /// `bases`: the files that the journals were begun on which this one has seen. Of three behind the
  /// first, the last was planned after the second was announced, and that was after this began.
  private func isFiledByOthers(_ bases: inout [FileBase]) -> Bool {
    state.withLock { state in
      if let base = state.journal.header?.base, !bases.contains(base) { bases.append(base) }
      return bases.count > 3 && state.backlog.isEmpty && !state.mustWriteFile
    }
  }

  /// Writes the file anew, in the format that the suite was opened with.
  func rewrite() throws(SuiteError) {
    state.withLock { $0.snapshots.mustRewrite = true }
    try snapshot()
  }

  /// Runs the body when no other thread writes a snapshot; throws `locked` if one doesn't end in
  /// time.
  private func whileNobodyElse(
    within patience: Duration?, _ body: () throws(SuiteError) -> Void
  ) throws(SuiteError) {
    guard let patience else {
      return try snapshotting.withLock { _ throws(SuiteError) in try body() }
    }
    var outcome: Result<Void, SuiteError> = .success(())
    let milliseconds = max(1, Int(patience / .milliseconds(1)))
    let isFree = snapshotting.withLockIfFree(attempts: milliseconds) { _ in
      outcome = Result { () throws(SuiteError) in try body() }
    }
    guard isFree else {
      throw SuiteError(
        .locked, "Another thread writes the file, and waits for another process", path: file.path)
    }
    try outcome.get()
  }

  private enum Outcome {
    case done
    /// Somebody else wrote the file meanwhile.
    case overtaken
    /// Somebody else is at it.
    case rivalled
  }

  private func attemptSnapshot(
    within patience: Duration?, isPatient: Bool
  ) throws(SuiteError) -> Outcome {
    let start = ContinuousClock.now
    let plan = try withJournal(.compacting, within: patience) { state throws(SuiteError) in
      try self.plan(&state)
    }
    guard let plan else { return .done }
    if plan.isRivalled, isPatient { return .rivalled }
    guard try write(plan) else { return .overtaken }
    state.withLock { $0.snapshots.schedule.cost = ContinuousClock.now - start }
    return .done
  }

  /// What is to be written; nil if nothing is.
  private func plan(_ state: inout State) throws(SuiteError) -> Plan? {
    guard !state.history.isEmpty || state.mustWriteFile else { return nil }
    // What waits in memory is in the new file, and no record has told others of it.
    state.snapshots.changed = Set(state.backlog.names)
    let base = state.history.base
    return Plan(
      entries: table.hold(), failures: state.journal.durability.failures,
      revision: state.file.revision,
      isRivalled: base.version != nil && base.changed == nil
        && state.snapshots.announcer != state.writer)
  }

  /// Does what has to be done; false if somebody else wrote the file meanwhile.
  private func write(_ plan: Plan) throws(SuiteError) -> Bool {
    var plan = plan
    let present = try file.read().map { content in
      Present(
        content: content,
        isSound: (try? Defaults.PropertyListFormat.decode(content.data)) != nil)
    }
    if let present, !present.isSound, onDamage == .throw {
      throw SuiteError(
        .malformed, "The file is damaged, and isn't saved before it is mended", path: file.path)
    }
    let (data, misfit) = try format.encodeFile(plan.entries, path: file.path)
    let replacement = try withRoom(beside: present) { () throws(SuiteError) in
      try FileReplacement(of: file, with: data)
    }

    // Somebody may have written the file since the plan was made.
    state.withLock { $0.file.mustCheck = true }
    let announced = try withJournal(.compacting) {
      state throws(SuiteError) -> (journal: JournalFile, end: Int)? in
      guard state.file.revision == plan.revision, let journal = state.journal.file else {
        return nil
      }
      guard state.knows(FileBase(present?.content)) else { return nil }
      let base = FileBase(version: replacement.version, changed: nil)
      try append(.snapshot(base), changes(since: plan, state), &state)
      state.file.revision += 1
      state.snapshots.announcer = state.writer
      plan.revision = state.file.revision
      return (journal, state.journal.offset)
    }
    guard let announced else { return false }
    try makeDurable(announced.journal, to: announced.end)

    let isRenamed = try withJournal(.compacting) { state throws(SuiteError) in
      let now = try file.status()
      guard state.file.revision == plan.revision, now?.version == present?.content.version else {
        state.file.mustCheck = true
        return false
      }
      guard try commit(replacement, of: present) else {
        state.file.mustCheck = true
        return false
      }
      if let status = try file.status(), status.version == replacement.version {
        state.history.complete(FileBase(status))
      } else {
        // Somebody has written it since.
        state.file.mustCheck = true
      }
      if state.file.damaged != nil {
        // Others who run may know more than this, or less if they came when the file was damaged:
        // they take in what is left, so that all agree.
        try append(.edited(state.history.base), [], &state)
      }
      state.file.damaged = nil
      state.snapshots.mustRewrite = false
      state.trouble.noteSavedAsBinary(because: misfit, path: file.path)
      return true
    }
    guard isRenamed else { return false }
    do throws(SuiteError) {
      try replacement.synchronizeFolder()
    } catch {
      state.withLock { $0.journal.durability.doubt() }
      throw error
    }
    let successor = try makeSuccessor(plan)
    let next = try withJournal(.compacting) {
      state throws(SuiteError) -> (journal: JournalFile, end: Int)? in
      let journal = try replaceJournal(announced.journal, with: successor, plan, &state)
      return journal.map { ($0, state.journal.offset) }
    }
    guard let next else { return true }
    try makeDurable(next.journal, to: next.end)
    state.withLock { $0.journal.durability.believe(failures: plan.failures) }
    return true
  }

  /// Gives the new file its name, and keeps the old one: as the previous generation, or aside if it
  /// is damaged. False if somebody else wrote the file meanwhile.
  private func commit(
    _ replacement: FileReplacement, of present: Present?
  ) throws(SuiteError) -> Bool {
    guard let present else { return try replacement.commit(replacing: nil) }
    let content = present.content
    guard present.isSound else {
      guard try file.setAside(content) != nil else { return false }
      return try replacement.commit(replacing: content.version)
    }
    return try replacement.commit(
      replacing: content.version,
      keeping: .init(file: file, content: content.data, backup: try places.backup))
  }

  /// Makes a file; where the disk is full, once more after the previous generation was given up: a
  /// sound file needs none.
  private func withRoom<File>(
    beside present: Present?, _ make: () throws(SuiteError) -> File
  ) throws(SuiteError) -> File {
    do throws(SuiteError) {
      return try make()
    } catch {
      guard error.isFullDisk, present?.isSound != false else { throw error }
      if let backup = try? places.backup { try? backup.fileSystem.removeName(backup.path) }
      return try make()
    }
  }
}
