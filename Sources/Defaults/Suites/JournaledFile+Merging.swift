import Foundation

/// Taking in what others did: to the journal, and to the file.
extension Defaults.JournaledFile {
  /// Takes in what others did, waiting for a transaction that is running.
  func takeIn(for suite: Defaults.StoredSuite) {
    publish(suite.writer.withLock { _ in look(suite) }, for: suite)
  }

  func refresh(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    let hasNews = try reaching { () throws(POSIXError) -> Bool in
      let (journal, offset) = state.withLock { state in
        (state.header == nil ? nil : state.journal, state.offset)
      }
      guard let journal,
        let extent = try journalPlace.fileSystem.extent(of: journalPlace.path),
        extent.isOf(journal.version), extent.size >= offset
      else { return true }
      return try journal.prefix(at: offset) != 0
    }
    guard hasNews else { return }
    let found = suite.writer.withLock { _ in look(suite) }
    if deliver(found, for: suite) { try takeInLocked(for: suite) }
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
        let extent = try? extentInPlace(of: journal)
        result.mustLock = (extent?.size ?? 0) < offset
      } else {
        let isComplete = try? takeIn(
          journal, bytes, &state, suite, &result.mustDeliver, isLocked: false)
        result.mustLock = isComplete != true || state.offset == limit
      }
      result.isNews = state.offset != offset
      return result
    }
  }

  /// Delivers what a look gave, and looks closer if it has to; no lock is held.
  private func publish(_ look: Look, for suite: Defaults.StoredSuite) {
    guard deliver(look, for: suite) else { return }
    attempt(for: suite) { () throws(Defaults.SuiteError) in try takeInLocked(for: suite) }
  }

  /// Takes in what others did, with the journal's lock, or without where this user can't have it.
  private func takeInLocked(for suite: Defaults.StoredSuite) throws(Defaults.SuiteError) {
    guard state.withLock({ $0.lacksRights }) else {
      var aftermath = Defaults.StoredSuite.Aftermath()
      defer { suite.conclude(aftermath) }
      // Also while there is no room for what waits in memory.
      return try withJournal(of: suite, .compacting, leaving: &aftermath) {
        _ throws(Defaults.SuiteError) in
      }
    }
    var mustDeliver = false
    defer { if mustDeliver { suite.support.deliver() } }
    try suite.writer.withLock { _ throws(Defaults.SuiteError) in
      try state.withLock { state throws(Defaults.SuiteError) in
        try reload(&state, suite, &mustDeliver)
      }
    }
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
    for (record, end) in zip(scan.records, scan.ends) {
      // Where a damaged file was replaced, it says more than the journal.
      if case .edited = record.kind, record.changes.isEmpty { mustReload = true }
      take(record, end: end, &state, suite, &mustDeliver)
    }
    state.offset = scan.end
    state.last = scan.last ?? state.last
    if scan.hasNewerRecord { throw .newerJournal(at: journalPlace.path) }
    if scan.hasTail {
      // On the disk before anything is appended: what was cut off must not come back behind it.
      try reaching { () throws(POSIXError) in try journal.empty(from: scan.end, to: state.size) }
      try synchronizing(&state) { () throws(POSIXError) in
        try journal.file.synchronizeContent()
      }
    }
    if isLocked { state.isRoomKnown = true }
    if mustReload { try reload(&state, suite, &mustDeliver) }
    return true
  }

  /// Takes in a record that somebody else wrote, but for entries that were set here since.
  private func take(
    _ record: Defaults.JournalRecord, end: Int, _ state: inout State,
    _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) {
    var before: [String: Defaults.Edit] = [:]
    if case .edited = record.kind {
      for change in record.changes where !state.history.has(change.name) {
        before[change.name] = Defaults.Edit(entry: suite.entry(named: change.name))
      }
    }
    state.history.apply(record, end: end, before: before)
    if case .snapshot = record.kind { state.announcer = record.writer }
    switch record.kind {
    case .snapshot: state.revision += 1
    case .edited:
      state.revision += 1
      state.unsure = []
    case .changes, .restored, .filed, .succeeded: break
    }
    if record.kind == .filed { return }
    var edits: [String: Defaults.Edit] = [:]
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
    if state.sinceSnapshot != nil { state.sinceSnapshot?.formUnion(edits.keys) }
    mustDeliver = suite.commitExternal(edits) || mustDeliver
  }

  /// Reads the file and the journal anew, and publishes what is different; what isn't stored yet
  /// stays as it is.
  func reload(
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let loaded = try Loaded(Places(file), onDamage: onDamage)
    // The folder is gone, which isn't somebody's wish to remove all settings.
    if loaded.journal == nil, loaded.history.base == .absent, state.header != nil { return }
    publish(loaded, keeping: [], &state, suite, &mustDeliver)
  }

  /// Takes in the file as it is, if somebody wrote it since it was read, and this process has heard
  /// of no journal: there is nothing that it could differ from.
  func takeInFile(
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let present = try file.status().map { Defaults.FileBase($0) } ?? .absent
    if state.history.isKnown(present) || state.damaged != nil { return }
    publish(
      try Loaded(Places(file), onDamage: onDamage), keeping: [], &state, suite, &mustDeliver)
  }

  /// Makes what was loaded the present state of affairs, but for what is newer in memory: `names`,
  /// and what was set since.
  private func publish(
    _ loaded: Loaded, keeping names: Set<String>, _ state: inout State,
    _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) {
    var edits = suite.differences(from: loaded.entries)
    var unsure: Set<String> = []
    if loaded.isForeign, !state.lacksRights {
      // What its writer changed is found out by who has the lock, and knows more generations.
      edits = edits.filter { !loaded.history.has($0.key) }
      unsure = Set(edits.keys)
      for name in loaded.history.names { edits[name] = loaded.history[name]?.edit }
    }
    for name in Array(state.backlog.names) {
      let course = loaded.history[name].flatMap { $0.isChange ? $0 : nil }
      let isNewer =
        course.map {
          state.backlog.outlasts(name, mark: $0.mark, lostPosition: $0.lostPosition)
        } ?? true
      if isNewer || names.contains(name) {
        edits[name] = nil
      } else {
        state.backlog.remove(name)
      }
    }
    if loaded.damaged != nil {
      // Memory is better than what there is in place of the file; the journal is as good as ever.
      edits = edits.filter { loaded.history.has($0.key) }
      state.problems += loaded.problems
    }
    mustDeliver = suite.commitExternal(edits) || mustDeliver
    let journal = state.journal
    let generations = state.history.generations
    state.adopt(loaded)
    if state.history.generations.isEmpty { state.history.keep(generations) }
    // The lock is that of the opening that took it.
    if let journal, loaded.journal?.version.isSameFile(as: journal.version) == true {
      state.journal = journal
    }
    state.mustCheckFile = true
    state.unsure = unsure
    state.sinceSnapshot = nil
  }

  /// Makes another journal the one that counts, or one that somebody cut off, with its lock.
  ///
  /// What the old one had behind `intact`, and the new one doesn't have, or has in an older form,
  /// is stored again: somebody may have flushed it. What others have written since stays. False if
  /// somebody took the new one away meanwhile.
  func reconcile(
    with journal: Defaults.JournalFile, intact: Int, _ state: inout State,
    _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) -> Bool {
    let loaded = try Loaded(Places(file), onDamage: onDamage)
    guard let header = loaded.header,
      loaded.journal?.version.isSameFile(as: journal.version) == true
    else { return false }
    let known = Lost(history: state.history, header: state.header, intact: intact)
    let missing = known.missing(in: loaded.history, header)
    for (name, position) in missing where !state.backlog.has(name) {
      state.backlog.add(
        name, filed: Defaults.Edit(entry: loaded.entries[name]), .lost(position: position))
    }
    state.journal = journal
    publish(loaded, keeping: Set(missing.map(\.name)), &state, suite, &mustDeliver)
    state.journal = journal
    state.isRoomKnown = false
    state.mustCheckFile = true
    return true
  }

  /// What was in a journal that was lost.
  private struct Lost {
    let history: Defaults.JournalHistory
    /// nil: there was none.
    let header: Defaults.JournalHeader?
    /// Before this place it is known to all.
    let intact: Int

    /// The names that the journal which counts now doesn't have, or not as new, and where they
    /// were.
    func missing(
      in other: Defaults.JournalHistory, _ otherHeader: Defaults.JournalHeader
    ) -> [(name: String, position: Int)] {
      guard let header else { return [] }
      let isSame = otherHeader.id == header.id
      let isNext = otherHeader.previous == header.id
      // It was restored by somebody who knew the journal before the one that was lost.
      let isBehind = other.isRestoration && otherHeader.previous == header.previous
      // Files were written that have what was in the journals between them.
      guard
        isSame || isNext || isBehind || otherHeader.previous == 0
          || history.bases.contains(otherHeader.base)
      else { return [] }
      return history.changes.compactMap { name, course in
        guard course.position > intact else { return nil }
        if let present = other[name], present.isChange, present.edit != course.edit {
          if let position = present.lostPosition, isNext || isBehind {
            if isNext, position >= course.position { return nil }
          } else if !isSame || present.position > intact {
            return nil
          }
        } else if other[name]?.isChange == true {
          return nil
        }
        return (name, course.position)
      }
    }
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
            + (onDamage == .throw
              ? "mend it, for it isn't saved before" : "the next save sets it aside"),
          path: file.path, underlying: error))
      return
    }
    let base = Defaults.FileBase(content)
    // Somebody may have put the previous generation back. But a snapshot that was cut short has
    // only given our own file another name.
    var isPutBack = false
    if let content, !state.history.isOwn(content.version) {
      isPutBack = content.isCopy(of: try? backup)
    }
    try merge(theirs, base, isPutBack: isPutBack, &state, suite, &mustDeliver)
    state.damaged = nil
    state.revision += 1
    state.mustCheckFile = !state.history.isKnown(base)
  }

  /// Commits what the writer of a foreign file changed in the one that he started from, and says in
  /// the journal what counts where his file says something else.
  private func merge(
    _ theirs: [String: Defaults.PropertyListValue], _ base: Defaults.FileBase, isPutBack: Bool,
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let ours = suite.entries
    func newest(_ name: String) -> Defaults.Edit {
      state.history.filed(name) ?? state.backlog.filed(name) ?? Defaults.Edit(entry: ours[name])
    }
    func foreign(_ name: String) -> Defaults.Edit { Defaults.Edit(entry: theirs[name]) }
    let names = Set(ours.keys).union(theirs.keys).union(state.history.names)
      .union(state.backlog.names)
    var origin: [String: Defaults.Edit] = [:]
    if !isPutBack, base != .absent {
      origin = generations(state, names, newest).origin(of: foreign, newest: newest)
    }
    let edited = names.filter {
      foreign($0) != origin[$0] ?? newest($0) || state.unsure.contains($0)
    }

    let time = state.turn?.began ?? MonotonicClock.now
    var changes: [Defaults.JournalRecord.Change] = []
    var before: [String: Defaults.Edit] = [:]
    for name in names {
      let isEdited = edited.contains(name)
      let final = isEdited ? foreign(name) : Defaults.Edit(entry: ours[name])
      if isEdited, !state.history.has(name) { before[name] = newest(name) }
      // All of it, so that nobody else has to find that out, from a file that may be gone by then.
      guard final != foreign(name) || isEdited else { continue }
      // What waits in memory goes into a record of its own.
      if state.backlog.has(name), !isEdited { continue }
      changes.append(.init(name: name, edit: final, previous: foreign(name), mark: time))
    }
    let record = Defaults.JournalRecord(
      kind: .edited(base), writer: state.writer, durable: state.durability.end, changes: changes)
    try append(record, &state, before: before)
    state.unsure = []
    for name in edited { state.backlog.remove(name) }
    if state.sinceSnapshot != nil { state.sinceSnapshot?.formUnion(edited) }
    let edits = Dictionary(uniqueKeysWithValues: edited.map { ($0, foreign($0)) })
    mustDeliver = suite.commitExternal(edits) || mustDeliver
  }

  /// The files that somebody may have started from: those that this process knows, or at least the
  /// previous one.
  private func generations(
    _ state: State, _ names: Set<String>, _ newest: (String) -> Defaults.Edit
  ) -> Defaults.Generations {
    var generations = state.history.generations
    guard generations.isEmpty, let data = try? backup.read()?.data,
      let backup = try? Defaults.PropertyListFormat.decode(data).entries
    else { return generations }
    var before: [String: Defaults.Edit] = [:]
    for name in names.union(backup.keys) {
      let entry = Defaults.Edit(entry: backup[name])
      if entry != newest(name) { before[name] = entry }
    }
    generations.advance(from: before)
    return generations
  }
}
