import Foundation
import Synchronization

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
    /// Tells our records from those of others.
    let writer = UInt64.random(in: 1 ... .max)
    var journal = FollowedJournal()
    var history: JournalHistory
    var file = KnownFile()
    /// What isn't in the journal yet.
    var backlog = Backlog()
    var turn: Turn?
    var snapshots = SnapshotProgress()
    var trouble: Trouble
    let encoder = JournalEncoder()
    var watch: FolderWatcher.Watch?
    /// Whether others are listened to, or looked for now and then.
    var isListening = false
    /// Whether what killed processes left was looked for.
    var hasSwept = false
  }

  /// What is known of the file, beside what the history says.
  struct KnownFile {
    /// Rises when the file that the journal builds on changes.
    var revision = 0
    /// A version of the file that can't be parsed, and so is none of those that count.
    var damaged: FileVersion?
    /// Names that the journal tells nothing of, and whose entries were taken from a file that
    /// somebody else wrote: he may have changed them.
    var unsure: Set<String> = []
    /// Whether somebody else may have written the file.
    var mustCheck = false
  }

  /// One commit: what it stands on, and since when it was wanted.
  struct Turn {
    let commitment: Commitment
    /// By ``MonotonicClock``.
    let began: UInt64
    /// Whether this process holds the journal's lock.
    var isLocked: Bool
  }

  let table: EntryTable
  /// Others after a symbolic link on the way to them was exchanged; see `followRoutes()`.
  let currentPlaces: Lock<SuiteFiles>
  var places: SuiteFiles { currentPlaces.withLock { $0 } }
  var file: StoredFile { places.file }
  /// The paths by which the suite was opened.
  let routes = Lock([WatchedPath]())
  /// The format that the file is written in.
  let format: Defaults.PropertyListFormat
  /// Whether nothing may be written.
  let isReadOnly: Bool
  /// Taken after the suite's writer lock.
  let state: Lock<State>
  /// Held while a snapshot is written; taken before the suite's writer lock.
  let snapshotting = Lock(())
  /// What is done in the background.
  let lane = BackgroundLane()
  /// What other processes did is taken in here, and doesn't wait for a snapshot.
  let intake = BackgroundLane()
  let watcher: FolderWatcher
  /// Whether something may have happened that nobody has looked at.
  let isOverdue = Atomic(false)
  /// Whether there are timers and watchers; without, a test says what happens when.
  let isAutomatic: Bool
  let patience: LockPatience
  let onDamage: Defaults.DamageResponse

  init(
    _ places: SuiteFiles, format: Defaults.PropertyListFormat, loaded: LoadedSuite,
    table: EntryTable, isAutomatic: Bool, patience: LockPatience,
    onDamage: Defaults.DamageResponse, watcher: FolderWatcher
  ) {
    self.table = table
    self.watcher = watcher
    self.patience = patience
    self.onDamage = onDamage
    currentPlaces = Lock(places)
    self.format = format
    isReadOnly = places.file.isReadOnly
    self.isAutomatic = isAutomatic
    var state = State(history: loaded.history, trouble: Trouble(health: loaded.health))
    state.adopt(loaded)
    // Since the file was read, it may have changed with nobody watching.
    state.file.mustCheck = true
    self.state = Lock(state)
  }
}

extension JournaledFile {
  /// Whether the file is damaged, and nobody is going to mend it.
  func mustReplaceFile(_ state: State) -> Bool { state.file.damaged != nil && onDamage == .recover }

  /// Forgets what went wrong: it works again.
  func recover(_ state: inout State) {
    state.trouble.end()
    table.support.reporter.forgetIssues(about: nil)
  }

  /// Runs system calls on the journal.
  func reaching<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
    try SuiteError.explaining(
      .unwritable, SuiteError.journalProblem, path: places.journal.path, body)
  }

  /// Syncs a journal and its name, and notes that it is safe up to a place.
  func makeDurable(_ journal: JournalFile, to end: Int) throws(SuiteError) {
    let (hasName, hasFolders) = state.withLock { state in
      let durability = state.journal.durability
      guard state.journal.file === journal else { return (false, false) }
      return (durability.hasName, durability.hasFolders)
    }
    do throws(POSIXError) {
      try journal.file.synchronizeContent()
      if !hasName { try file.fileSystem.synchronizeFolder(file.folder) }
    } catch {
      state.withLock { $0.journal.durability.doubt() }
      throw .unsyncedJournal(places.journal.path, error)
    }
    if !hasFolders {
      // No doubt about the files if this fails: the next flush syncs the folders again.
      try reaching { () throws(POSIXError) in
        try file.fileSystem.synchronizeMadeFolders(file.folder)
      }
    }
    state.withLock { state in
      guard state.journal.file === journal else { return }
      state.journal.durability.advance(to: end)
      state.journal.durability.trustFolders()
    }
  }
}

extension JournaledFile.State {
  /// Makes what was loaded the present state of affairs.
  mutating func adopt(_ loaded: LoadedSuite) {
    journal.follow(loaded)
    history = loaded.history
    file.damaged = loaded.damaged
    file.revision += 1
    trouble.lacksRights = loaded.health == .readOnly
  }

  /// Whether a file is one that the journal builds on, or the damaged one that is known.
  func knows(_ base: FileBase) -> Bool {
    history.isKnown(base) || file.damaged != nil && file.damaged == base.version
  }

  /// Whether the file is to be written anew whatever it has.
  var mustWriteFile: Bool {
    file.damaged != nil || journal.durability.isSuspect || snapshots.mustRewrite
  }

  /// Whether the last record of the journal is this process's.
  var isLastOurs: Bool { history.lastWriter == writer }

  /// Goes on with a journal that has nothing yet which isn't in memory.
  mutating func follow(_ header: JournalHeader, in file: JournalFile) {
    journal.follow(header, in: file)
    history = JournalHistory(base: header.base, after: history.generations)
    self.file.revision += 1
  }

  /// Goes on with a journal that this process has begun.
  mutating func follow(_ start: JournalStart, in file: JournalFile) {
    follow(start.header, in: file)
    for (record, end) in start.records { history.apply(record, end: end) }
    journal.follow(start, in: file)
  }
}

/// What is going on with snapshots, of this process and of others.
struct SnapshotProgress {
  /// Who announced the last one.
  var announcer: UInt64?
  /// The names that changed since the one began which is being written; nil if none is.
  var changed: Set<String>?
  /// Whether the file is to be written anew, though it has everything: in another format.
  var mustRewrite = false
  /// Whether what is in the journal is ours to write into the file at exit: we wrote it, or whoever
  /// did had died when we came.
  var hasDuty = false
  /// How many times in a row one couldn't be written that nobody waited for.
  var failures = 0
  var schedule = SnapshotSchedule()
}
