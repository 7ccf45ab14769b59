#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The thread that reads the events of all watched folders and calls the handlers.
  ///
  /// The library's own writes cause events, too. Each event would wake this thread, and takes the
  /// writer almost a microsecond. So the thread pauses after such events. While all watched files
  /// of a folder change all the time, the folder is muted: the system reports no writes, and the
  /// thread calls the handlers after each pause.
  struct FolderEventReader {
    /// The range of pauses, in nanoseconds.
    private static let pauses: ClosedRange<UInt64> = 50_000...2_000_000

    private let watcher: FolderWatcher
    private let inotify: Inotify
    private let rest = Alarm()
    private var pause = Self.pauses.lowerBound
    /// The calls to repeat after the next pause.
    private var postponed: [Call] = []
    /// The muted folder; at most one is muted at a time.
    private var muted: WatchedPlace?
    /// The number of results that were stored when the folder was muted. Each later one may be of a
    /// comparison that watched the folder again, for all events.
    private var mutedAt: UInt64 = 0

    /// A call of a handler.
    private struct Call {
      let watch: FolderWatcher.Watch
      let name: String
      let event: FolderWatcher.Event
    }

    init(_ watcher: FolderWatcher, _ inotify: Inotify) {
      self.watcher = watcher
      self.inotify = inotify
    }

    /// Reads events until the process ends.
    consuming func run() {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
      var last = ContinuousClock.now
      // A handler may fork. Only the parent reads the events.
      while !Forking.isChild {
        let old = postponed
        var isNews = false
        if postponed.isEmpty || inotify.hasEvents {
          let count = read(inotify.descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else {
            if count < 0, errno == EINTR { continue }
            return
          }
          isNews = handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else {
          postponed = []
          for call in old { isNews = make(call) || isNews }
        }
        updateMuted(old)
        let now = ContinuousClock.now
        if isNews || now - last > .milliseconds(10) { pause = Self.pauses.lowerBound }
        last = now
        if !isNews {
          _ = rest.wait(until: MonotonicClock.now + pause)
          pause = min(2 * pause, Self.pauses.upperBound)
        }
      }
    }

    private mutating func handle(_ events: UnsafeRawBufferPointer) -> Bool {
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
        // An empty folder that was replaced by another one reports nothing else while a process has
        // a file open that was in it.
        let lostLink = UInt32(IN_ATTRIB) | UInt32(IN_ISDIR)
        let mayBeGone = isItself || name.isEmpty && event.mask & lostLink == lostLink
        // Most events are writes of files.
        let isWrite = event.mask & ~UInt32(IN_MODIFY | IN_CLOSE_WRITE) == 0
        let (watches, isSuspect) = watcher.state.withLock { state in
          let removal = UInt32(IN_DELETE) | UInt32(IN_ISDIR)
          let isRemoval = event.mask & removal == removal
          let isSuspect =
            !isWrite
            && state.folders.suspect(
              event.wd, isItself: mayBeGone, removed: isRemoval ? name : nil)
          return (isItself ? [] : state.folders.watches(at: event.wd, name), isSuspect)
        }
        mustLook = mustLook || isSuspect
        for watch in watches {
          let call = Call(watch: watch, name: name, event: Self.event(of: event.mask))
          isNews = make(call) || isNews
        }
      }
      if mustLook { watcher.scheduleLook(after: 0) }
      return isNews
    }

    /// Calls a handler. Returns whether another process caused the event.
    private mutating func make(_ call: Call) -> Bool {
      switch call.watch.handler(call.name, call.event) {
      case .news: return true
      case .handled: return false
      case .postponed:
        let isKnown = postponed.contains { $0.watch === call.watch && $0.name == call.name }
        if !isKnown { postponed.append(call) }
        return false
      }
    }

    private static func event(of mask: UInt32) -> FolderWatcher.Event {
      if mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB) != 0 { return .complete }
      if mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 { return .gone }
      return mask & UInt32(IN_MODIFY) != 0 ? .written : .unknown
    }
  }

  // MARK: - Muting

  extension FolderEventReader {
    /// Mutes a folder when the calls of all its watches were postponed twice in a row, and unmutes
    /// it when one wasn't.
    ///
    /// - Parameter old: The calls that were postponed before the last ones.
    private mutating func updateMuted(_ old: [Call]) {
      if let muted {
        let (watches, results) = watcher.state.withLock { state in
          (state.folders.watches(at: muted.number, ""), state.folders.lastRevision)
        }
        if !watches.isEmpty, watches.allSatisfy(isPostponed) {
          if results != mutedAt { mute(muted, at: results) }
          return
        }
        self.muted = nil
        add(muted, events: Inotify.events)
        // Changes until now caused no event.
        for call in old where !isPostponed(call.watch) { postponed.append(call) }
      } else if let watch = postponed.first?.watch, old.contains(where: { $0.watch === watch }) {
        let (place, watches, results) = watcher.state.withLock { state in
          let place = state.folders.place(of: watch.folder)
          let watches = place.map { state.folders.watches(at: $0.number, "") } ?? []
          return (place, watches, state.folders.lastRevision)
        }
        guard let place, place.path == watch.folder, watches.allSatisfy(isPostponed) else { return }
        mute(place, at: results)
      }
    }

    private mutating func mute(_ place: WatchedPlace, at results: UInt64) {
      (muted, mutedAt) = (place, results)
      add(place, events: Inotify.events & ~UInt32(IN_MODIFY))
    }

    private func isPostponed(_ watch: FolderWatcher.Watch) -> Bool {
      postponed.contains { $0.watch === watch }
    }

    /// Changes the events of a watched folder.
    private func add(_ place: WatchedPlace, events: UInt32) {
      let isSame = watcher.state.withLock { state in
        guard state.folders.isUsed(place.number) else { return true }
        let number = inotify.change(place.path, events: events)
        if let number, !state.folders.isUsed(number) { inotify.remove(number) }
        return number == place.number
      }
      // The path leads to another folder.
      if !isSame { watcher.verify(place.path) }
    }
  }
#endif
