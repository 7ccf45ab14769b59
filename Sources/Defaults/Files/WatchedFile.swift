import Foundation

/// A file that others write, and that is read here alone: whoever has it is told when it has
/// changed, and reads it then.
///
/// The path may lead through symbolic links, which may come to lead elsewhere at any time, as where
/// a whole folder is exchanged by the link to it: the place of each of them is watched.
package final class WatchedFile: Sendable {
  private struct State {
    var places: [CanonicalPath] = []
    var watches: [FolderWatcher.Watch] = []
    var isPolling = false
    /// Whether the next look is on its way; it ends there if nothing is to be polled then.
    var hasPoll = false
    var isScheduled = false
    /// A forked child doesn't hear what its parent listens to.
    var forks = Forking.forks
  }

  /// How often the file is looked at where the system doesn't tell of changes.
  private static let pollInterval = 0.5

  package let path: String
  private let changed: @Sendable () -> Void
  private let state = Lock(State())
  private let lane = BackgroundLane()

  /// A file, which need not exist. `changed` is called on a thread of the library when it may have
  /// changed since it was read last, or has come or gone.
  package init(path: String, changed: @escaping @Sendable () -> Void) {
    self.path = path
    self.changed = changed
  }

  /// The path of a file URL as the system follows it, with its `..`; nil for any other URL.
  package static func path(of url: URL) -> String? { CanonicalPath.path(of: url) }

  /// Whether the file is looked at now and then, because the system doesn't tell of all changes.
  var isPolling: Bool { state.withLock { $0.isPolling } }

  /// The content of the file; nil if there is none. Throws `unreadable`, or `noLocation` for a path
  /// that none can have. Whatever changes after the call began is told.
  package func read() throws(SuiteError) -> Data? {
    // A link on the way may come to lead elsewhere before it is watched, but not forever.
    for _ in 1...10 {
      var links: [CanonicalPath] = []
      do throws(SuiteError) {
        let file = try CanonicalPath(path, links: &links)
        if !watch(links + [file]) { break }
      } catch {
        if error.code == .noLocation { throw error }
        watch(links, isBlocked: true)
        throw error
      }
    }
    return try StoredFile(path: path).readWritten()?.data
  }

  /// Listens to what happens to these names, and to no others; returns whether they are new. Behind
  /// an obstacle nothing can be listened to.
  @discardableResult
  private func watch(_ visited: [CanonicalPath], isBlocked: Bool = false) -> Bool {
    // A way may lead through one link several times.
    var places: [CanonicalPath] = []
    for place in visited where !places.contains(place) { places.append(place) }
    let parents = state.withLock { state -> State? in
      guard state.forks != Forking.forks else { return nil }
      defer { state = State() }
      return state
    }
    withExtendedLifetime(parents) {}
    // The system tells nothing of a folder that can't be listed.
    let isDeaf = isBlocked || places.contains { access($0.folder, R_OK) != 0 && errno == EACCES }
    let isNew = state.withLock { $0.places != places }
    let isWatched = isNew ? listen(to: places) : true
    if isDeaf || !isWatched { startPolling() } else { state.withLock { $0.isPolling = false } }
    return isNew && isWatched
  }

  /// Listens to what happens to these names; returns whether the system can do that.
  private func listen(to places: [CanonicalPath]) -> Bool {
    do throws(POSIXError) {
      var watches: [FolderWatcher.Watch] = []
      for place in places {
        watches.append(
          try FolderWatcher.shared.watch(place.folder, names: [place.name]) {
            [weak self] _, event in
            if event != .written { self?.schedule(after: event == .gone ? 0.05 : 0) }
            return true
          })
      }
      let old = state.withLock { state in
        defer { (state.places, state.watches) = (places, watches) }
        return state.watches
      }
      // A watch takes a lock when it ends.
      withExtendedLifetime(old) {}
      return true
    } catch {
      return false
    }
  }

  private func startPolling() {
    let isFirst = state.withLock { state in
      defer { (state.isPolling, state.hasPoll) = (true, true) }
      return !state.hasPoll
    }
    if isFirst { poll() }
  }

  /// Tells that the file has changed, once for all that happens until then. What takes the old file
  /// away mostly puts a new one there.
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
        state.hasPoll = state.isPolling
        return state.hasPoll
      }
      guard goesOn else { return }
      changed()
      poll()
    }
  }
}
