import Foundation

/// The property list file of a suite and its log, as this process knows them.
///
/// Not copyable, since there is one per suite. Swift's implicit copies took 8 % of a set.
///
/// The log is the database. It begins with a checkpoint of all entries, and each commit appends one
/// record. The property list is an export for people and other programs. Methods that change the
/// contents of the fold require the suite's writer lock; methods that append also require the lock
/// of the log.
///
/// **The states of a log**
///
///     none ──open the suite (`LoadedSuite`, without a lock)──▶ followed
///     none ──open──▶ candidate ──lock, adopt──▶ followed ◀─┐
///       └──create───────▲                        │   │     │ replaced by this process:
///                       │                        │   └─────┘ cut, overwritten, damaged, long
///                       └── open, or create ── lost: deleted, or replaced by another process
///
/// There is a candidate only if the log was created, deleted or replaced after the opening of the
/// suite, or can be written only now. Adopting it joins the changes that only this process knows.
/// `log` is the followed log. Without it, `isFromLog` distinguishes a lost log from none.
///
/// **The states of a change**
///
///     set ──append──▶ in the log ──sync──▶ durable
///      │                  ▲
///      │                join, if no newer change is there; otherwise dropped, with an issue
///      │                  │
///      └─unwritable, or locked─▶ waiting in memory
///
/// **The order of locks**: the opening of the file (`OpenFiles.Entry.suite`), the paths
/// (`FileStore.routes`), exports of this process, the sweep (`FileStore.hasTriedSweep`), the
/// suite's writer lock (`EntryTable.writer`), the table of open files (`OpenFiles.state`), the
/// state, the syncs of a log (`LogFile.syncs`), the watches, the entries (`EntryTable`), suites
/// retained until exit (`ExitFlush`), observers and issues (`SuiteSupport`), background jobs
/// (`BackgroundThreads`). A thread that holds a lock takes only later locks, except that the table
/// of open files locks openings that no thread uses. Issues are reported without a lock, by the
/// next `deliver`. The lock of the log between processes (`LogFile.takeLock`) is taken under the
/// writer lock, but never waited for under it: a waiting thread holds no lock of its own suite
/// except the lock of exports, and no lock of another suite except in a nested transaction
/// (`TransactionScope.isHoldingLock`).
///
/// **Waits that do hold locks**: up to 100 ms for the content of a property list that is empty
/// while a text editor writes it (`readWritten`), or until a missing one counts as deleted
/// (`LoadedSuite.showAbsence`, when files are read again), and the time of a sync, or of two if
/// another thread syncs (`synchronizeLog`).
struct FileState: ~Copyable {
  let table: EntryTable
  let options: FileOptions
  var places: SuiteFiles
  /// Distinguishes the records of this opening of the suite from all others.
  let writer: UInt64
  /// nil if there was no log or it was lost.
  var log: FollowedLog?
  /// A log that was opened but isn't followed: its records haven't been read yet, or it is a short
  /// deleted log that is locked again for the next attempt to create a log.
  var candidate: LogFile?
  /// The log that another process is expected to create, after the log was lost.
  var awaitedLog: AwaitedLog?
  /// The state of the log or, if there never was one, of the property list.
  var fold: LogState
  /// Whether the fold is the state of a log.
  var isFromLog: Bool
  var waiting = WaitingChanges()
  /// Whether the current commit holds the lock of the log.
  var isLocked = false
  var propertyList = KnownFile()
  var folder: KnownFolder
  var durability = LogDurability()
  var exports = ExportProgress()
  /// If a link on the paths leads to a path without a file: the changes that weren't in the
  /// previous property list, which are stored when the link leads elsewhere again.
  var changesForNextRoute: [LogRecord.JoinedChange]?
  var fileHealth: FileHealth
  var buffer = ByteWriter()
  /// The log that has this writer's signature, and the value of ``SecretNames/changes`` before the
  /// signature was written.
  var signature: (log: UInt64, changes: Int)?

  /// A log that only another process can create without undoing updates: there was a log that this
  /// process hasn't seen, which was deleted, too.
  struct AwaitedLog {
    /// The rest of the time after which all processes that have seen that log count as ended.
    /// Longer than a process is usually stopped, or waits for a slow disk.
    private var remaining: UInt64 = 3_000_000_000
    private var latest: UInt64
    /// The part of the time between two looks that counts at most: this process may have been
    /// stopped, or may have waited for a processor, while a log was created and deleted again.
    private static let longestGap: UInt64 = 10_000_000

    init(at now: UInt64 = MonotonicClock.now) { latest = now }

    /// Counts a look that found no log. Returns whether to wait for one.
    mutating func mustWait(at now: UInt64 = MonotonicClock.now) -> Bool {
      remaining -= min(remaining, now - latest, Self.longestGap)
      latest = now
      return remaining > 0
    }
  }

  /// The progress of this process's exports.
  struct ExportProgress {
    var schedule = ExportSchedule()
    /// The number of consecutive failed exports in the background.
    var failures = 0
    /// The time of ``MonotonicClock`` before which none is tried after a failure.
    var pauseEnd: UInt64 = 0
    /// Whether to export even without changes.
    var mustRewrite = false
    /// Whether this process exports before other processes and at exit, since it appended records
    /// since its last export, or found some at its opening.
    var hasDuty = false
    /// Whether the sweep left temporary files, since there was no log to lock.
    var mustSweep = false
    /// Whether this process exports or compacts now.
    var isRunning = false
    /// The id of the last export that this process announced.
    var announced: UInt64?
  }

  /// Whether nothing in the log counts as durable, as far as this or another process knows.
  var isDoubted: Bool { durability.isDoubted || fold.isDoubted }

  /// Returns whether everything in a property list with this status is known; nil means that there
  /// is none.
  func isKnown(_ status: FileStatus?) -> Bool {
    guard let stamp = status?.version else { return fold.finding(nil) != .external }
    return stamp == propertyList.damage?.version || isAlias(stamp) || fold.knows(stamp)
  }

  /// Returns whether a file with this stamp has the content of the placed base or a later one.
  func isAlias(_ stamp: FileVersion) -> Bool {
    guard let alias = propertyList.alias, alias.version == stamp,
      let index = fold.index(of: alias.base)
    else { return false }
    return index >= fold.placedIndex ?? 0
  }

  init(_ places: SuiteFiles, _ options: FileOptions, _ loaded: LoadedSuite, table: EntryTable) {
    self.table = table
    self.options = options
    self.places = places
    writer = places.file.fileSystem.randomNumber()
    fold = loaded.fold
    log = loaded.log
    isFromLog = loaded.isFromLog
    propertyList = loaded.propertyList
    folder = loaded.folder
    fileHealth = FileHealth(health: loaded.health)
  }
}
