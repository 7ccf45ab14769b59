#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// Comparing the paths of folders with the folders that are watched.
  ///
  /// A folder above may be moved, exchanged, made again or mounted over: the path leads to another
  /// folder then, and the watch stays with the old one. Moves of the folders above give events, if
  /// the user may list these; all else is found at the next round. To watch a path again shows
  /// whether it leads to the folder that is watched, and watches the right one at once.
  extension FolderWatcher {
    /// The seconds between two looks at all folders.
    private static let round = 10.0
    /// The seconds between two looks at a folder without a watch.
    private static let pollInterval = 0.5
    /// The seconds between two looks at least, for folders that are exchanged all the time.
    static let pause = 0.1

    func verify(_ folder: String) {
      if state.withLock({ $0.folders.verify(folder) }) { scheduleLook(after: Self.pause) }
    }

    /// Has a thread of the library look after so many seconds at the latest. Not the watcher's own
    /// thread: a path may lead to a disk that doesn't answer.
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

    /// Watches what is due again, and calls the handlers of the folders that are other ones now.
    private func look() {
      let now = MonotonicClock.now
      let work = state.withLock { state -> Work? in
        guard !state.folders.isEmpty || state.inotify != nil else { return nil }
        let isRound = state.looks.begin(at: now, round: UInt64(Self.round * 1e9))
        let inotify = Result { () throws(POSIXError) in try state.openInotify(of: self) }
        let mustClimb = isRound || state.looks.hasNewFolders
        state.looks.hasNewFolders = false
        return Work(
          inotify: inotify, folders: state.folders.due(isRound: isRound),
          ancestors: mustClimb ? state.folders.pathsAbove : nil)
      }
      guard let work else { return }
      // No lock is held: this may take long.
      let found = work.run()
      for (watch, event) in take(work, found) { watch.handle(event) }
    }

    private struct Work {
      let inotify: Result<Inotify, POSIXError>
      let folders: [(path: String, revision: UInt64, number: CInt?, isSuspect: Bool)]
      /// nil if they are watched as they should be.
      let ancestors: Set<String>?

      struct Found {
        var ancestors: [String: CInt] = [:]
        var places: [Result<WatchedPlace, POSIXError>] = []
      }

      /// Watches the folders above first, and then looks where the paths lead.
      func run() -> Found {
        var found = Found()
        if case .success(let inotify) = inotify {
          for path in ancestors ?? [] {
            // Without a watch, for lack of rights or numbers, the next round finds a move.
            if let number = try? inotify.watchAncestor(path) { found.ancestors[path] = number }
          }
        }
        found.places = folders.map { folder in
          Result { () throws(POSIXError) in
            let inotify = try inotify.get()
            do throws(POSIXError) {
              return try inotify.watch(folder.path)
            } catch {
              // The watch of the old folder may be the one that is missing.
              guard error.code == .ENOSPC, let number = folder.number else { throw error }
              inotify.remove(number)
              return try inotify.watch(folder.path)
            }
          }
        }
        return found
      }
    }

    /// Puts what a look found in place; returns the handlers to call.
    private func take(_ work: Work, _ found: Work.Found) -> [(Watch, Event)] {
      let (calls, interval) = state.withLock { state -> ([(Watch, Event)], Double?) in
        var calls: [(Watch, Event)] = []
        var unused: [CInt] = []
        for (folder, result) in zip(work.folders, found.places) {
          let (event, old) = state.folders.put(result, for: folder.path, revision: folder.revision)
          unused += old
          if event != nil { state.looks.hasNewFolders = true }
          // A folder that was moved away and back is the same, and its files may not be.
          guard let event = event ?? (folder.isSuspect ? .unknown : nil) else { continue }
          calls += state.folders.watches(of: folder.path).map { ($0, event) }
        }
        if work.ancestors != nil { unused += state.folders.put(ancestors: found.ancestors) }
        for number in unused { state.inotify?.remove(number) }
        if state.folders.isEmpty { return (calls, nil) }
        return (
          calls,
          state.looks.hasNewFolders
            ? Self.pause : state.folders.hasUnwatched ? Self.pollInterval : Self.round
        )
      }
      if let interval { scheduleLook(after: interval) }
      return calls
    }
  }

  /// When the paths of folders are compared with what is watched; times are those of
  /// ``MonotonicClock``.
  struct LookSchedule {
    private var deadline: UInt64?
    private var last: UInt64 = 0
    private var nextRound: UInt64 = 0
    /// Whether folders above may be without a watch.
    var hasNewFolders = false

    /// Arms a timer; returns its time, or nil if one is armed that is early enough.
    mutating func arm(at wanted: UInt64, pause: UInt64) -> UInt64? {
      let time = max(wanted, last + pause)
      if let deadline, deadline <= time { return nil }
      deadline = time
      return time
    }

    /// Ends a timer; false for one that another one has replaced.
    mutating func fire(_ time: UInt64) -> Bool {
      guard deadline == time else { return false }
      deadline = nil
      return true
    }

    /// Begins a look; returns whether it is one at all folders.
    mutating func begin(at now: UInt64, round: UInt64) -> Bool {
      last = now
      guard now >= nextRound else { return false }
      nextRound = now + round
      return true
    }
  }
#endif
