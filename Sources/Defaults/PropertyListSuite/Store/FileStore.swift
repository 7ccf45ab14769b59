import Foundation
import Synchronization

/// The persistence of a property list file: a log next to the file gets each change as it is made,
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
  let folding = BackgroundLane()
  let watcher: FolderWatcher
  let watching = Lock(Watching())
  /// Called when the suite goes on with another file.
  let moved: @Sendable (FileStore, StoredFile) -> Void
  /// Whether something may have happened that no thread has looked at.
  let isOverdue = Atomic(false)

  /// What is watched, and whether what killed processes left was removed.
  struct Watching {
    var watch: FolderWatcher.Watch?
    var isListening = false
    var hasSwept = false
  }

  init(
    _ places: SuiteFiles, _ options: FileOptions, _ loaded: LoadedFile, table: EntryTable,
    watcher: FolderWatcher, moved: @escaping @Sendable (FileStore, StoredFile) -> Void
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
    // In vain if another thread of the parent had the lock.
    _ = state.withLockIfFree(attempts: 1) { ($0.log, $0.candidate) = (nil, nil) }
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
}
