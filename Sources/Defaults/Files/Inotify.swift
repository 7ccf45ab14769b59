#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The folder that the system watches for a path: the folder itself or its nearest existing
  /// parent.
  struct WatchedPlace: Equatable, Sendable {
    let path: String
    /// The system's number of the watch. It identifies the folder, not the path: when the path
    /// leads to another folder, the number differs.
    let number: CInt
  }

  /// The system calls of `inotify(7)` on one descriptor, which stays open until the process ends.
  struct Inotify: Sendable {
    /// `inotify_add_watch(2)` or a test's replacement.
    typealias Add = @Sendable (CInt, String, UInt32) -> CInt

    static let system: Add = { inotify_add_watch($0, $1, $2) }

    /// The events of a watched folder.
    static let events = UInt32(
      IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
        | IN_DELETE_SELF | IN_MOVE_SELF)

    let descriptor: CInt
    private let add: Add

    /// Opens a descriptor. Throws `EMFILE` if the user has too many descriptors.
    init(addingBy add: @escaping Add) throws(Errno) {
      descriptor = try SystemCall.open { inotify_init1(CInt(IN_CLOEXEC)) }
      self.add = add
    }

    func close() { Foundation.close(descriptor) }

    /// Whether a read returns events at once.
    var hasEvents: Bool {
      var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&target, 1, 0) > 0
    }

    func remove(_ number: CInt) { inotify_rm_watch(descriptor, number) }

    /// Changes the events of a watched folder. Returns the number of the folder to which the path
    /// leads now; nil if there is none.
    func change(_ folder: String, events: UInt32) -> CInt? {
      let number = add(descriptor, folder, events)
      return number < 0 ? nil : number
    }

    /// Watches a folder only for its own move and, as the parent of a watched folder, for removals,
    /// so that most events in a busy folder cost nothing.
    func watchAncestor(_ path: String, isParent: Bool) throws(Errno) -> CInt {
      let removals = isParent ? IN_DELETE : 0
      let events = UInt32(IN_MOVE_SELF | IN_ONLYDIR | removals) | UInt32(IN_MASK_ADD)
      return try SystemCall.make { add(descriptor, path, events) }
    }

    /// Watches the nearest existing folder.
    ///
    /// - Throws: `EACCES` for a folder that may be searched but not listed, since the system
    ///   wouldn't report new files in it.
    func watch(_ folder: String) throws(Errno) -> WatchedPlace {
      var place = folder
      // Folders may be added and removed meanwhile, but not forever.
      for _ in 0..<1_000 {
        do throws(Errno) {
          let number = try SystemCall.make { add(descriptor, place, Self.events) }
          if place == folder { return WatchedPlace(path: place, number: number) }
          // A folder that was created before the watch causes no event.
          guard let deeper = nextFolder(below: place, towards: folder) else {
            return WatchedPlace(path: place, number: number)
          }
          place = deeper
        } catch {
          guard [.ENOENT, .ENOTDIR, .EACCES].contains(error.code), place != "/" else { throw error }
          if error.code == .EACCES, faccessat(AT_FDCWD, place, X_OK, AT_EACCESS) == 0 {
            throw error
          }
          place = CanonicalPath.folder(of: place)
        }
      }
      throw Errno(.EACCES)
    }

    /// Returns the folder one level below `place` on the way to `folder`, if it can be watched now.
    private func nextFolder(below place: String, towards folder: String) -> String? {
      var next = folder
      while case let parent = CanonicalPath.folder(of: next), parent != place { next = parent }
      return faccessat(AT_FDCWD, next, R_OK, AT_EACCESS) == 0 ? next : nil
    }
  }
#endif
