import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Defaults {
  /// How large a file is, and which one: what a writer has to know before each write.
  package struct FileExtent: Hashable, Sendable {
    package let size: Int
    /// How many names it has; 0 for an open file that somebody removed or replaced.
    package let names: Int
    let device: UInt64
    let inode: UInt64

    /// Whether it is this file.
    func isOf(_ version: FileVersion) -> Bool {
      device == version.device && inode == version.inode
    }
  }
}

extension Defaults.FileExtent {
  init(_ status: Defaults.FileStatus) {
    self.init(
      size: status.version.size, names: status.names, device: status.version.device,
      inode: status.version.inode)
  }

  #if canImport(Glibc) || canImport(Musl)
    /// What `statx(2)` says when it isn't asked for times, about an open file, or about what stands
    /// at a path, a link itself too; nil if it can't be called. Throws its errno.
    ///
    /// Since Linux 6.13, a write has to give a file new times if somebody looked at the old ones
    /// (multigrain timestamps): asked by `fstat`, each setter paid half a microsecond more.
    static func asked(
      ofOpenFile number: CInt = AT_FDCWD, path: String = ""
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
      if let extent { return extent }
      // A system that doesn't have it, or a sandbox that forbids it.
      if problem == ENOSYS || problem == EPERM { return nil }
      throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO)
    }

    private typealias Call =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, CUnsignedInt, UnsafeMutableRawPointer?
      ) -> CInt

    /// The Glibc module doesn't have it. The places of its results are part of Linux's interface
    /// (`include/uapi/linux/stat.h`).
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Call.self) }
  #endif
}
