import Foundation
import Synchronization

/// The persistence of a property list file. Each change is appended to a log next to the file, and
/// the file is exported about a second later.
///
/// ``LogState`` decides, ``FileState`` reads and writes (and documents the order of locks), and
/// this object locks, waits, and runs background work.
package final class FileStore: Persistence {
  let table: EntryTable
  let options: FileOptions
  /// Locked by the thread that holds the table's writer lock, or to copy or check something. The
  /// contents of the fold change only under both locks. `release` and look-ups change only its
  /// representation, under this lock.
  let state: Lock<FileState>
  /// Held during an export of this process. Taken before the writer lock.
  let exporting = Lock(())
  /// The paths by which the suite was opened.
  let routes = Lock([WatchedPath]())
  let background = BackgroundLane()
  /// Folds the records of other processes without waiting for an export.
  let folding = BackgroundLane()
  let watcher: FolderWatcher
  /// The watch of the folder; nil before the suite listens to changes.
  let watch = Lock(FolderWatcher.Watch?.none)
  /// Whether this process tried to remove leftovers of killed processes. Held meanwhile, so that
  /// the exit waits.
  let hasTriedSweep = Lock(false)
  /// Called under the writer lock when the suite continues with another file.
  let moved: @Sendable (StoredFile) -> Void
  /// The number of the watcher's checks with several changes since this process last committed; -1
  /// if it committed or waited to commit since the last check, and the maximum before its first
  /// commit.
  let checksSinceCommit = Atomic(Int.max)
  /// The checks of the files that are scheduled, a bit each.
  let scheduledChecks = Atomic<UInt8>(0)

  init(
    _ places: SuiteFiles, _ options: FileOptions, _ loaded: LoadedSuite, table: EntryTable,
    watcher: FolderWatcher, moved: @escaping @Sendable (StoredFile) -> Void
  ) {
    self.table = table
    self.options = options
    self.watcher = watcher
    self.moved = moved
    state = Lock(FileState(places, options, loaded, table: table))
  }

  var places: SuiteFiles { state.withLock { $0.places } }
  var file: StoredFile { places.file }

  package var health: Defaults.Health { state.withLock { $0.fileHealth.health } }

  package var files: [StoredFile] {
    let places = places
    return [places.file, places.journal]
  }

  package func leaveParent() {
    // Has no effect if another thread of the parent held the lock.
    _ = state.withLockIfFree(attempts: 1) { ($0.log, $0.candidate) = (nil, nil) }
  }
}

// MARK: - Work in the background

extension FileStore {
  /// Runs work on a background thread if the suite still exists then. Works of a suite are serial.
  func inBackground(after seconds: Double = 0, _ work: @escaping @Sendable (FileStore) -> Void) {
    // Weak, so that the open log doesn't outlive the suite.
    background.perform(after: seconds) { [weak self] in
      if let self { work(self) }
    }
  }
}
