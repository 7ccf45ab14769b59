#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The folder that the system watches for a folder: that one, or the nearest one above it that
  /// exists.
  struct WatchedPlace: Equatable, Sendable {
    let path: String
    /// The system's number of the watch. There is one for each folder, whatever its path: a path
    /// that leads to another folder now gets another number.
    let number: CInt
  }

  /// The system calls of `inotify(7)` on one descriptor, which stays open until the process ends.
  struct Inotify: Sendable {
    /// `inotify_add_watch(2)`, or what a test puts in its place.
    typealias Add = @Sendable (CInt, String, UInt32) -> CInt

    static let system: Add = { inotify_add_watch($0, $1, $2) }

    let descriptor: CInt
    private let add: Add

    /// Opens a descriptor. Throws `EMFILE` if the user has too many.
    init(addingBy add: @escaping Add) throws(POSIXError) {
      descriptor = try SystemCall.open { inotify_init1(CInt(IN_CLOEXEC)) }
      self.add = add
    }

    func close() { Foundation.close(descriptor) }

    func remove(_ number: CInt) { inotify_rm_watch(descriptor, number) }

    /// Watches a folder for its own move. What happens in it gives no event, so that a busy folder
    /// costs nothing.
    func watchAncestor(_ path: String) throws(POSIXError) -> CInt {
      let events = UInt32(IN_MOVE_SELF | IN_ONLYDIR) | UInt32(IN_MASK_ADD)
      return try SystemCall.make { add(descriptor, path, events) }
    }

    /// Watches the nearest folder that exists.
    ///
    /// Throws `EACCES` for one that may be searched and not listed: files may come in it, and the
    /// system doesn't tell.
    func watch(_ folder: String) throws(POSIXError) -> WatchedPlace {
      let events =
        IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM
        | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
      var place = folder
      // Folders may come and go meanwhile, but not forever.
      for _ in 0..<1_000 {
        do throws(POSIXError) {
          let number = try SystemCall.make { add(descriptor, place, UInt32(events)) }
          if place == folder { return WatchedPlace(path: place, number: number) }
          // What was made before the watch was set gives no event.
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
      throw POSIXError(.EACCES)
    }

    /// The folder one level below another one on the way to a third, if it can be watched now.
    private func nextFolder(below place: String, towards folder: String) -> String? {
      var next = folder
      while case let parent = CanonicalPath.folder(of: next), parent != place { next = parent }
      return faccessat(AT_FDCWD, next, R_OK, AT_EACCESS) == 0 ? next : nil
    }
  }
#endif
