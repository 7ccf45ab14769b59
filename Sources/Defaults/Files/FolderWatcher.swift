import Foundation

#if canImport(Glibc) || canImport(Musl)
  /// Reports events in folders, with one inotify descriptor and one thread per process.
  ///
  /// For a missing folder, the nearest existing parent folder is watched. The system watches
  /// folders, not paths, so a second mechanism compares the paths with the watched folders: see
  /// `look()`.
  package final class FolderWatcher: Sendable {
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

    /// Handles an event and returns whether another process caused it. It runs on a thread that
    /// serves all suites, so it must not wait for a lock that may be held for long.
    package typealias Handler = @Sendable (_ name: String, Event) -> Bool

    /// A watch on files in a folder, which ends when the object is released.
    package final class Watch: Sendable {
      package let folder: String
      let names: Set<String>
      fileprivate let handler: Handler
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

      /// Compares the path with the watched folder soon, since the path may lead to another folder.
      func verify() { watcher.verify(folder) }

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

    init(addingBy add: @escaping Inotify.Add = Inotify.system) { self.add = add }

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
        let result = Result { () throws(POSIXError) in
          try state.openInotify(of: self).watch(folder)
        }
        let (event, unused) = state.folders.put(result, for: folder)
        for number in unused { state.inotify?.remove(number) }
        state.looks.hasNewFolders = true
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
        guard
          let unused = state.folders.remove(
            ObjectIdentifier(watch), watch.names, in: watch.folder)
        else { return }
        state.inotify?.remove(unused)
      }
    }
  }

  extension FolderWatcher.State {
    /// Returns the descriptor, and opens it if necessary.
    mutating func openInotify(of watcher: FolderWatcher) throws(POSIXError) -> Inotify {
      if let inotify { return inotify }
      let new = try Inotify(addingBy: watcher.add)
      guard LibraryThread.start({ watcher.run(new.descriptor) }) else {
        new.close()
        throw POSIXError(.EAGAIN)
      }
      inotify = new
      return new
    }
  }

  // MARK: - Events

  extension FolderWatcher {
    /// The range of pauses after events that this process caused, in nanoseconds.
    private static let pauses: ClosedRange<UInt64> = 50_000...1_000_000

    /// Reads events until the process ends.
    fileprivate func run(_ descriptor: CInt) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
      let rest = Alarm()
      var pause = Self.pauses.lowerBound
      var last = ContinuousClock.now
      // A handler may fork. Only the parent reads the events.
      while !Forking.isChild {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else {
          if count < 0, errno == EINTR { continue }
          return
        }
        let isNews = handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        // The library's own writes cause events, too, each of which would wake this thread and slow
        // down the writer. So the thread reads again only after a pause, which grows.
        let now = ContinuousClock.now
        if isNews || now - last > .milliseconds(10) { pause = Self.pauses.lowerBound }
        last = now
        if !isNews {
          _ = rest.wait(until: MonotonicClock.now + pause)
          pause = min(2 * pause, Self.pauses.upperBound)
        }
      }
    }

    private func handle(_ events: UnsafeRawBufferPointer) -> Bool {
      var isNews = false
      var mustLook = false
      var last: (number: CInt, mask: UInt32, name: String)?
      var position = 0
      let headerSize = MemoryLayout<inotify_event>.size
      while position + headerSize <= events.count {
        let event = events.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
        let end = min(position + headerSize + Int(event.len), events.count)
        let name = String(
          decoding: events[position + headerSize..<end].prefix { $0 != 0 }, as: UTF8.self)
        position = end
        // Writes of one file come in bursts.
        if let last, last == (event.wd, event.mask, name) { continue }
        last = (event.wd, event.mask, name)
        let isItself =
          event.mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0
        let (watches, isSuspect) = state.withLock { state in
          let isSuspect = state.folders.suspect(event.wd, isItself: isItself)
          return (isItself ? [] : state.folders.watches(at: event.wd, name), isSuspect)
        }
        mustLook = mustLook || isSuspect
        for watch in watches {
          isNews = watch.handler(name, Self.event(of: event.mask)) || isNews
        }
      }
      if mustLook { scheduleLook(after: 0) }
      return isNews
    }

    private static func event(of mask: UInt32) -> Event {
      if mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB) != 0 { return .complete }
      if mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 { return .gone }
      return mask & UInt32(IN_MODIFY) != 0 ? .written : .unknown
    }
  }
#endif
