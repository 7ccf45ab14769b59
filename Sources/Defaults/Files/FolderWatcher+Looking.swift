#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The comparison of paths with the watched folders.
  ///
  /// If a folder on the path is moved, exchanged, recreated or mounted over, the path leads to
  /// another folder, but the watch stays with the old folder. Moves of parent folders, and removals
  /// in the nearest one, cause events if the user may list these. Other changes are found in the
  /// next round. Watching a path again shows whether it still leads to the watched folder, and
  /// watches the right folder at once.
  extension FolderWatcher {
    /// The seconds between attempts to watch an unwatched folder.
    private static let pollInterval = 0.5
    /// The minimum seconds between comparisons, for folders that are exchanged all the time.
    static let pause = 0.1

    /// Compares a path with the watched folder soon, since it may lead to another folder.
    func verify(_ folder: String) {
      if state.withLock({ $0.folders.verify(folder) }) { scheduleLook(after: Self.pause) }
    }

    /// Schedules a comparison after at most the given seconds on a background thread. The watcher's
    /// own thread must not be blocked by a disk that doesn't answer.
    func scheduleLook(after seconds: Double) {
      let now = MonotonicClock.now
      let time = state.withLock {
        $0.looks.arm(at: now + UInt64(seconds * 1e9), pause: UInt64(Self.pause * 1e9))
      }
      guard let time else { return }
      lane.perform(after: time > now ? Double(time - now) / 1e9 : 0) { [weak self] in
        guard let self, state.withLock({ $0.looks.fire(time) }) else { return }
        look()
      }
    }

    /// Watches all due folders again, and calls the handlers of changed folders.
    private func look() {
      let now = MonotonicClock.now
      let work = state.withLock { state -> Work? in
        guard !state.folders.isEmpty || state.inotify != nil else { return nil }
        let isRound = state.looks.begin(at: now, round: UInt64(round * 1e9))
        let inotify = Result { () throws(Errno) in try state.openInotify(of: self) }
        let mustClimb = isRound || state.folders.hasNew
        return Work(
          inotify: inotify, folders: state.folders.due(isRound: isRound),
          ancestors: mustClimb ? state.folders.pathsAbove : nil)
      }
      guard let work else { return }
      // Without a lock, since this may take long.
      let found = work.run()
      for (watch, event) in take(work, found) { watch.handle(event) }
    }

    private struct Work {
      let inotify: Result<Inotify, Errno>
      let folders: [(path: String, revision: UInt64, number: CInt?, isSuspect: Bool)]
      /// The paths of the folders above, and whether each is the parent of a watched one; nil if
      /// their watches are up to date.
      let ancestors: [String: Bool]?

      struct Found {
        var ancestors: [String: CInt] = [:]
        var places: [Result<WatchedPlace, Errno>] = []
      }

      /// Watches the parent folders, then checks which folders the paths lead to.
      func run() -> Found {
        var found = Found()
        if case .success(let inotify) = inotify {
          for (path, isParent) in ancestors ?? [:] {
            // Without a watch (no permission, or too many), the next round finds a move.
            if let number = try? inotify.watchAncestor(path, isParent: isParent) {
              found.ancestors[path] = number
            }
          }
        }
        found.places = folders.map { folder in
          Result { () throws(Errno) in
            let inotify = try inotify.get()
            do throws(Errno) {
              return try inotify.watch(folder.path)
            } catch {
              // Removing the old folder's watch may free the required one.
              guard error.code == .ENOSPC, let number = folder.number else { throw error }
              inotify.remove(number)
              return try inotify.watch(folder.path)
            }
          }
        }
        return found
      }
    }

    /// Stores the results of a comparison and returns the handlers to call.
    private func take(_ work: Work, _ found: Work.Found) -> [(Watch, Event)] {
      let (calls, interval) = state.withLock { state -> ([(Watch, Event)], Double?) in
        var calls: [(Watch, Event)] = []
        var unused: [CInt] = []
        for (folder, result) in zip(work.folders, found.places) {
          let (event, old) = state.folders.put(result, for: folder.path, revision: folder.revision)
          unused += old
          // A folder that was moved away and back is unchanged, but its files may have changed.
          guard let event = event ?? (folder.isSuspect ? .unknown : nil) else { continue }
          calls += state.folders.watches(of: folder.path).map { ($0, event) }
        }
        if work.ancestors != nil { unused += state.folders.put(ancestors: found.ancestors) }
        for number in unused { state.inotify?.remove(number) }
        if state.folders.isEmpty { return (calls, nil) }
        return (
          calls,
          state.folders.hasNew
            ? Self.pause : state.folders.hasUnwatched ? Self.pollInterval : round
        )
      }
      if let interval { scheduleLook(after: interval) }
      return calls
    }
  }

  /// The schedule of comparisons of paths with the watched folders, in times of ``MonotonicClock``.
  struct LookSchedule {
    private(set) var deadline: UInt64?
    /// The time of the last comparison.
    private(set) var last: UInt64 = 0
    private var nextRound: UInt64 = 0

    /// Arms a timer and returns its time; nil if an earlier timer is armed.
    mutating func arm(at wanted: UInt64, pause: UInt64) -> UInt64? {
      let time = max(wanted, last + pause)
      if let deadline, deadline <= time { return nil }
      deadline = time
      return time
    }

    /// Ends a timer. Returns false if another timer replaced it.
    mutating func fire(_ time: UInt64) -> Bool {
      guard deadline == time else { return false }
      deadline = nil
      return true
    }

    /// Begins a comparison. Returns whether it is a round.
    mutating func begin(at now: UInt64, round: UInt64) -> Bool {
      last = now
      guard now >= nextRound else { return false }
      nextRound = now + round
      return true
    }
  }
#endif
