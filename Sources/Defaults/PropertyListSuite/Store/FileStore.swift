import Foundation
import Synchronization

/// The persistence of a property list file: a log beside the file takes each change as it is made,
/// and the file is exported about a second later.
///
/// What counts is decided by ``LogState``, what is read and written by ``FileState``; see there for
/// the order of locks. This object locks, waits, and does things in the background.
package final class FileStore: Persistence {
  let table: EntryTable
  let options: FileOptions
  /// Taken by the thread that has the writer lock of the table, or for a moment to copy something
  /// out.
  let state: Lock<FileState>
  /// Held while this process exports; taken before the writer lock.
  let exporting = Lock(())
  /// The paths by which the suite was opened.
  let routes = Lock([WatchedPath]())
  let background = BackgroundLane()
  /// Folds what other processes append, and doesn't wait for an export.
  let intake = BackgroundLane()
  let watcher: FolderWatcher
  let watching = Lock(Watching())
  /// Whether something may have happened that no thread has looked at.
  let isOverdue = Atomic(false)

  /// What is watched, and whether what killed processes left was removed.
  struct Watching {
    var watch: FolderWatcher.Watch?
    var isListening = false
    var hasSwept = false
  }

  private init(
    _ places: SuiteFiles, _ options: FileOptions, _ loaded: LoadedFile, table: EntryTable,
    watcher: FolderWatcher
  ) {
    self.table = table
    self.options = options
    self.watcher = watcher
    state = Lock(FileState(places, options, loaded, table: table))
  }

  var places: SuiteFiles { state.withLock { $0.places } }
  var file: StoredFile { places.file }

  package var health: Defaults.Health { state.withLock { $0.trouble.health } }

  package var files: [StoredFile] {
    let places = places
    return [places.file, places.journal]
  }
}

// MARK: - Opening and closing

extension FileStore {
  /// Opens a suite on a file.
  ///
  /// Without a format, that of the file is kept, and a new file is binary. Throws `unreadable`, and
  /// `unrepresentable` if the suite holds what the format can't. `isAutomatic`: whether the file is
  /// exported and changes of other processes are folded without being asked for. Call `start` when
  /// no lock is held.
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
    var options = FileOptions(
      format: format ?? .binary, isReadOnly: file.isReadOnly, isAutomatic: isAutomatic,
      onDamage: onDamage, patience: patience)
    let loaded = try LoadedFile(places, options)
    options.format = format ?? loaded.format ?? .binary
    if options.format != loaded.format {
      for (name, value) in loaded.entries { try options.format.validate(value, named: name) }
    }
    let support = Defaults.SuiteSupport(label: file.path, onIssue: onIssue)
    let table = EntryTable(loaded.entries, support)
    let store = FileStore(places, options, loaded, table: table, watcher: watcher)
    store.add(route: file.route)
    support.reportLater(loaded.problems)
    return (Defaults.StoredSuite(table, store), { store.start() })
  }

  /// What remains to be done as soon as the suite is open.
  private func start() {
    table.support.deliver()
    if !options.isAutomatic { sweepTemporaries() }
    if state.withLock({ $0.mustReplaceFile }), !options.isReadOnly {
      attempt { () throws(SuiteError) in try export() }
    }
    guard options.isAutomatic else { return }
    let deadline = state.withLock { state in
      state.exports.hasDuty = !options.isReadOnly && state.isFromLog && state.isExportDue
      return state.exports.hasDuty ? state.exports.schedule.arm(isOurs: false) : nil
    }
    if let deadline { schedule(at: deadline) }
    // What came since the files were read.
    if mustLookCloser() {
      inBackground { $0.takeIn() }
    }
    // Not at once: to end a watch takes the system some 10 ms, which the exit of a short program
    // would wait for; and the folder may have many files.
    inBackground(after: Self.watchDelay) {
      $0.sweepTemporaries()
      $0.listen()
    }
  }

  package func leaveParent() {
    // In vain if another thread of the parent had the lock.
    _ = state.withLockIfFree(attempts: 1) { ($0.log, $0.candidate) = (nil, nil) }
  }

  package func close() {
    // Not inside of a transaction: what is in the log isn't lost.
    guard !options.isReadOnly, table.writer.withLockIfFree(attempts: 100, { _ in }) else { return }
    let isNeeded = state.withLock { state in
      !state.waiting.isEmpty || state.mustReplaceFile || state.isExportDue && state.exports.hasDuty
    }
    if isNeeded {
      attempt { () throws(SuiteError) in try export(within: options.patience.exit) }
    } else {
      // An export of the background would leave its temporary file.
      let attempts = max(1, Int(options.patience.exit / .milliseconds(1)))
      _ = exporting.withLockIfFree(attempts: attempts) { _ in }
    }
    // A program that ends soon hasn't come to it.
    sweepTemporaries()
    guard isNeeded else { return }
    // Reported again, since it is too late to store them.
    let names = state.withLock { $0.waiting.keys.inByteOrder }
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

// MARK: - Work in the background

extension FileStore {
  /// Does something later, on a thread of the library, if the suite is still there then; one thing
  /// at a time.
  func inBackground(
    after seconds: Double = 0, _ work: @escaping @Sendable (FileStore) -> Void
  ) {
    // Weak: the open log mustn't outlive the suite until then.
    background.perform(after: seconds) { [weak self] in
      if let self { work(self) }
    }
  }

  /// Does something that no caller waits for, and reports what it throws.
  func attempt(_ body: () throws(SuiteError) -> Void) {
    do throws(SuiteError) {
      try body()
    } catch {
      table.support.report(error)
    }
    table.support.deliverExternal()
    takeInIfOverdue()
  }
}
