import Foundation
import Synchronization

/// An open file of this machine.
final class LocalFile: OpenFile {
  private let number: CInt

  init(number: CInt) { self.number = number }

  deinit {
    // Not repeated: the number is free after EINTR too, and may be that of another file by now.
    close(number)
  }

  func status() throws(POSIXError) -> FileStatus {
    var result = stat()
    try SystemCall.make { fstat(number, &result) }
    return FileStatus(result)
  }

  #if canImport(Glibc) || canImport(Musl)
    func extent() throws(POSIXError) -> FileExtent {
      if let extent = try FileExtent.asked(ofOpenFile: number, path: "") { return extent }
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

  func setModified(to time: FileTime) throws(POSIXError) {
    let time = timespec(tv_sec: time.seconds, tv_nsec: time.nanoseconds)
    try SystemCall.make {
      withUnsafeBytes(of: (time, time)) { times in
        futimens(number, times.assumingMemoryBound(to: timespec.self).baseAddress)
      }
    }
  }

  #if canImport(Darwin)
    func copyAttributes(of path: String) throws(POSIXError) {
      let source = try SystemCall.open { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
      defer { close(source) }
      try SystemCall.make {
        fcopyfile(source, number, nil, copyfile_flags_t(COPYFILE_ACL | COPYFILE_XATTR))
      }
    }
  #else
    func setAttribute(_ name: String, to value: [UInt8]?) throws(POSIXError) {
      try ExtendedAttributes.set(name, to: value, of: number)
    }
  #endif

  func tryLock() throws(POSIXError) -> Bool {
    do throws(POSIXError) {
      try SystemCall.make { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.code == .EWOULDBLOCK else { throw error }
      return false
    }
  }

  func lock() throws(POSIXError) { try SystemCall.make { flock(number, LOCK_EX) } }

  func unlock() throws(POSIXError) { try SystemCall.make { flock(number, LOCK_UN) } }
}

/// Making a system call, and throwing its errno.
enum SystemCall {
  /// Makes a call until it isn't interrupted, and returns its result; a negative one is thrown as
  /// the errno.
  @discardableResult
  static func make<Result: SignedInteger>(_ call: () -> Result) throws(POSIXError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw POSIXError(number: number) }
    }
  }

  /// Makes a call that opens a descriptor, and returns a number that isn't one of the program's
  /// standard files.
  ///
  /// In a program that was started with one of these closed, the system gives its number to the
  /// next file that is opened: what the program prints would be written over a journal. Between the
  /// two calls made here another thread could still do that, for a microsecond.
  static func open(_ call: () -> CInt) throws(POSIXError) -> CInt {
    let number = try make(call)
    guard number <= STDERR_FILENO else { return number }
    defer { close(number) }
    // The same opening, with its flags and locks, under another number.
    return try make { fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
  }
}

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
    // A system call more is a quarter of what a setter costs, and little compared with a KiB; all that
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

/// Darwin rejects more than Int32.max bytes at once, Linux takes a little less.
private let chunk = 1 << 30
