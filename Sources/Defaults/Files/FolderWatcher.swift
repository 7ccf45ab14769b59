import Foundation

#if canImport(Glibc) || canImport(Musl)
  /// Reports what happens in folders, with one inotify descriptor and one thread for the process.
  ///
  /// A folder that isn't there is waited for, at the nearest one above it that is.
  final class FolderWatcher: Sendable {
    /// What happened to a file in a folder.
    enum Event: Sendable {
      /// It grew, or was written; perhaps not to the end yet.
      case written
      /// It is complete: whoever wrote it closed it, or it got its name.
      case complete
      /// It has lost its name.
      case gone
      /// Anything; so many events came that some were dropped, or the folder itself came or went.
      case unknown
    }

    /// Learns what happened, and returns whether it was news. Runs on the watcher's thread,
    /// which serves all suites.
    typealias Handler = @Sendable (_ name: String, Event) -> Bool

    /// Files in a folder are watched as long as this object lives.
    final class Watch: Sendable {
      let folder: String
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

      deinit { watcher.remove(ObjectIdentifier(self), names) }
    }

    static let shared = FolderWatcher()
    private let state = Lock(State())

    /// Watches files of these names in a folder; throws if the system has no watch left.
    ///
    /// The handler hears of these names alone, of anything that may concern all names, and where
    /// the folder isn't there yet, of what happens in the one that is watched for it.
    func watch(
      _ folder: String, names: Set<String>, _ handler: @escaping Handler
    ) throws(POSIXError) -> Watch {
      let watch = Watch(folder, names, handler, self)
      // The parent's are released without the lock, which a watch takes when it ends.
      var orphans: State?
      defer { withExtendedLifetime(orphans) {} }
      try state.withLock { state throws(POSIXError) in
        if state.forks != Forking.forks {
          orphans = state
          state = State()
        }
        let isFirst = state.descriptor == nil
        let descriptor =
          if let present = state.descriptor {
            present
          } else {
            try SystemCall.open { inotify_init1(CInt(IN_CLOEXEC)) }
          }
        do throws(POSIXError) {
          let (place, number) = try Self.add(folder, to: descriptor)
          guard !isFirst || LibraryThread.start({ self.run(descriptor) }) else {
            throw POSIXError(.EAGAIN)
          }
          state.add(watch, at: place, number)
        } catch {
          if isFirst { close(descriptor) }
          throw error
        }
        state.descriptor = descriptor
      }
      return watch
    }

    private func remove(_ watch: ObjectIdentifier, _ names: Set<String>) {
      state.withLock { state in
        guard let unused = state.remove(watch, names), let descriptor = state.descriptor,
          // A forked child has the parent's descriptor, but the watches are the parent's.
          state.forks == Forking.forks
        else { return }
        inotify_rm_watch(descriptor, unused)
      }
    }

    private struct State {
      struct Entry {
        let id: ObjectIdentifier
        weak var watch: Watch?
        /// The system's number of the folder that is watched.
        let number: CInt
        /// Whether this is the watch's only entry, or the one of its several names that counts
        /// where an event concerns all names.
        var isFirst = true
      }

      /// Those who watch their own folder, by each of the names: thousands of suites may lie in
      /// one folder, and each event concerns one of them.
      ///
      /// Not by identifier: the first dictionary of a new kind of key costs a process 0.1 ms, in
      /// which the system finds out how the key is hashed.
      var entries: [String: [Entry]] = [:]
      /// Those whose folder isn't there, and who watch one above it.
      var above: [Entry] = []
      /// nil before the first watch.
      var descriptor: CInt?
      var forks = Forking.forks

      mutating func add(_ watch: Watch, at place: String, _ number: CInt) {
        var entry = Entry(id: ObjectIdentifier(watch), watch: watch, number: number)
        if place == watch.folder {
          for name in watch.names {
            entries[name, default: []].append(entry)
            entry.isFirst = false
          }
        } else {
          above.append(entry)
        }
      }

      /// Takes a watch of these names out; returns the number of its folder if nobody watches
      /// that anymore.
      mutating func remove(_ watch: ObjectIdentifier, _ names: Set<String>) -> CInt? {
        var number: CInt?
        if let index = above.firstIndex(where: { $0.id == watch }) {
          number = above.remove(at: index).number
        }
        for name in names {
          guard let index = entries[name]?.firstIndex(where: { $0.id == watch }) else { continue }
          number = entries[name]?.remove(at: index).number
          if entries[name]?.isEmpty == true { entries[name] = nil }
        }
        guard let number else { return nil }
        let isUsed = ([above] + entries.values).contains { $0.contains { $0.number == number } }
        return isUsed ? nil : number
      }

      /// The watches that an event of this name in a folder concerns, and whether they watch
      /// their own one; without a name it is the folder's own event, and a negative number stands
      /// for all folders.
      ///
      /// Called with the lock, which a watch takes when it ends: each one that is looked at is
      /// among those returned, so that none ends here if everybody else lets go of it.
      func watches(at number: CInt, _ name: String) -> [(watch: Watch, isInPlace: Bool)] {
        var found: [(watch: Watch, isInPlace: Bool)] = []
        func find(among entries: some Sequence<Entry>, isInPlace: Bool) {
          for entry in entries where number < 0 || number == entry.number {
            if let watch = entry.watch { found.append((watch, isInPlace)) }
          }
        }
        find(among: above, isInPlace: false)
        if number >= 0, !name.isEmpty {
          find(among: entries[name] ?? [], isInPlace: true)
        } else {
          find(among: entries.values.joined().lazy.filter(\.isFirst), isInPlace: true)
        }
        return found
      }
    }

    private static func checked(_ result: CInt) throws(POSIXError) -> CInt {
      guard result < 0 else { return result }
      throw POSIXError(number: errno)
    }

    /// Watches the nearest folder that exists.
    private static func add(
      _ folder: String, to descriptor: CInt
    ) throws(POSIXError) -> (place: String, number: CInt) {
      let events =
        IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM
        | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
      var place = folder
      // Folders may come and go meanwhile, but not forever.
      for _ in 0..<1_000 {
        do throws(POSIXError) {
          let number = try checked(inotify_add_watch(descriptor, place, UInt32(events)))
          if place == folder { return (place, number) }
          // What was made before the watch was set gives no event.
          guard let deeper = nextFolder(below: place, towards: folder) else {
            return (place, number)
          }
          place = deeper
        } catch {
          guard [.ENOENT, .ENOTDIR, .EACCES].contains(error.code), place != "/" else { throw error }
          place = CanonicalPath.folder(of: place)
        }
      }
      throw POSIXError(.EACCES)
    }

    /// The folder one level below another one on the way to a third, if it can be watched now.
    private static func nextFolder(below place: String, towards folder: String) -> String? {
      var next = folder
      while case let parent = CanonicalPath.folder(of: next), parent != place { next = parent }
      return access(next, R_OK) == 0 ? next : nil
    }
  }

  extension FolderWatcher {
    /// How long nobody looks after events that were no news, in microseconds.
    private static let pauses: ClosedRange<UInt32> = 50...1_000

    /// Reads events as they come, for as long as the process lives.
    private func run(_ descriptor: CInt) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
      var pause = Self.pauses.lowerBound
      var last = ContinuousClock.now
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else {
          if count < 0, errno == EINTR { continue }
          return
        }
        var isNews = false
        Forking.inBackground {
          isNews = handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        // These were our own writes, and more may come: each would wake this thread. So it reads
        // again in a moment, a longer one each time, and the writer isn't held up.
        let now = ContinuousClock.now
        if isNews || now - last > .milliseconds(10) { pause = Self.pauses.lowerBound }
        last = now
        if !isNews {
          usleep(pause)
          pause = min(2 * pause, Self.pauses.upperBound)
        }
      }
    }

    private func handle(_ events: UnsafeRawBufferPointer) -> Bool {
      var isNews = false
      var last: (number: CInt, mask: UInt32, name: String)?
      var position = 0
      let headerSize = MemoryLayout<inotify_event>.size
      while position + headerSize <= events.count {
        let event = events.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
        let end = min(position + headerSize + Int(event.len), events.count)
        let name = String(
          decoding: events[position + headerSize..<end].prefix { $0 != 0 }, as: UTF8.self)
        position = end
        // Writes of one file come in swarms.
        if let last, last == (event.wd, event.mask, name) { continue }
        last = (event.wd, event.mask, name)
        for watch in watches(of: event, name) {
          isNews = watch.handler(name, Self.event(of: event.mask)) || isNews
        }
      }
      return isNews
    }

    /// The watches that an event concerns; those whose folder came or went watch the right one from
    /// now on.
    private func watches(of event: inotify_event, _ name: String) -> [Watch] {
      // Held until the lock is free, which a watch takes when it ends.
      var held: [(watch: Watch, isInPlace: Bool)] = []
      defer { withExtendedLifetime(held) {} }
      return state.withLock { state in
        guard let descriptor = state.descriptor else { return [] }
        let isLost = event.mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0
        if event.mask & UInt32(IN_MOVE_SELF) != 0 { inotify_rm_watch(descriptor, event.wd) }
        held = state.watches(at: event.wd, isLost ? "" : name)
        return held.compactMap { watch, isInPlace in
          if !isLost, isInPlace { return watch }
          guard let (place, number) = try? Self.add(watch.folder, to: descriptor) else {
            return nil
          }
          let unused = state.remove(ObjectIdentifier(watch), watch.names)
          state.add(watch, at: place, number)
          if let unused, unused != number { inotify_rm_watch(descriptor, unused) }
          return watch
        }
      }
    }

    private static func event(of mask: UInt32) -> Event {
      if mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB) != 0 { return .complete }
      if mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 { return .gone }
      return mask & UInt32(IN_MODIFY) != 0 ? .written : .unknown
    }
  }
#endif
