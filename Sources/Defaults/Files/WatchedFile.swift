import Foundation

/// A file that other programs write, and that is only read here.
///
/// The path may lead through symbolic links: see ``WatchedPath``.
package final class WatchedFile: Sendable {
  package let path: String
  private let watchedPath: WatchedPath

  /// A file, which need not exist. `changed` is called on a thread of the library when it may have
  /// changed since it was read last, or has come or gone.
  package convenience init(path: String, changed: @escaping @Sendable () -> Void) {
    self.init(path: path, watcher: .shared, changed: changed)
  }

  init(path: String, watcher: FolderWatcher, changed: @escaping @Sendable () -> Void) {
    self.path = path
    watchedPath = WatchedPath(path, includesFile: true, watcher: watcher, changed: changed)
  }

  /// The path of a file URL as the system follows it, with its `..`; nil for any other URL.
  package static func path(of url: URL) -> String? { CanonicalPath.path(of: url) }

  /// Whether the file is looked at now and then, because the system doesn't tell of all changes.
  var isPolling: Bool { watchedPath.isBlocked || problem != nil }

  /// Why the system doesn't tell of all changes: an `fileWatchingUnavailable` error, or nil if it does.
  package var problem: Defaults.SuiteError? { watchedPath.problem }

  /// The content of the file; nil if there is none. Throws `unreadable`, or `noLocation` for a path
  /// that no file can have. Each change after the call began is notified.
  package func read() throws(SuiteError) -> Data? {
    try watchedPath.follow()
    return try StoredFile(path: path).readWritten()?.data
  }
}
