import Foundation

/// Opening a suite on a file, and closing it.
extension JournaledFile {
  /// Opens a suite on a file.
  ///
  /// Without a format, that of the file is kept, and a new file is binary. Throws `unreadable`, and
  /// `unrepresentable` if the file holds what the format can't. `isAutomatic`: whether snapshots
  /// are written and changes of others taken in without being asked for. Call `start` when no lock
  /// is held.
  package static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat? = nil, isAutomatic: Bool = true,
    patience: LockPatience = .standard, onDamage: Defaults.DamageResponse = .recover,
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(SuiteError) -> (suite: Defaults.StoredSuite, start: @Sendable () -> Void) {
    try open(
      file, format: format, isAutomatic: isAutomatic, patience: patience, onDamage: onDamage,
      watcher: .shared, onIssue: onIssue)
  }

  /// Opens a suite whose folder is watched by this watcher.
  static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat? = nil, isAutomatic: Bool = true,
    patience: LockPatience = .standard, onDamage: Defaults.DamageResponse = .recover,
    watcher: FolderWatcher, onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(SuiteError) -> (suite: Defaults.StoredSuite, start: @Sendable () -> Void) {
    let places = SuiteFiles(file)
    let loaded = try LoadedSuite(places, onDamage: onDamage)
    let found = loaded.format
    let format = format ?? found ?? .binary
    if format != found {
      for (name, value) in loaded.entries { try format.validate(value, named: name) }
    }
    let support = Defaults.SuiteSupport(label: file.path, onIssue: onIssue)
    let table = EntryTable(loaded.entries, support)
    let persistence = JournaledFile(
      places, format: format, loaded: loaded, table: table, isAutomatic: isAutomatic,
      patience: patience, onDamage: onDamage, watcher: watcher)
    persistence.add(route: file.route)
    support.reportLater(loaded.problems)
    return (Defaults.StoredSuite(table, persistence), { persistence.start() })
  }

  /// What there is to do as soon as the suite is there.
  private func start() {
    table.support.deliver()
    if !isAutomatic { sweepTemporaries() }
    let mustRepair = state.withLock { $0.file.damaged != nil }
    if mustRepair, !isReadOnly {
      // The damaged file stays in its place until a sound one takes it.
      attempt { () throws(SuiteError) in try snapshot() }
    }
    guard isAutomatic else { return }
    let deadline = state.withLock { state in
      state.snapshots.hasDuty = !isReadOnly && !state.history.isEmpty
      return state.snapshots.hasDuty ? state.snapshots.schedule.arm(isOurs: false) : nil
    }
    if let deadline { schedule(at: deadline) }
    // What came since the files were read.
    if mustLookCloser() {
      inBackground { $0.takeIn() }
    }
    // Not at once: to end a watch takes the system some 10 ms, which the exit of a program that only
    // reads a setting, or sets one, would wait for; and the folder may have many files.
    inBackground(after: Self.watchDelay) {
      $0.sweepTemporaries()
      $0.listen()
    }
  }

  /// Listens for changes of others from now on, unless that is done already, and then looks for
  /// those that came before.
  package func listen() {
    guard isAutomatic else { return }
    let isFirst = state.withLock { state in
      defer { state.isListening = true }
      return !state.isListening
    }
    guard isFirst else { return }
    // Listen first, look second; that may have to wait, for a transaction or another process.
    watch()
    inBackground { $0.lookAtFile() }
  }

  /// Removes what killed processes left, once, unless somebody is in a commit: for an instant of a
  /// snapshot it is the old file, or an editor's, that has a temporary name.
  private func sweepTemporaries() {
    let isDue = state.withLock { state in
      defer { state.hasSwept = true }
      return !state.hasSwept && !isReadOnly && !Forking.isChild
    }
    // Before the journal is looked for: without one, nobody was in a commit.
    let names = isDue ? file.temporaries : []
    guard !names.isEmpty else { return }
    do throws(SuiteError) {
      var known = state.withLock { $0.journal.file }
      if known == nil {
        known = try .open(places.journal, failingAs: .unwritable)
      }
      guard let journal = known else { return file.sweep(names) }
      guard journal.isWritable, try journal.lock.take() else { return }
      defer { journal.lock.giveBack() }
      if try journal.sizeInPlace() != nil { file.sweep(names) }
    } catch {
      // They are in nobody's way, and the next one comes by.
    }
  }

  package var health: Defaults.Health { state.withLock { $0.trouble.health } }

  package var files: [StoredFile] {
    get throws(SuiteError) { [file, places.journal, try places.backup] }
  }

  package func close() {
    // Not inside of a transaction: what is in the journal isn't lost.
    guard !isReadOnly, table.writer.withLockIfFree(attempts: 100, { _ in }) else { return }
    let isNeeded = state.withLock { state in
      let hasNews = !state.history.isEmpty && state.snapshots.hasDuty
      return !state.backlog.isEmpty || mustReplaceFile(state) || hasNews
    }
    if isNeeded {
      attempt { () throws(SuiteError) in try snapshot(within: patience.exit) }
    }
    // A program that ends soon hasn't come to it.
    sweepTemporaries()
    guard isNeeded else { return }
    // Said once more, since nothing of it will be done later.
    let names = state.withLock { $0.backlog.names.inByteOrder }
    guard !names.isEmpty else { return }
    table.support.report(
      SuiteError(
        .unwritable,
        "What was set last couldn't be stored, and is lost as this process lets go of the suite: "
          + names.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
          + (names.count > 10 ? " and \(names.count - 10) more" : ""),
        path: file.path))
  }
}

extension JournaledFile {
  package func leaveParent() {
    // In vain if another thread of the parent had the lock.
    _ = state.withLockIfFree(attempts: 1) { $0.journal.close() }
  }
}

/// Making sure of what was set.
extension JournaledFile {
  package func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    if isReadOnly { return }
    defer { takeInIfOverdue() }
    // A sync that failed isn't made good by another one: everything is written to new files.
    if extent == .snapshot || state.withLock({ $0.journal.durability.isSuspect }) {
      try snapshot()
    }
    // Others may replace the journal meanwhile, or take it away.
    for _ in 0..<100 {
      guard let (journal, end) = try journalToFlush() else { return }
      if state.withLock({ $0.journal.file === journal && $0.journal.durability.covers(end) }) {
        return
      }
      // Without a lock: what was in a journal isn't lost when it is replaced.
      try makeDurable(journal, to: end)
    }
    throw SuiteError(
      .unwritable, "The journal was replaced each time it was synced; try again",
      path: places.journal.path)
  }

  /// The journal that has everything which was set before, in its place, and where that ends; nil
  /// if nothing was ever set, nor stored that isn't in the file.
  private func journalToFlush() throws(SuiteError) -> (journal: JournalFile, end: Int)? {
    let isComplete = try state.withLock { state throws(SuiteError) in
      guard state.backlog.isEmpty else { return false }
      guard let journal = state.journal.file else { return state.journal.header == nil }
      // The folder may have been moved away, with files that nobody will find.
      let file = FileBase(try file.status())
      return try journal.sizeInPlace() != nil && state.history.isKnown(file)
    }
    if !isComplete {
      return try withJournal { state throws(SuiteError) in
        // What has to be restored was, before the body.
        guard let journal = state.journal.file else { return nil }
        return (journal, state.journal.offset)
      }
    }
    return state.withLock { state in state.journal.file.map { ($0, state.journal.offset) } }
  }
}
