import Foundation

#if canImport(Glibc) || canImport(Musl)
  /// Reports events in folders, with one inotify descriptor and one thread per process.
  ///
  /// For a missing folder, the nearest existing parent folder is watched. The system watches
  /// folders, not paths, so a second mechanism compares the paths with the watched folders: see
  /// `look()`.
  package final class FolderWatcher: Sendable {
    /// A watch on files in a folder, which ends when the object is released.
    package final class Watch: Sendable {
      package let folder: String
      let names: Set<String>
      let handler: Handler
      private let watcher: FolderWatcher

      fileprivate init(
        _ folder: String, _ names: Set<String>, _ handler: @escaping Handler,
        _ watcher: FolderWatcher
      ) {
        self.folder = folder
        self.names = names
        self.handler = handler
        self.watcher = watcher
      }

      /// The reason why the folder isn't watched; nil if it is watched.
      package var problem: POSIXErrorCode? {
        watcher.state.withLock { $0.folders.problem(of: folder) }
      }

      /// Calls the handler with an event about the folder.
      func handle(_ event: Event) { _ = handler("", event) }

      deinit { watcher.remove(self) }
    }

    struct State {
      var folders = WatchedFolders()
      /// nil before the first watch.
      var inotify: Inotify?
      var looks = LookSchedule()
    }

    package static let shared = FolderWatcher()
    let state = Lock(State())
    let lane = BackgroundLane()
    fileprivate let add: Inotify.Add
    /// The seconds between rounds, which compare all folders.
    let round: Double

    init(addingBy add: @escaping Inotify.Add = Inotify.system, round: Double = 10) {
      self.add = add
      self.round = round
    }

    /// Watches files with these names in a folder; with an empty name, all files.
    ///
    /// The handler is called with events about these names, and with events that may affect all
    /// names. If the system can't watch the folder, it is called with `unwatched` before this
    /// returns. A forked child watches nothing, since the descriptor is the parent's.
    package func watch(
      _ folder: String, names: Set<String>, _ handler: @escaping Handler
    ) -> Watch {
      let watch = Watch(folder, names, handler, self)
      if Forking.isChild { return watch }
      let (event, others) = state.withLock { state -> (Event?, [Watch]) in
        state.folders.add(watch)
        let result = Result { () throws(Errno) in
          try state.openInotify(of: self).watch(folder)
        }
        let (event, unused) = state.folders.put(result, for: folder)
        for number in unused { state.inotify?.remove(number) }
        return (event, event == nil ? [] : state.folders.watches(of: folder))
      }
      // The path may lead to another folder than for the earlier watches.
      if let event { for other in others where other !== watch { other.handle(event) } }
      if let problem = watch.problem { watch.handle(.unwatched(problem)) }
      // After a pause, since programs open many suites in a row.
      scheduleLook(after: Self.pause)
      return watch
    }

    private func remove(_ watch: Watch) {
      // In a forked child, the watches of the descriptor are the parent's.
      if Forking.isChild { return }
      state.withLock { state in
        if let unused = state.folders.remove(watch) { state.inotify?.remove(unused) }
      }
    }
  }

  extension FolderWatcher.State {
    /// Returns the descriptor, and opens it if necessary.
    mutating func openInotify(of watcher: FolderWatcher) throws(Errno) -> Inotify {
      if let inotify { return inotify }
      let new = try Inotify(addingBy: watcher.add)
      guard LibraryThread.start({ FolderEventReader(watcher, new).run() }) else {
        new.close()
        throw Errno(.EAGAIN)
      }
      inotify = new
      return new
    }
  }
#endif

extension FolderWatcher {
  /// An event about a file in a folder.
  package enum Event: Equatable, Sendable {
    /// The file was written, but may be incomplete.
    case written
    /// The file is complete: its writer closed it, or it got its name.
    case complete
    /// The file has lost its name.
    case gone
    /// Anything may have happened: events were dropped, the path leads to another folder, or the
    /// folder isn't watched.
    case unknown
    /// The system can't watch the folder. `unknown` follows twice a second until it can.
    case unwatched(POSIXErrorCode)
    /// The system watches the folder again. Anything may have happened meanwhile.
    case watched
  }

  /// The result of handling an event.
  package enum Reaction: Sendable {
    /// Another process caused the event.
    case news
    case handled
    /// The event can't be handled now, or the file changes all the time. The handler is called
    /// again after a pause, and again until it returns another result. Events of written files
    /// may be omitted meanwhile.
    case postponed
  }

  /// Handles an event. It runs on a thread that serves all suites, so it must not wait for a lock
  /// that may be held for long.
  package typealias Handler = @Sendable (_ name: String, Event) -> Reaction
}
