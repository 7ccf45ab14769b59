import Foundation

package struct FileStatus: Sendable {
  package enum Kind: Sendable { case file, folder, link, special }

  package let kind: Kind
  /// The permission bits, with set-user-id, set-group-id and sticky.
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  package let version: FileVersion
  /// The number of names; 0 for an open file that was removed.
  package let names: Int

  package init(
    kind: Kind, mode: mode_t, owner: uid_t, group: gid_t, version: FileVersion, names: Int
  ) {
    self.kind = kind
    self.mode = mode
    self.owner = owner
    self.group = group
    self.version = version
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
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    self.init(
      kind: kind, mode: status.st_mode & 0o7777, owner: status.st_uid, group: status.st_gid,
      version: FileVersion(
        device: UInt64(truncatingIfNeeded: status.st_dev),
        inode: UInt64(truncatingIfNeeded: status.st_ino),
        size: Int(truncatingIfNeeded: status.st_size), modified: FileTime(modified)),
      names: Int(truncatingIfNeeded: status.st_nlink))
  }
}

/// The identity of a file and its content. Equal until the file is replaced or written, and
/// unchanged by a rename. The inode number isn't sufficient, since the system reuses it at once.
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

  /// Returns whether both are the same file, with any content.
  package func isSameFile(as other: Self) -> Bool { device == other.device && inode == other.inode }
}

/// A time of the file system's clock, which can be set back. So the order of times means nothing.
package struct FileTime: Hashable, Sendable {
  package let seconds: Int
  package let nanoseconds: Int

  package init(seconds: Int, nanoseconds: Int) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) { self.init(seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec)) }

  /// Returns whether the time differs from another time by less than some seconds.
  package func isWithin(seconds distance: Int, of other: Int) -> Bool {
    // A program may give a file any time.
    let (difference, isOverflow) = other.subtractingReportingOverflow(seconds)
    return !isOverflow && difference.magnitude < distance
  }
}

/// The size and identity of a file, which a writer checks before each write.
package struct FileExtent: Equatable, Sendable {
  package let size: Int
  /// The number of names; 0 for an open file that was removed or replaced.
  package let names: Int
  let device: UInt64
  let inode: UInt64

  /// Returns whether this is the file of a version, with any content.
  func isOf(_ version: FileVersion) -> Bool { device == version.device && inode == version.inode }
}

extension FileExtent {
  init(_ status: FileStatus) {
    self.init(
      size: status.version.size, names: status.names, device: status.version.device,
      inode: status.version.inode)
  }
}

#if canImport(Glibc) || canImport(Musl)
  extension FileExtent {
    /// Returns the result of `statx(2)` without times, for an open file (empty path) or for a path,
    /// without following a link. Nil if it can't be called. Throws its errno.
    ///
    /// Since Linux 6.13, a write must update a file's times if a process has read the previous
    /// times (multigrain timestamps). With `fstat`, each setter would take half a microsecond more.
    static func asked(ofOpenFile number: CInt, path: String) throws(Errno) -> Self? {
      guard let statx else { return nil }
      // AT_EMPTY_PATH or AT_SYMLINK_NOFOLLOW; STATX_NLINK, STATX_INO and STATX_SIZE.
      let flags: CInt = path.isEmpty ? 0x1000 : 0x100
      var problem: CInt = 0
      let extent = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer -> Self? in
        // Without `withCString`, Swift would copy the path.
        let status = path.withCString { path in
          statx(number, path, flags, 0x4 | 0x100 | 0x200, buffer.baseAddress)
        }
        guard status == 0 else {
          problem = errno
          return nil
        }
        let major = UInt64(buffer.load(fromByteOffset: 136, as: UInt32.self))
        let minor = UInt64(buffer.load(fromByteOffset: 140, as: UInt32.self))
        return Self(
          size: Int(clamping: buffer.load(fromByteOffset: 40, as: UInt64.self)),
          names: Int(buffer.load(fromByteOffset: 16, as: UInt32.self)),
          // Combined like in makedev(3).
          device: (major & 0xffff_f000) << 32 | (major & 0xfff) << 8
            | (minor & 0xffff_ff00) << 12 | minor & 0xff,
          inode: buffer.load(fromByteOffset: 32, as: UInt64.self))
      }
      // The system lacks the call, or a sandbox forbids it.
      if extent != nil || problem == ENOSYS || problem == EPERM { return extent }
      throw Errno(number: problem)
    }

    private typealias Call =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer?
      ) -> CInt

    /// The function, which the Glibc module lacks. The offsets of its results are part of Linux's
    /// interface (`include/uapi/linux/stat.h`).
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Call.self) }
  }
#endif
