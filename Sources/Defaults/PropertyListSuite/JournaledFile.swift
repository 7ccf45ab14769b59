import Foundation
import Synchronization

extension Defaults {
  /// The persistence of a property list file: a journal beside the file takes each change as it is
  /// made, and the file is written anew when there is time, as a snapshot.
  ///
  /// Every process appends its changes to the journal under the journal's lock, having taken in
  /// what others appended; so all processes agree on one order of changes. A snapshot never makes a
  /// setter wait for its serialization: it is written beside the file, announced in the journal,
  /// renamed, and then a new journal replaces the old one. At every instant the file and the
  /// journal together give the right entries, since the journal names the files that it builds on,
  /// and replaying a record twice does no harm.
  package final class JournaledFile: Persistence {
    struct State {
      /// Tells our records from those of others; 0, which nobody has, before the first one.
      var writer: UInt64 = 0
      /// nil before it is opened or made.
      var journal: JournalFile?
      /// One that was opened, and isn't known to be the one that counts.
      var candidate: JournalFile?
      /// The one that was lost, as long as no other one counts.
      var lost: JournalFile?
      /// Whether there was a journal after that one, which this process hasn't seen.
      var isOutdated = false
      var header: JournalHeader?
      /// Everything before this offset of the journal is in memory.
      var offset = 0
      /// The last record before the offset.
      var last: JournalMark?
      /// Up to here a journal that was lost is as it was when it was read.
      var intact = 0
      /// How large the journal was when this process had its lock: records and room.
      var size = 0
      /// Whether what is behind the offset was empty room, all of it, when this process had the
      /// lock. A power cut may leave something behind zeros; what writers leave begins at the
      /// offset.
      var isRoomKnown = false
      var durability = Durability()
      var history: JournalHistory
      /// Rises when the file that the journal builds on changes.
      var revision = 0
      /// Who announced the last snapshot.
      var announcer: UInt64?
      /// The commit that is being made.
      var turn: Turn?
      /// What isn't in the journal yet.
      var backlog = Backlog()
      /// A version of the file that can't be parsed, and so is none of those that count.
      var damaged: FileVersion?
      /// Names that the journal tells nothing of, and whose entries were taken from a file that
      /// somebody else wrote: he may have changed them.
      var unsure: Set<String> = []
      /// Whether somebody else may have written the file.
      var mustCheckFile = false
      /// The names that changed since the snapshot began which is being written; nil if none is.
      var sinceSnapshot: Set<String>?
      var health: Health
      /// Whether this user may not write the file or the journal.
      var lacksRights = false
      /// Whether what is in the journal is ours to write into the file at exit: we wrote it, or
      /// whoever did had died when we came.
      var hasDuty = false
      /// What went wrong in this commit.
      var problems: [SuiteError] = []
      /// How many times in a row something couldn't be stored.
      var failures = 0
      /// How many times in a row a snapshot couldn't be written that nobody waited for.
      var failedSnapshots = 0
      /// Whether a snapshot is scheduled, and whether that is soon.
      var schedule = Schedule()
      let encoder = JournalEncoder()
      var watch: FolderWatcher.Watch?
      var forks = Forking.forks
    }

    /// One commit: what it stands on, and since when it was wanted.
    struct Turn {
      let commitment: Commitment
      /// By ``MonotonicClock``.
      let began: UInt64
      /// Whether this process holds the journal's lock.
      var isLocked = false
    }

    /// The entries in memory.
    let table: EntryTable
    let file: StoredFile
    let journalPlace: StoredFile
    /// The format that the file is written in.
    let format: PropertyListFormat
    /// Taken after the suite's writer lock.
    let state: Lock<State>
    /// Held while a snapshot is written; taken before the suite's writer lock.
    let snapshotting = ForkLocal { Lock(()) }
    /// What is done in the background.
    let lane = BackgroundLane()
    /// Whether something may have happened that nobody has looked at.
    let isOverdue = Atomic(false)
    /// Whether there are timers and watchers; without, a test says what happens when.
    let isAutomatic: Bool
    let patience: Patience
    let onDamage: DamageResponse

    init(
      _ places: Places, format: PropertyListFormat, loaded: Loaded, table: EntryTable,
      isAutomatic: Bool, patience: Patience, onDamage: DamageResponse
    ) {
      self.table = table
      self.patience = patience
      self.onDamage = onDamage
      file = places.file
      journalPlace = places.journal
      self.format = format
      self.isAutomatic = isAutomatic
      var state = State(history: loaded.history, health: loaded.health)
      state.adopt(loaded)
      // Since the file was read, it may have changed with nobody watching.
      state.mustCheckFile = true
      self.state = Lock(state)
    }
  }
}

extension Defaults.JournaledFile {
  /// The previous generation of the file.
  var backup: Defaults.StoredFile {
    get throws(Defaults.SuiteError) { try Places(file, journalPlace).backup }
  }

