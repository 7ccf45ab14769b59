import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Defaults {
  /// How large an open file is, and how many names it has: 0 if somebody removed or replaced it.
  package struct FileExtent: Hashable, Sendable {
    package let size: Int
    package let names: Int
  }
}

extension Defaults.FileExtent {
  init(_ status: Defaults.FileStatus) {
    self.init(size: status.version.size, names: status.names)
  }

  #if canImport(Glibc) || canImport(Musl)
    /// What `statx(2)` says when it isn't asked for times; nil if it can't be called.
    ///
    /// Since Linux 6.13, a write has to give a file new times if somebody looked at the old ones
    /// (multigrain timestamps): asked by `fstat`, each setter paid half a microsecond more.
    init?(ofOpenFile number: CInt) {
      guard let statx = Self.statx else { return nil }
      let outcome = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) {
        buffer -> (size: UInt64, names: UInt32)? in
        // AT_EMPTY_PATH; STATX_NLINK and STATX_SIZE.
        guard statx(number, "", 0x1000, 0x4 | 0x200, buffer.baseAddress) == 0 else { return nil }
        return (
          buffer.load(fromByteOffset: 40, as: UInt64.self),
          buffer.load(fromByteOffset: 16, as: UInt32.self)
        )
      }
      guard let outcome else { return nil }
      self.init(size: Int(clamping: outcome.size), names: Int(outcome.names))
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
