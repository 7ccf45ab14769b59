import Foundation

/// Writing the file anew, and beginning a new journal.
///
/// The order is what makes every instant safe: the new file is on the disk before the journal
/// announces it, the announcement is on the disk before the file has its name, the name is on the
/// disk before a new journal builds on it, and what others appended meanwhile is on the disk before
/// the new journal has its name. No lock is held while anything of the suite's size is read,
/// encoded or written.
extension Defaults.JournaledFile {
  /// What a snapshot is to hold, and on what it builds.
  private struct Plan {
    let entries: [String: Defaults.PropertyListValue]
    var revision: Int
    /// Whether another process has announced a snapshot that isn't done.
    let isRivalled: Bool
  }

  /// What is in the file's place before a snapshot.
  private struct Present {
    let content: Defaults.FileReading.Content
    let isSound: Bool
  }

  /// Writes what the journal has into the file, and begins a new journal; does nothing if the file
  /// has everything. Others may be quicker: then theirs is as good.
  func snapshot(of suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    var aftermath = Defaults.StoredSuite.Aftermath()
    // Also if it throws, and not before: a handler may ask for a snapshot, or end the process.
    defer { suite.conclude(aftermath) }
    try snapshotting.withLock { _ throws(Defaults.SuiteError) in
      // Nobody may be watching.
      let mayBeNeeded = state.withLock { state in
        if state.journal != nil || state.damaged != nil { state.mustCheckFile = true }
        return state.journal != nil || state.damaged != nil || !state.backlog.isEmpty
      }
      guard mayBeNeeded else { return }
      // Two that announce in turns would never finish: the second one waits, unless the first one
      // seems to have died. Where a test says what happens when, nobody is at work meanwhile.
      var patience = isAutomatic ? 20 : 0
      for _ in 0..<40 {
        defer {
          suite.release()
          state.withLock { $0.sinceSnapshot = nil }
        }
        switch try attemptSnapshot(of: suite, isPatient: patience > 0, leaving: &aftermath) {
        case .done: return
        case .overtaken: break
        case .rivalled:
          patience -= 1
          usleep(.random(in: 5_000...15_000))
        }
      }
      throw Defaults.SuiteError(
        .unwritable, "Others replace the file all the time, so it lags behind. It is tried again",
        path: file.path)
    }
  }

  private enum Outcome {
    case done
    /// Somebody else wrote the file meanwhile.
    case overtaken
    /// Somebody else is at it.
    case rivalled
  }

  private func attemptSnapshot(
    of suite: Defaults.StoredSuite, isPatient: Bool,
    leaving aftermath: inout Defaults.StoredSuite.Aftermath
  ) throws(Defaults.SuiteError) -> Outcome {
    let start = ContinuousClock.now
    let plan = try withJournal(of: suite, leaving: &aftermath) {
      state throws(Defaults.SuiteError) in
      try self.plan(&state, suite)
    }
    guard let plan else { return .done }
    if plan.isRivalled, isPatient { return .rivalled }
    guard try write(plan, of: suite, leaving: &aftermath) else { return .overtaken }
    state.withLock { $0.schedule.cost = ContinuousClock.now - start }
    return .done
  }

  /// What is to be written; nil if nothing is.
  private func plan(
    _ state: inout State, _ suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) -> Plan? {
    try storeBacklog(&state, suite)
    guard !state.history.isEmpty || state.damaged != nil else { return nil }
    state.sinceSnapshot = []
    let base = state.history.base
    return Plan(
      entries: suite.hold(), revision: state.revision,
      isRivalled: base.version != nil && base.changed == nil && state.announcer != state.writer)
  }