  /// The file of a suite and what lies beside it.
  struct Places {
    let file: Defaults.StoredFile
    let journal: Defaults.StoredFile
    /// The previous generation of the file; found when it is needed.
    var backup: Defaults.StoredFile {
      get throws(Defaults.SuiteError) { try file.sibling(".backup") }
    }

    init(_ file: Defaults.StoredFile) throws(Defaults.SuiteError) {
      self.init(file, try file.sibling(".journal"))
    }

    fileprivate init(_ file: Defaults.StoredFile, _ journal: Defaults.StoredFile) {
      self.file = file
      self.journal = journal
    }
  }

  /// Opens a suite on a file.
  ///
  /// Without a format, that of the file is kept, and a new file is binary. Throws `unreadable`, and
  /// `unrepresentable` if the file holds what the format can't. `isAutomatic`: whether snapshots
  /// are written and changes of others taken in without being asked for. Call `start` when no lock
  /// is held.
  package static func open(
    _ file: Defaults.StoredFile, format: Defaults.PropertyListFormat? = nil,
    isAutomatic: Bool = true, patience: Patience = .standard,
    onDamage: Defaults.DamageResponse = .recover,
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(Defaults.SuiteError) -> (suite: Defaults.StoredSuite, start: @Sendable () -> Void) {
    let places = try Places(file)
    let loaded = try Loaded(places, onDamage: onDamage)
    let found = loaded.format
    let format = format ?? found ?? .binary
    if format != found {
      for (name, value) in loaded.entries { try format.validate(value, named: name) }
    }
    let support = Defaults.SuiteSupport(label: file.path, onIssue: onIssue)
    let table = EntryTable(loaded.entries, support)
    let persistence = Defaults.JournaledFile(
      places, format: format, loaded: loaded, table: table, isAutomatic: isAutomatic,
      patience: patience, onDamage: onDamage)
    support.reportLater(loaded.problems)
    return (Defaults.StoredSuite(table, persistence), { persistence.start() })
  }

  /// What there is to do as soon as the suite is there.
  private func start() {
    table.support.deliver()
    sweepTemporaries()
    let mustRepair = state.withLock { $0.damaged != nil }
    if mustRepair {
      // The damaged file stays in its place until a sound one takes it.
      attempt { () throws(Defaults.SuiteError) in try snapshot() }
    }
    guard isAutomatic else { return }
    let delay = state.withLock { state in
      state.hasDuty = !state.history.isEmpty
      return state.hasDuty ? state.schedule.next(isOurs: false) : nil
    }
    if let delay { schedule(after: delay) }
    // Listen first, look second. Here, since waking another thread takes longer; but what takes the
    // journal's lock may have to wait for another process.
    watch()
    if mustLookCloser() {
      inBackground { $0.takeIn() }
    }
  }

  /// Removes what killed processes left, unless somebody is in a commit: for an instant of a
  /// snapshot it is the old file, or an editor's, that has a temporary name.
  private func sweepTemporaries() {
    let names = file.temporaries
    guard !names.isEmpty else { return }
    guard let journal = state.withLock({ $0.journal }) else { return file.sweep(names) }
    guard journal.isWritable, (try? journal.lock.take()) == true else { return }
    defer { journal.lock.giveBack() }
    if (try? extentInPlace(of: journal)) != nil { file.sweep(names) }
  }

  package var health: Defaults.Health { state.withLock { $0.health } }

  var files: [Defaults.StoredFile] {
    get throws(Defaults.SuiteError) { [file, journalPlace, try backup] }
  }

  func close() {
    // Not in a forked child that never wrote, where the parent will do it; and not inside of a
    // transaction: what is in the journal isn't lost.
    guard table.writer.withLockIfFree(attempts: 100, { _ in }) else { return }
    let isNeeded = state.withLock { state in
      state.forks == Forking.forks
        && (!state.backlog.isEmpty || mustReplaceFile(state)
          || !state.history.isEmpty && state.hasDuty)
    }
    guard isNeeded else { return }
    attempt { () throws(Defaults.SuiteError) in
      try snapshot(within: patience.exit)
    }
    // Said once more, since nothing of it will be done later.
    let names = state.withLock { $0.backlog.names.sorted() }
    guard !names.isEmpty else { return }
    table.support.report(
      Defaults.SuiteError(
        .unwritable,
        "What was set last couldn't be stored, and is lost as this process lets go of the suite: "
          + names.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
          + (names.count > 10 ? " and \(names.count - 10) more" : ""),
        path: file.path))
  }

  /// Whether the file is damaged, and nobody is going to mend it.
  func mustReplaceFile(_ state: State) -> Bool {
    state.damaged != nil && onDamage == .recover
  }

  /// Does something that nobody waits for, and reports what it throws.
  func attempt(_ body: () throws(Defaults.SuiteError) -> Void) {
    do throws(Defaults.SuiteError) {
      try body()
    } catch {
      table.support.report(error)
    }
    table.support.deliver()
    takeInIfOverdue()
  }

  func explaining<Result>(
    _ problem: String, _ path: String, _ body: () throws(POSIXError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    try Defaults.SuiteError.explaining(.unwritable, problem, path: path, body)
  }
}
