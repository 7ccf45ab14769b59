import Foundation

/// A file that others write, and that is read here alone: whoever has it is told when it has
/// changed, and reads it then.
///
/// The path may lead through symbolic links, which may come to lead elsewhere at any time, as where
/// a whole folder is exchanged by the link to it: the place of each of them is watched.
package final class WatchedFile: Sendable {
  private struct State {
    var places: Set<CanonicalPath> = []
    var watches: [FolderWatcher.Watch] = []
    var isPolling = false
    var isScheduled = false
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

  /// The content of the file; nil if there is none. Throws `unreadable`. Whatever changes after the
  /// call began is told.
  package func read() throws(SuiteError) -> Data? {
    var links: [CanonicalPath] = []
    let file: CanonicalPath
    do throws(SuiteError) {
      file = try CanonicalPath(path, links: &links)
    } catch {
      watch(links)
      throw error
    }
    watch(links + [file])
    return try StoredFile(path: path).readWritten()?.data
  }

  /// Listens to what happens to these names, and to no others.
  private func watch(_ places: [CanonicalPath]) {
    let places = Set(places)
    guard !places.isEmpty else { return startPolling() }
    guard state.withLock({ $0.places != places }) else { return }
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
    } catch {
      startPolling()
    }
  }

  private func startPolling() {
    let isFirst = state.withLock { state in
      defer { state.isPolling = true }
      return !state.isPolling
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
      changed()
      poll()
    }
  }
}
