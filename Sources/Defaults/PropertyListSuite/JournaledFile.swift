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
    var writer = UInt64.random(in: 1 ... .max)
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
    var last: JournalMark?
    /// Up to here a journal that was lost is as it was when it was read.
    var intact = 0
    /// How large the journal was when this process had its lock: records and room.
    var size = 0
    /// Whether what is behind the offset was empty room, all of it, when this process had the lock.
    /// A power cut may leave something behind zeros; what writers leave begins at the offset.
    var isRoomKnown = false
    var durability = Durability()
    var history: JournalHistory
    /// Rises when the file that the journal builds on changes.
    var revision = 0
    /// Who announced the last snapshot.
    var announcer: UInt64?
    var turn: Turn?
    /// What isn't in the journal yet.
    var backlog = Backlog()
    /// A version of the file that can't be parsed, and so is none of those that count.
    var damaged: FileVersion?
    /// Names that the journal tells nothing of, and whose entries were taken from a file that
    /// somebody else wrote: he may have changed them.
    var unsure: Set<String> = []
    /// Whether the file is to be written anew, though it has everything: in another format.
    var mustRewrite = false
    /// Whether somebody else may have written the file.
    var mustCheckFile = false
    /// The names that changed since the snapshot began which is being written; nil if none is.
    var sinceSnapshot: Set<String>?
    var health: Defaults.Health
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
    var schedule = SnapshotSchedule()
    let encoder = JournalEncoder()
    var watch: FolderWatcher.Watch?
    /// Whether others are listened to, or looked for now and then.
    var isListening = false
    var forks = Forking.forks
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
  let places: SuiteFiles
  var file: StoredFile { places.file }
  /// The format that the file is written in.
  let format: Defaults.PropertyListFormat
  /// Whether nothing may be written.
  let isReadOnly: Bool
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
  let patience: LockPatience
  let onDamage: Defaults.DamageResponse

  init(
    _ places: SuiteFiles, format: Defaults.PropertyListFormat, loaded: LoadedSuite,
    table: EntryTable, isAutomatic: Bool, patience: LockPatience, onDamage: Defaults.DamageResponse
  ) {
    self.table = table
    self.patience = patience
    self.onDamage = onDamage
    self.places = places
    self.format = format
    isReadOnly = places.file.isReadOnly
    self.isAutomatic = isAutomatic
    var state = State(history: loaded.history, health: loaded.health)
    state.adopt(loaded)
    // Since the file was read, it may have changed with nobody watching.
    state.mustCheckFile = true
    self.state = Lock(state)
  }
}

extension JournaledFile {
  /// Whether the file is damaged, and nobody is going to mend it.
  func mustReplaceFile(_ state: State) -> Bool { state.damaged != nil && onDamage == .recover }

  /// It works again.
  func recover(_ state: inout State) {
    state.failures = 0
    state.lacksRights = false
    if state.health == .readOnly { state.health = .intact }
    table.support.reporter.forgetIssues(about: nil)
  }

  /// Runs system calls on the journal.
  func reaching<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
    try SuiteError.explaining(
      .unwritable, SuiteError.journalProblem, path: places.journal.path, body)
  }

  /// Syncs a journal and its name, and notes that it is safe up to a place.
  func makeDurable(_ journal: JournalFile, to end: Int) throws(SuiteError) {
    let hasName = state.withLock { $0.journal === journal && $0.durability.hasName }
    do throws(POSIXError) {
      try Forking.pause { () throws(POSIXError) in
        try journal.file.synchronizeContent()
        if !hasName { try file.fileSystem.synchronizeFolder(file.folder) }
      }
    } catch {
      state.withLock { $0.durability.doubt() }
      throw .unsyncedJournal(places.journal.path, error)
    }
    state.withLock { state in
      if state.journal === journal { state.durability.advance(to: end) }
    }
  }
}

extension JournaledFile.State {
  /// Makes what was loaded the present state of affairs.
  mutating func adopt(_ loaded: LoadedSuite) {
    journal = loaded.journal
    candidate = nil
    lost = nil
    header = loaded.header
    offset = loaded.offset
    last = loaded.last
    intact = loaded.offset
    isRoomKnown = false
    durability.begin()
    history = loaded.history
    damaged = loaded.damaged
    lacksRights = loaded.health == .readOnly
    revision += 1
  }

  /// Whether a file is one that the journal builds on, or the damaged one that is known.
  func knows(_ file: FileBase) -> Bool {
    history.isKnown(file) || damaged != nil && damaged == file.version
  }

  /// Goes on with a journal that has nothing yet which isn't in memory.
  mutating func follow(_ header: JournalHeader, in journal: JournalFile) {
    self.journal = journal
    candidate = nil
    lost = nil
    self.header = header
    offset = JournalEncoder.headerSize
    last = nil
    intact = offset
    isRoomKnown = false
    durability.begin()
    history = JournalHistory(base: header.base, after: history.generations)
    revision += 1
  }

  /// Goes on with a journal that this process has begun.
  mutating func follow(_ start: JournalStart, in journal: JournalFile) {
    follow(start.header, in: journal)
    for (record, end) in start.records { history.apply(record, end: end) }
    last = start.last
    offset = start.end
    size = start.size
    isRoomKnown = true
  }

  /// Lets go of what is the parent's, in a forked child. The parent's opening is the parent's lock,
  /// too, and the parent goes on writing as itself; what waits in memory is its to store, and what
  /// it writes its own to finish.
  mutating func leaveParent() {
    forks = Forking.forks
    writer = .random(in: 1 ... .max)
    journal = nil
    candidate = nil
    // Whatever the parent did meanwhile is on the disk.
    intact = .max
    backlog = Backlog()
    sinceSnapshot = nil
    hasDuty = false
    schedule.disarm()
  }

  /// Notes what went wrong, for the time when no lock is held.
  mutating func fail(_ problem: SuiteError) {
    problems.append(problem)
    if problem.code == .locked { return }
    failures += 1
    if problem.isLackOfRights { lacksRights = true }
    if health == .intact { health = .readOnly }
  }
}
