import Foundation

/// A watched path. Its symbolic links may later lead elsewhere, for example when a folder is
/// exchanged by changing a link to it. So the location of each link is watched.
package final class WatchedPath: Sendable {
  private struct State {
    var places: [CanonicalPath] = []
    var watches: [FolderWatcher.Watch] = []
    /// Whether the path can't be followed, so that the locations after an obstacle are unknown.
    var isBlocked = false
    /// Whether the next check is scheduled. No other check follows if the path can be followed
    /// then.
    var hasPoll = false
    var isScheduled = false
  }

  /// The seconds between checks of a path that can't be followed.
  private static let pollInterval = 0.5

  package let path: String
  /// Whether the file at the end of the path is watched, too.
  private let includesFile: Bool
  private let fileSystem: any FileSystem
  private let watcher: FolderWatcher
  private let changed: @Sendable () -> Void
  private let state = Lock(State())
  private let lane = BackgroundLane()

  /// Creates a watched path, whose file need not exist. `changed` is called on a background thread
  /// when the path may lead elsewhere than when it was last followed, or the file may have changed.
  package init(
    _ path: String, includesFile: Bool, on fileSystem: any FileSystem = LocalFileSystem(),
    watcher: FolderWatcher = .shared, changed: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.includesFile = includesFile
    self.fileSystem = fileSystem
    self.watcher = watcher
    self.changed = changed
  }

  /// Whether the path is checked periodically because it can't be followed.
  package var isBlocked: Bool { state.withLock { $0.isBlocked } }

  /// Whether the path contained a symbolic link when it was last followed.
  var hasLinks: Bool { state.withLock { $0.places.count > (includesFile ? 1 : 0) } }

  /// The reason why the system doesn't report all changes; nil if it reports them.
  package var problem: SuiteError? {
    let watches = state.withLock { $0.watches }
    for watch in watches {
      if let code = watch.problem { return .unwatched(watch.folder, Errno(code)) }
    }
    return nil
  }

  /// Follows the path and watches its links. Each change since the call began causes a
  /// notification.
  ///
  /// - Throws: `unreadable`, or `noLocation` for an invalid path.
  @discardableResult
  package func follow() throws(SuiteError) -> CanonicalPath {
    // A link may change before it is watched, but not forever.
    var attempts = 10
    while true {
      var links: [CanonicalPath] = []
      do throws(SuiteError) {
        let file = try CanonicalPath(path, on: fileSystem, links: &links)
        attempts -= 1
        if !watch(includesFile ? links + [file] : links) || attempts == 0 { return file }
      } catch {
        if error.code != .noLocation { watch(links, isBlocked: true) }
        throw error
      }
    }
  }

  /// Watches exactly these locations, and returns whether they are new.
  @discardableResult
  private func watch(_ visited: [CanonicalPath], isBlocked: Bool = false) -> Bool {
    // A path may lead through one link several times.
    var places: [CanonicalPath] = []
    for place in visited where !places.contains(place) { places.append(place) }
    let isNew = state.withLock { $0.places != places }
    if isNew { listen(to: places) }
    let mustPoll = state.withLock { state in
      state.isBlocked = isBlocked
      defer { state.hasPoll = state.hasPoll || isBlocked }
      return isBlocked && !state.hasPoll
    }
    if mustPoll { poll() }
    return isNew
  }

  private func listen(to places: [CanonicalPath]) {
    let watches = places.map { place in
      watcher.watch(place.folder, names: [place.name]) { [weak self] _, event in
        // A program that removes the old file usually adds a new file soon.
        if event != .written { self?.schedule(after: event == .gone ? 0.05 : 0) }
        return .news
      }
    }
    let old = state.withLock { state in
      defer { (state.places, state.watches) = (places, watches) }
      return state.watches
    }
    // A watch takes a lock when it is released.
    withExtendedLifetime(old) {}
  }

  /// Calls `changed` after a delay, once for all events meanwhile.
  private func schedule(after seconds: Double) {
    let isFirst = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    lane.perform(after: seconds) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isScheduled = false }
      changed()
    }
  }

  private func poll() {
    lane.perform(after: Self.pollInterval) { [weak self] in
      guard let self else { return }
      let goesOn = state.withLock { state in
        state.hasPoll = state.isBlocked
        return state.hasPoll
      }
      guard goesOn else { return }
      changed()
      poll()
    }
  }
}

extension SuiteError {
  /// Returns an error about a folder that the system can't watch.
  package static func unwatched(_ folder: String, _ cause: Errno) -> Self {
    let advice =
      switch cause.code {
      case .ENOSPC: "Raise the limit of watches (sysctl fs.inotify.max_user_watches)"
      case .EMFILE, .ENFILE:
        "Raise the limits of open files (ulimit -n) and of inotify instances (sysctl "
          + "fs.inotify.max_user_instances)"
      case .EACCES: "Give the user that runs the program read access to the folder"
      default: "The library tries again"
      }
    return SuiteError(
      .fileWatchingUnavailable,
      "The system can't watch the folder (\(cause.words)), so it is checked for external changes "
        + "twice a second. \(advice)",
      path: folder, underlying: cause.posixError)
  }
}
