import Foundation

/// Taking in what others did: to the journal, and to the file.
extension Defaults.JournaledFile {
  /// Takes in what others did, waiting for a transaction that is running.
  func takeIn(for suite: Defaults.StoredSuite) {
    publish(suite.writer.withLock { _ in look(suite) }, for: suite)
  }

  /// Takes in what others did if that is overdue, unless somebody is writing here; returns what
  /// came of it.
  func takeInIfFree(for suite: Defaults.StoredSuite) -> Look? {
    var result: Look?
    _ = suite.writer.withLockIfFree(attempts: 1) { _ in
      guard isOverdue.exchange(false, ordering: .sequentiallyConsistent) else { return }
      result = look(suite)
    }
    if let result { publish(result, for: suite) }
    return result
  }

  /// Takes in what others did since the files were read, unless that takes the journal's lock;
  /// returns whether it does.
  func mustLookCloser(for suite: Defaults.StoredSuite) -> Bool {
    deliver(suite.writer.withLock { _ in look(suite) }, for: suite)
  }

  /// What a look at the journal gave.
  struct Look {
    var isNews = false
    var mustDeliver = false
    /// Whether it takes the lock to know more.
    var mustLock = false
  }

  /// How many bytes are read at a glance.
  private static let glance = 4_096

  /// Takes in what others appended, without the journal's lock where that does; the writer lock is
  /// held.
  private func look(_ suite: Defaults.StoredSuite) -> Look {
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
        if let extent = try? journal.file.extent() {
          if state.links == nil, isInPlace(journal) { state.links = extent.names }
          result.mustLock = extent.names != state.links || extent.size < offset
        }
      } else {
        let isComplete = try? takeIn(
          journal, bytes, &state, suite, &result.mustDeliver, isLocked: false)
        result.mustLock = isComplete != true || state.offset == limit
      }
      result.isNews = state.offset != offset
      return result
    }
  }

  /// Whether the journal is the one at its path.
  private func isInPlace(_ journal: Defaults.JournalFile) -> Bool {
    let there = try? journalPlace.fileSystem.statusIfPresent(of: journalPlace.path)
    return there?.version.isSameFile(as: journal.version) == true
  }

  /// Delivers what a look gave, and looks closer if it has to; no lock is held.
  private func publish(_ look: Look, for suite: Defaults.StoredSuite) {
    guard deliver(look, for: suite) else { return }
    if health == .readOnly { return reload(for: suite) }
    attempt(for: suite) { () throws(Defaults.SuiteError) in
      try withJournal(of: suite) { _ throws(Defaults.SuiteError) in }
    }
  }

  /// Takes in what others did where the journal can't be locked.
  private func reload(for suite: Defaults.StoredSuite) {
    var mustDeliver = false
    attempt(for: suite) { () throws(Defaults.SuiteError) in
      try suite.writer.withLock { _ throws(Defaults.SuiteError) in
        try state.withLock { state throws(Defaults.SuiteError) in
          try reload(&state, suite, &mustDeliver)
        }
      }
    }
    if mustDeliver { suite.support.deliver() }
  }

  /// Delivers what a look gave; returns whether it has to be followed by one under the journal's
  /// lock. Nothing is made just to look.
  private func deliver(_ look: Look, for suite: Defaults.StoredSuite) -> Bool {
    if look.mustDeliver { suite.support.deliver() }
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
    _ journal: Defaults.JournalFile, _ bytes: [UInt8], _ state: inout State,
    _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool, isLocked: Bool
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
    for record in scan.records {
      if case .edited = record.kind { mustReload = true }
      state.take(record)
      let edits = record.changes.filter { state.backlog[$0.name] == nil }
      mustDeliver =
        suite.commitExternal(.init(edits.map { ($0.name, $0.edit) }) { _, last in last })
        || mustDeliver
    }
    state.offset = scan.end
    if scan.hasTail {
      // On the disk before anything is appended: what was cut off must not come back behind it.
      try reaching { () throws(POSIXError) in
        try journal.file.truncate(to: scan.end)
        try journal.file.synchronizeContent()
      }
      state.size = scan.end
    }
    if isLocked { state.isRoomKnown = true }
    if mustReload { try reload(&state, suite, &mustDeliver) }
    return true
  }

  /// Reads the file and the journal anew, and publishes what is different; what isn't stored yet
  /// stays as it is.
  func reload(
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let loaded = try Loaded(Places(file))
    // The folder is gone, which isn't somebody's wish to remove all settings.
    if loaded.journal == nil, loaded.history.base == .absent, state.header != nil { return }
    var edits = suite.differences(from: loaded.entries).filter { state.backlog[$0.key] == nil }
    if loaded.damaged != nil {
      // Memory is better than what there is in place of the file; the journal is as good as ever.
      edits = edits.filter { loaded.history.has($0.key) }
      state.problems += loaded.problems
    }
    mustDeliver = suite.commitExternal(edits) || mustDeliver
    let journal = state.journal
    state.adopt(loaded)
    // The lock is that of the opening that took it.
    if let journal, loaded.journal?.version.isSameFile(as: journal.version) == true {
      state.journal = journal
    }
    state.mustCheckFile = true
    state.sinceSnapshot = nil
  }

  /// Takes in the file if somebody else wrote it, name by name; needs the lock.
  func mergeFile(
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let present = try file.status().map { Defaults.FileBase($0) } ?? .absent
    if state.history.isKnown(present) || state.damaged != nil && state.damaged == present.version {
      state.mustCheckFile = false
      return
    }
    let content = try file.read()
    let theirs: [String: Defaults.PropertyListValue]
    do {
      theirs = try content.map { try Defaults.PropertyListFormat.decode($0.data).entries } ?? [:]
    } catch {
      state.damaged = content?.version
      state.mustCheckFile = false
      state.problems.append(
        Defaults.SuiteError(
          .malformed,
          "Somebody wrote the file, and it is damaged (\(error)). The settings stay as they were; "
            + "the next save sets it aside",
          path: file.path, underlying: error))
      return
    }
    let edits = edits(towards: theirs, state, suite)
    // Not only what is news to this process, but all that is to win over the journal.
    let names = Set(state.history.names).union(state.backlog.keys).filter { name in
      isEdit(Defaults.Edit(entry: theirs[name]), of: name, state)
    }
    let base = Defaults.FileBase(content)
    append(
      names.map { EntryEdit(name: $0, old: theirs[$0], edit: Defaults.Edit(entry: theirs[$0])) },
      .edited(base), &state, suite)
    mustDeliver = suite.commitExternal(edits) || mustDeliver
    state.damaged = nil
    state.revision += 1
    state.mustCheckFile = !state.history.isKnown(base)
  }

  /// What the writer of a foreign file changed.
  private func edits(
    towards theirs: [String: Defaults.PropertyListValue], _ state: State,
    _ suite: Defaults.StoredSuite
  ) -> [String: Defaults.Edit] {
    suite.differences(from: theirs).filter { name, edit in isEdit(edit, of: name, state) }
  }

  /// Whether a foreign file's entry is its writer's change, and not one that our own files had.
  private func isEdit(
    _ entry: Defaults.Edit, of name: String, _ state: State
  ) -> Bool {
    guard let filed = state.backlog[name] else {
      return state.history.verdict(on: name, filed: entry) == nil
    }
    // What waits may have been in the journal before, and then the file has something older.
    return filed != entry && !state.history.filed(name).contains(entry)
  }
}

extension Defaults.JournaledFile.State {
  /// Takes note of a record that somebody else wrote.
  mutating func take(_ record: Defaults.JournalRecord) {
    history.apply(record)
    if case .snapshot = record.kind { announcer = record.writer }
    if record.kind != .changes { revision += 1 }
    if sinceSnapshot != nil { sinceSnapshot?.formUnion(record.changes.map(\.name)) }
  }
}
