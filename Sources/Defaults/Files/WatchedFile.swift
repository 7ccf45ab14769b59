import Foundation

/// A file that other programs write and this program only reads.
///
/// The path may contain symbolic links: see ``WatchedPath``.
package final class WatchedFile: Sendable {
  package let path: String
  private let watchedPath: WatchedPath

  /// Watches a file, which need not exist. `changed` is called on a background thread when the file
  /// may have changed since it was last read, or was added or removed.
  package convenience init(path: String, changed: @escaping @Sendable () -> Void) {
    self.init(path: path, watcher: .shared, changed: changed)
  }

  init(path: String, watcher: FolderWatcher, changed: @escaping @Sendable () -> Void) {
    self.path = path
    watchedPath = WatchedPath(path, includesFile: true, watcher: watcher, changed: changed)
  }

  /// Returns the path of a file URL including its `..`; nil for any other URL.
  package static func path(of url: URL) -> String? { CanonicalPath.path(of: url) }

  /// Whether the file is checked periodically because the system doesn't report all changes.
  var isPolling: Bool { watchedPath.isBlocked || problem != nil }

  /// A `fileWatchingUnavailable` error if the system doesn't report all changes, otherwise nil.
  package var problem: Defaults.SuiteError? { watchedPath.problem }

  /// Returns the content of the file; nil if there is none. Each change since the call began causes
  /// a notification.
  ///
  /// - Throws: `unreadable`, or `noLocation` for an invalid path.
  package func read() throws(SuiteError) -> Data? {
    try watchedPath.follow()
    return try StoredFile(path: path).readWritten()?.data
  }
}
