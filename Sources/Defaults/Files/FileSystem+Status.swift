#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults.FileSystem {
  /// What the system says about a file.
  struct Status: Sendable {
    /// What stands there.
    enum Kind: Sendable { case file, folder, link, special }

    let kind: Kind
    /// The permission bits, with set-user-id, set-group-id and sticky.
    let mode: mode_t
    let owner: uid_t
    let group: gid_t
    let version: Version

    init(_ status: stat) {
      kind =
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .special
        }
      mode = status.st_mode & 0o7777
      owner = status.st_uid
      group = status.st_gid
      version = Version(status)
    }
  }

  /// Which file it is and which content it has: equal as long as nobody replaced or wrote it, and
  /// the same after a rename. Inode numbers are used again at once, so they don't do alone.
  struct Version: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init(_ status: stat) {
      #if canImport(Darwin)
        let modified = status.st_mtimespec
      #else
        let modified = status.st_mtim
      #endif
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(truncatingIfNeeded: status.st_ino)
      size = Int(truncatingIfNeeded: status.st_size)
      seconds = Int(modified.tv_sec)
      nanoseconds = Int(modified.tv_nsec)
    }
  }
}