  /// Does what has to be done; false if somebody else wrote the file meanwhile.
  private func write(
    _ plan: Plan, of suite: Defaults.StoredSuite,
    leaving aftermath: inout Defaults.StoredSuite.Aftermath
  ) throws(Defaults.SuiteError) -> Bool {
    var plan = plan
    let present = try file.read().map { content in
      Present(
        content: content,
        isSound: (try? Defaults.PropertyListFormat.decode(content.data)) != nil)
    }
    let replacement = try Defaults.FileReplacement(
      of: file.path, with: try encode(plan.entries), on: file.fileSystem)

    let announced = try withJournal(of: suite, leaving: &aftermath) {
      state throws(Defaults.SuiteError) in
      guard state.revision == plan.revision else { return Defaults.JournalFile?.none }
      append(
        [], .snapshot(Defaults.FileBase(version: replacement.version, changed: nil)), &state, suite)
      guard state.history.base.version == replacement.version else {
        throw state.problems.popLast()
          ?? Defaults.SuiteError(.unwritable, "The journal can't be written", path: file.path)
      }
      state.revision += 1
      state.announcer = state.writer
      plan.revision = state.revision
      return state.journal
    }
    guard let journal = announced else { return false }
    try reaching { () throws(POSIXError) in
      try journal.synchronize(folder: file.folder, on: file.fileSystem)
    }

    let isRenamed = try withJournal(of: suite, leaving: &aftermath) {
      state throws(Defaults.SuiteError) in
      let now = try file.status()
      guard state.revision == plan.revision, now?.version == present?.content.version else {
        state.mustCheckFile = true
        return false
      }
      if let present { try keep(present) }
      try replacement.commit()
      state.history.complete(try file.status().map { Defaults.FileBase($0) } ?? .absent)
      if state.damaged != nil {
        // Others who run may know more than this, or less if they came when the file was damaged:
        // they take in what is left, so that all agree.
        append([], .edited(state.history.base), &state, suite)
      }
      state.damaged = nil
      return true
    }
    guard isRenamed else { return false }
    try replacement.synchronizeFolder()
    try replaceJournal(journal, plan, suite, leaving: &aftermath)
    return true
  }

  private func encode(
    _ entries: [String: Defaults.PropertyListValue]
  ) throws(Defaults.SuiteError) -> Data {
    do {
      return try format.encode(entries)
    } catch {
      throw Defaults.SuiteError(
        .unrepresentable, "The entries can't be written as a property list: \(error)",
        path: file.path, underlying: error)
    }
  }

  /// Keeps the file that is about to be replaced: as the previous generation, or aside if it is
  /// damaged.
  private func keep(_ present: Present) throws(Defaults.SuiteError) {
    guard present.isSound else {
      _ = try file.setAside(present.content)
      return
    }
    let backup = try backup
    try explaining("The previous generation can't be kept", backup.path) {
      () throws(POSIXError) in try file.link(as: backup, orCopy: present.content.data)
    }
  }

  /// Begins a new journal on the file that was just written, with what changed meanwhile.
  private func replaceJournal(
    _ old: Defaults.JournalFile, _ plan: Plan, _ suite: Defaults.StoredSuite,
    leaving aftermath: inout Defaults.StoredSuite.Aftermath
  ) throws(Defaults.SuiteError) {
    let (id, base) = state.withLock { ($0.header?.id ?? 0, $0.history.base) }
    let header = Defaults.JournalHeader(id: .random(in: 1 ... .max), previous: id, base: base)
    let encoder = Defaults.JournalEncoder()
    encoder.encode(header)
    let new = try reaching { () throws(POSIXError) in
      let new = try journalPlace.temporary()
      _ = try new.file.writeAll(encoder.bytes, withRoomAt: 0)
      try new.file.takeAttributes(of: try file.fileSystem.statusIfPresent(of: file.path))
      try new.file.synchronize()
      return new
    }
    let journal = try withJournal(of: suite, leaving: &aftermath) {
      state throws(Defaults.SuiteError) in
      guard state.journal === old, state.revision == plan.revision else {
        return Defaults.JournalFile?.none
      }
      let tail = Defaults.JournalRecord(
        kind: .changes, writer: state.writer, durable: Defaults.JournalEncoder.headerSize,
        changes: (state.sinceSnapshot ?? []).sorted().map { name in
          .init(
            name: name, edit: Defaults.Edit(entry: suite.entry(named: name)),
            previous: Defaults.Edit(entry: plan.entries[name]))
        })
      let journal = try reaching { () throws(POSIXError) in
        if !tail.changes.isEmpty {
          state.encoder.encode(tail, journal: header.id)
          try new.file.writeAll(
            state.encoder.bytes, at: Defaults.JournalEncoder.headerSize)
          try new.file.synchronizeContent()
        }
        try new.rename(to: journalPlace.path)
        return try Defaults.JournalFile(new.file, isWritable: true)
      }
      state.journal = journal
      state.links = 1
      state.follow(header)
      if !tail.changes.isEmpty {
        state.offset += state.encoder.bytes.count
        state.history.apply(tail)
      }
      state.size = state.offset
      state.isRoomKnown = true
      state.durable = state.offset
      state.hasDuty = !tail.changes.isEmpty
      if state.failures + state.failedSnapshots > 0 || state.health == .readOnly {
        state.recover(suite)
      }
      state.failedSnapshots = 0
      return journal
    }
    guard let journal else { return }
    // Whoever waits for the old one finds that it was replaced.
    try? old.file.unlock()
    try explaining("The new journal could be undone by a power cut", journalPlace.path) {
      () throws(POSIXError) in
      try journal.synchronize(folder: file.folder, on: file.fileSystem)
    }
  }
}
