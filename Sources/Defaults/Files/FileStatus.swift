import Foundation

/// What the system says about a file.
package struct FileStatus: Sendable {
  /// What is there.
  package enum Kind: Sendable { case file, folder, link, special }

  package let kind: Kind
  /// The permission bits, with set-user-id, set-group-id and sticky.
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  package let version: FileVersion
  /// When content, attributes or names changed last; a rename changes it too.
  package let changed: FileTime
  /// How many names it has; 0 for an open file that was removed.
  package let names: Int

  package init(
    kind: Kind, mode: mode_t, owner: uid_t, group: gid_t, version: FileVersion,
    changed: FileTime, names: Int
  ) {
    self.kind = kind
    self.mode = mode
    self.owner = owner
    self.group = group
    self.version = version
    self.changed = changed
    self.names = names
  }

  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .special
      }
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    self.init(
      kind: kind, mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid,
      version: FileVersion(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(truncatingIfNeeded: status.st_ino),
        size: Int(truncatingIfNeeded: status.st_size), modified: FileTime(modified)),
      changed: FileTime(changed), names: Int(truncatingIfNeeded: status.st_nlink))
  }
}

/// Which file it is and which content it has: equal as long as no process replaced or wrote it, and
/// the same after a rename. Inode numbers are used again at once, so they don't do alone.
package struct FileVersion: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  package let modified: FileTime

  package init(device: UInt64, inode: UInt64, size: Int, modified: FileTime) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  /// Whether it is one file, whatever it holds.
  package func isSameFile(as other: Self) -> Bool { device == other.device && inode == other.inode }
}

/// A time of the file system's clock; compared for equality only, since clocks are set back.
package struct FileTime: Hashable, Sendable {
  package let seconds: Int
  package let nanoseconds: Int

  package init(seconds: Int, nanoseconds: Int) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) { self.init(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec)) }
}

/// How large a file is, and which one: what a writer has to know before each write.
package struct FileExtent: Equatable, Sendable {
  package let size: Int
  /// How many names it has; 0 for an open file that was removed or replaced.
  package let names: Int
  let device: UInt64
  let inode: UInt64

  init(size: Int, names: Int, device: UInt64, inode: UInt64) {
    self.size = size
    self.names = names
    self.device = device
    self.inode = inode
  }

  init(_ status: FileStatus) {
    self.init(
      size: status.version.size, names: status.names, device: status.version.device,
      inode: status.version.inode)
  }

  /// Whether this is the file that has the version, whatever it holds.
  func isOf(_ version: FileVersion) -> Bool { device == version.device && inode == version.inode }
}

#if canImport(Glibc) || canImport(Musl)
  extension FileExtent {
    /// What `statx(2)` says when it isn't asked for times, about an open file where the path is
    /// empty, or about what is at a path, a link itself too; nil if it can't be called. Throws
    /// its errno.
    ///
    /// Since Linux 6.13, a write has to give a file new times if a process looked at the old ones
    /// (multigrain timestamps): asked by `fstat`, each setter paid half a microsecond more.
    static func asked(
      ofOpenFile number: CInt, path: String
    ) throws(POSIXError) -> Self? {
      guard let statx else { return nil }
      // AT_EMPTY_PATH or AT_SYMLINK_NOFOLLOW; STATX_NLINK, STATX_INO and STATX_SIZE.
      let flags: CInt = path.isEmpty ? 0x1000 : 0x100
      var problem: CInt = 0
      let extent = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer -> Self? in
        guard statx(number, path, flags, 0x4 | 0x100 | 0x200, buffer.baseAddress) == 0 else {
          problem = errno
          return nil
        }
        let major = UInt64(buffer.load(fromByteOffset: 136, as: UInt32.self))
        let minor = UInt64(buffer.load(fromByteOffset: 140, as: UInt32.self))
        return Self(
          size: Int(clamping: buffer.load(fromByteOffset: 40, as: UInt64.self)),
          names: Int(buffer.load(fromByteOffset: 16, as: UInt32.self)),
          // As makedev(3) puts them together.
          device: (major & 0xffff_f000) << 32 | (major & 0xfff) << 8
            | (minor & 0xffff_ff00) << 12 | minor & 0xff,
          inode: buffer.load(fromByteOffset: 32, as: UInt64.self))
      }
      // A system that doesn't have it, or a sandbox that forbids it.
      if extent != nil || problem == ENOSYS || problem == EPERM { return extent }
      throw POSIXError(number: problem)
    }

    private typealias Call =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer?
      ) -> CInt

    /// The Glibc module doesn't have it. The places of its results are part of Linux's interface
    /// (`include/uapi/linux/stat.h`).
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Call.self) }
  }
#endif
