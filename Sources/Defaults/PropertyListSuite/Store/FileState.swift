import Foundation

/// The property list file of a suite and its log, as this process knows them.
///
/// The log is the database. It begins with a checkpoint of all entries, and each commit appends one
/// record. The property list is an export of it for people and other programs. Methods that change
/// what the fold says are called with the suite's writer lock; those that append also hold the lock
/// of the log.
///
/// **The states of a log**
///
///     none ──open──▶ candidate ──lock, adopt──▶ followed ◀─┐
///       └──create───────▲                        │   │     │ replaced by this process:
///                       │                        │   └─────┘ cut, overwritten, damaged, long
///                       └── open, or create ── lost: deleted, or replaced by another process
///
/// To adopt a log: what this process knows and the log lacks waits, and is joined.
///
/// **The states of a change**
///
///     set ──append──▶ in the log ──sync──▶ durable
///      │                  ▲
///      │                join, if no newer change is there; otherwise dropped, with an issue
///      │                  │
///      └─unwritable, or locked─▶ waiting in memory
///
/// **The order of locks**: the paths (`FileStore.routes`), exports of this process, the suite's writer
/// lock (`EntryTable.writer`), the state, what is watched, the entries (`EntryTable`), suites that are
/// kept until exit (`ExitFlush`), observers and issues (`SuiteSupport`). A thread that has one of them
/// takes only later ones. The lock of the log between processes (`LogLock`) is taken with the writer
/// lock, and never waited for with it: a thread that waits has no lock but that of exports.
struct FileState {
  let table: EntryTable
  let options: FileOptions
  var places: SuiteFiles
  /// Distinguishes the records of this opening of the suite from all others.
  let writer: UInt64
  /// nil where there was none, or where it was lost.
  var log: FollowedLog?
  /// A log that was opened, and whose records are not known yet.
  var candidate: LogFile?
  /// Until when another process is expected to create the next log, by ``MonotonicClock``.
  var successorDeadline: UInt64?
  /// What the log says; where there never was one, the property list.
  var fold: LogState
  /// Whether the fold is that of a log.
  var isFromLog: Bool
  /// Changes that are in memory and not in the log yet.
  var waiting: [String: LogRecord.JoinedChange] = [:]
  /// The version of the last change that had to wait.
  var latestWaiting = LogVersion.zero
  var turn: Turn?
  var file = KnownFile()
  var durability = LogDurability()
  var exports = ExportProgress()
  var fileHealth: FileHealth
  let encoder = LogEncoder()

  /// What is known of the property list, besides what the log says.
  struct KnownFile {
    /// Whether an external writer may have changed it since it was last looked at.
    var mustCheck = true
    /// Whether readers see changes of an external writer, since the opening, that aren't in the log.
    /// The file may be another one when it is merged.
    var isUnmerged = false
    /// A version that can't be parsed.
    var damaged: FileVersion?
    /// A version whose content the log knows, under another stamp: it was copied or touched.
    var alias: FileVersion?
    /// When it was found missing, by ``MonotonicClock``.
    var missingSince: UInt64?
  }

  /// The progress of this process's exports.
  struct ExportProgress {
    var schedule = ExportSchedule()
    /// How many in a row failed that no caller waited for.
    var failures = 0
    /// Whether to export though nothing changed.
    var mustRewrite = false
    /// Whether this process appended records since its last export.
    var hasOwnRecords = false
    /// Whether this process exports at exit: it appended records, or found some at its opening.
    var hasDuty = false
  }

  init(
    _ places: SuiteFiles, _ options: FileOptions, _ loaded: LoadedFile, table: EntryTable
  ) {
    self.table = table
    self.options = options
    self.places = places
    writer = places.file.fileSystem.randomNumber()
    fold = loaded.fold
    log = loaded.log
    isFromLog = loaded.isFromLog
    file.damaged = loaded.damaged
    file.isUnmerged = loaded.isUnmerged
    file.missingSince = loaded.missingSince
    fileHealth = FileHealth(health: loaded.health)
  }
}

/// One commit: what it depends on, and whether it holds the lock of the log.
struct Turn {
  let commitment: Commitment
  var isLocked = false
}
