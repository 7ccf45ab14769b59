import Defaults
import Foundation

/// A file that other programs write and this program only reads.
///
/// The path may contain symbolic links: see ``WatchedPath``.
final class WatchedFile: Sendable {
  let path: String
  private let watchedPath: WatchedPath

  /// Watches a file, which need not exist. `changed` is called on a background thread when the file
  /// may have changed since it was last read, or was added or removed.
  init(
    path: String, watcher: FolderWatcher = .shared, changed: @escaping @Sendable () -> Void
  ) {
    self.path = path
    watchedPath = WatchedPath(path, includesFile: true, watcher: watcher, changed: changed)
  }

  /// Whether the file is checked periodically because the system doesn't report all changes.
  var isPolling: Bool { watchedPath.isBlocked || problem != nil }

  /// A `fileWatchingUnavailable` error if the system doesn't report all changes, otherwise nil.
  var problem: Defaults.SuiteError? { watchedPath.problem }

  /// Returns the content of the file; nil if there is none. Each change since the call began causes
  /// a notification.
  ///
  /// - Throws: `unreadable`, or `noLocation` for an invalid path.
  func read() throws(SuiteError) -> Data? {
    try watchedPath.follow()
    return try StoredFile(path: path).readWritten()?.data
  }
}
