import Foundation
import Synchronization

/// An open file of this machine.
final class LocalFile: OpenFile {
  private let number: CInt

  init(number: CInt) {
    self.number = number
  }

  deinit {
    // Not repeated: the number is free after EINTR too, and may be somebody else's by now.
    close(number)
  }

  func status() throws(POSIXError) -> FileStatus {
    var result = stat()
    try SystemCall.make { fstat(number, &result) }
    return FileStatus(result)
  }

  #if canImport(Glibc) || canImport(Musl)
    func extent() throws(POSIXError) -> FileExtent {
      if let extent = try FileExtent.asked(ofOpenFile: number) { return extent }
      return FileExtent(try status())
    }
  #endif

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(POSIXError) -> Int {
    let count = min(buffer.count, chunk)
    return try SystemCall.make { pread(number, buffer.baseAddress, count, off_t(offset)) }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(POSIXError) -> Int {
    let count = min(buffer.count, chunk)
    return try FileSizeLimit.respecting(end: offset + count, count: count) {
      () throws(POSIXError) in
      try SystemCall.make { pwrite(number, buffer.baseAddress, count, off_t(offset)) }
    }
  }

  func truncate(to size: Int) throws(POSIXError) {
    try FileSizeLimit.respecting(end: size, count: .max) { () throws(POSIXError) in
      _ = try SystemCall.make { ftruncate(number, off_t(size)) }
    }
  }

  func synchronize() throws(POSIXError) {
    #if canImport(Darwin)
      // fsync only reaches the drive's cache there; not every file system has the full one.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    try SystemCall.make { fsync(number) }
  }

  func synchronizeContent() throws(POSIXError) {
    #if canImport(Darwin)
      try synchronize()
    #else
      try SystemCall.make { fdatasync(number) }
    #endif
  }

  func changeMode(to mode: mode_t) throws(POSIXError) {
    try SystemCall.make { fchmod(number, mode) }
  }

  func changeOwner(to owner: uid_t) throws(POSIXError) {
    try SystemCall.make { fchown(number, owner, gid_t.max) }
  }

  func changeGroup(to group: gid_t) throws(POSIXError) {
    try SystemCall.make { fchown(number, uid_t.max, group) }
  }

  func tryLock() throws(POSIXError) -> Bool {
    do throws(POSIXError) {
      try SystemCall.make { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.code == .EWOULDBLOCK else { throw error }
      return false
    }
  }

  func lock() throws(POSIXError) {
    try SystemCall.make { flock(number, LOCK_EX) }
  }

  func unlock() throws(POSIXError) {
    try SystemCall.make { flock(number, LOCK_UN) }
  }
}

#if canImport(Glibc) || canImport(Musl)
  extension FileExtent {
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

/// The limit of the size of files that a process may have (`ulimit -f`): what goes beyond it is an
/// error, EFBIG, and not the signal SIGXFSZ, which ends a program.
///
/// What the program does about that signal isn't touched. A call that stays within the limit, as
/// nearly all do, is made as it is; any other one is made with the signal held back.
private enum FileSizeLimit {
  /// Writes with this call what ends at an offset.
  static func respecting<Result>(
    end: Int, count: Int, _ call: () throws(POSIXError) -> Result
  ) throws(POSIXError) -> Result {
    // A system call more is a quarter of what a setter costs, and little beside a KiB; all that
    // makes a journal grow is longer.
    let limit = count < 1_024 ? recentLimit : currentLimit
    if end <= limit { return try call() }
    return try HeldSignals.hold(SIGXFSZ) { Swift.Result(catching: call) }.get()
  }

  /// The limit as it was looked at within this tick of the system's clock, a few milliseconds: a
  /// program that lowers its own limit is believed after that.
  private static var recentLimit: Int {
    let now = tick
    if now == lastTick.load(ordering: .acquiring) { return lastLimit.load(ordering: .relaxed) }
    let limit = currentLimit
    lastTick.store(now, ordering: .releasing)
    return limit
  }

  private static let lastTick = Atomic(-1)
  private static let lastLimit = Atomic(0)

  /// The time of the clock that is read without a system call, and costs nanoseconds.
  private static var tick: Int {
    #if canImport(Darwin)
      return Int(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000)
    #else
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
      return now.tv_sec * 1_000_000_000 + now.tv_nsec
    #endif
  }

  private static var currentLimit: Int {
    var limit = rlimit()
    #if canImport(Glibc)
      let result = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      let result = getrlimit(RLIMIT_FSIZE, &limit)
    #endif
    let bytes = result == 0 ? Int(clamping: limit.rlim_cur) : 0
    // Also for the rest of a long write that was cut short at the limit.
    lastLimit.store(bytes, ordering: .relaxed)
    return bytes
  }
}

/// Darwin refuses more than Int32.max bytes at once, Linux takes a little less.
private let chunk = 1 << 30
