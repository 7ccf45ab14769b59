import Foundation

/// A path that is followed through symbolic links, any of which may come to lead elsewhere, as where
/// a folder is exchanged by the link to it: the place of each link is watched.
final class WatchedPath: Sendable {
  private struct State {
    var places: [CanonicalPath] = []
    var watches: [FolderWatcher.Watch] = []
    /// Whether the path can't be followed, so that the places behind an obstacle aren't known.
    var isBlocked = false
    /// Whether the next look is on its way; it ends there if the path can be followed then.
    var hasPoll = false
    var isScheduled = false
  }

  /// The seconds between two looks at a path that can't be followed.
  private static let pollInterval = 0.5

  let path: String
  /// Whether the file at the end of the path is watched, too.
  private let includesFile: Bool
  private let fileSystem: any FileSystem
  private let watcher: FolderWatcher
  private let changed: @Sendable () -> Void
  private let state = Lock(State())
  private let lane = BackgroundLane()

  /// A path; what it leads to need not exist. `changed` is called on a thread of the library when
  /// the path may lead elsewhere than when it was followed last, or the file may have changed.
  init(
    _ path: String, includesFile: Bool, on fileSystem: any FileSystem = LocalFileSystem(),
    watcher: FolderWatcher = .shared, changed: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.includesFile = includesFile
    self.fileSystem = fileSystem
    self.watcher = watcher
    self.changed = changed
  }

  /// Whether the path is looked at now and then, because it can't be followed.
  var isBlocked: Bool { state.withLock { $0.isBlocked } }

  /// Whether the path led through a symbolic link when it was followed last.
  var hasLinks: Bool { state.withLock { $0.places.count > (includesFile ? 1 : 0) } }

  /// Why the system doesn't tell of all changes.
  var problem: SuiteError? {
    let watches = state.withLock { $0.watches }
    for watch in watches {
      if let code = watch.problem { return .unwatched(watch.folder, POSIXError(code)) }
    }
    return nil
  }

  /// Follows the path, and watches the links on the way. Each change after the call began is notified.
  ///
  /// Throws `unreadable`, or `noLocation` for a path that no file can have.
  @discardableResult
  func follow() throws(SuiteError) -> CanonicalPath {
    // A link on the way may come to lead elsewhere before it is watched, but not forever.
    var last: CanonicalPath?
    for _ in 1...10 {
      var links: [CanonicalPath] = []
      do throws(SuiteError) {
        let file = try CanonicalPath(path, on: fileSystem, links: &links)
        last = file
        if !watch(includesFile ? links + [file] : links) { break }
      } catch {
        if error.code == .noLocation { throw error }
        watch(links, isBlocked: true)
        throw error
      }
    }
    guard let last else { throw SuiteError(.unreadable, "The path can't be followed", path: path) }
    return last
  }

  /// Watches these places, and no others; returns whether they are new.
  @discardableResult
  private func watch(_ visited: [CanonicalPath], isBlocked: Bool = false) -> Bool {
    // A way may lead through one link several times.
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
        // What takes the old file away mostly puts a new one there.
        if event != .written { self?.schedule(after: event == .gone ? 0.05 : 0) }
        return true
      }
    }
    let old = state.withLock { state in
      defer { (state.places, state.watches) = (places, watches) }
      return state.watches
    }
    // A watch takes a lock when it ends.
    withExtendedLifetime(old) {}
  }

  /// Calls `changed`, once for all that happens until then.
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
  /// The system has no watch for a folder.
  static func unwatched(_ folder: String, _ cause: POSIXError) -> Self {
    let advice =
      switch cause.code {
      case .ENOSPC: "Raise the limit of watches (sysctl fs.inotify.max_user_watches)"
      case .EMFILE, .ENFILE:
        "Raise the limits of open files (ulimit -n) and of watching programs (sysctl "
          + "fs.inotify.max_user_instances)"
      case .EACCES: "Let the user that runs the program list the folder"
      default: "It is tried again"
      }
    let words = String(cString: strerror(cause.code.rawValue))
    return SuiteError(
      .fileWatchingUnavailable,
      "The system doesn't watch the folder (\(words)), so changes of other processes are looked for "
        + "twice a second. \(advice)",
      path: folder, underlying: cause)
  }
}
