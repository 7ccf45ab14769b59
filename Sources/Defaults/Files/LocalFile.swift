import Foundation
import Synchronization

/// An open file of this machine.
final class LocalFile: OpenFile {
  private let number: CInt
  /// Whether each write goes to the end of the file, also one at an offset.
  private let isAppending = Atomic(false)

  init(number: CInt) { self.number = number }

  deinit {
    // Not repeated after EINTR: the number is free then, and may already be another file's.
    close(number)
  }

  func status() throws(Errno) -> FileStatus {
    var result = stat()
    try SystemCall.make { fstat(number, &result) }
    return FileStatus(result)
  }

  #if canImport(Glibc) || canImport(Musl)
    func extent() throws(Errno) -> FileExtent {
      if let extent = try FileExtent.asked(ofOpenFile: number, path: "") { return extent }
      return FileExtent(try status())
    }
  #endif

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    let count = min(buffer.count, chunk)
    return try SystemCall.make { pread(number, buffer.baseAddress, count, off_t(offset)) }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try setAppending(false)
    let count = min(buffer.count, chunk)
    return try FileSizeLimit.respecting(end: offset + count, count: count) {
      [number] () throws(Errno) in
      try SystemCall.make { pwrite(number, buffer.baseAddress, count, off_t(offset)) }
    }
  }

  func append(
    _ buffer: UnsafeRawBufferPointer, expectedAt offset: Int
  ) throws(Errno) -> Int {
    try setAppending(true)
    let count = min(buffer.count, chunk)
    return try FileSizeLimit.respecting(end: offset + count, count: count) {
      [number] () throws(Errno) in
      try SystemCall.make { Foundation.write(number, buffer.baseAddress, count) }
    }
  }

  private func setAppending(_ isAppending: Bool) throws(Errno) {
    guard self.isAppending.load(ordering: .relaxed) != isAppending else { return }
    let flags = try SystemCall.make { fcntl(number, F_GETFL) }
    try SystemCall.make {
      fcntl(number, F_SETFL, isAppending ? flags | O_APPEND : flags & ~O_APPEND)
    }
    self.isAppending.store(isAppending, ordering: .relaxed)
  }

  func truncate(to size: Int) throws(Errno) {
    try FileSizeLimit.respecting(end: size, count: .max) { () throws(Errno) in
      _ = try SystemCall.make { ftruncate(number, off_t(size)) }
    }
  }

  func synchronize() throws(Errno) {
    #if canImport(Darwin)
      // On Darwin, `fsync` only reaches the drive's cache. Not every file system supports
      // F_FULLFSYNC.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    try SystemCall.make { fsync(number) }
  }

  func synchronizeContent() throws(Errno) {
    #if canImport(Darwin)
      try synchronize()
    #else
      try SystemCall.make { fdatasync(number) }
    #endif
  }

  func changeMode(to mode: mode_t) throws(Errno) {
    try SystemCall.make { fchmod(number, mode) }
  }

  func changeOwner(to owner: uid_t) throws(Errno) {
    try SystemCall.make { fchown(number, owner, gid_t.max) }
  }

  func changeGroup(to group: gid_t) throws(Errno) {
    try SystemCall.make { fchown(number, uid_t.max, group) }
  }

  func setModified(to time: FileTime) throws(Errno) {
    let time = timespec(tv_sec: time.seconds, tv_nsec: time.nanoseconds)
    try SystemCall.make {
      withUnsafeBytes(of: (time, time)) { times in
        futimens(number, times.assumingMemoryBound(to: timespec.self).baseAddress)
      }
    }
  }

  #if canImport(Darwin)
    func copyAttributes(of path: String) throws(Errno) {
      let source = try SystemCall.open { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
      defer { close(source) }
      try SystemCall.make {
        fcopyfile(source, number, nil, copyfile_flags_t(COPYFILE_ACL | COPYFILE_XATTR))
      }
    }
  #else
    func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
      try ExtendedAttributes.set(name, to: value, of: number)
    }
  #endif

  func tryLock() throws(Errno) -> Bool {
    do throws(Errno) {
      try SystemCall.make { flock(number, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      guard error.number == EWOULDBLOCK else { throw error }
      return false
    }
  }

  /// Another process usually holds the lock for microseconds, unless it is interrupted.
  var lockAttempts: Int { 4 }

  func unlock() throws(Errno) { try SystemCall.make { flock(number, LOCK_UN) } }
}

/// System calls that throw their errno.
enum SystemCall {
  /// Repeats a call that is interrupted and returns its result. A negative result is thrown as the
  /// errno.
  @discardableResult
  static func make<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw Errno(number: number) }
    }
  }

  /// Makes a call that opens a descriptor, and returns a number other than the numbers of the
  /// program's standard files.
  ///
  /// If a program was started with a standard file closed, the system reuses its number for the
  /// next opened file, so the program's output could overwrite a journal. This can still happen in
  /// the microsecond between the two calls here, if another thread writes output.
  static func open(_ call: () -> CInt) throws(Errno) -> CInt {
    let number = try make(call)
    guard number <= STDERR_FILENO else { return number }
    defer { close(number) }
    // The same open file, with its flags and locks, under another number.
    return try make { fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
  }
}

/// The limit of a process's file size (`ulimit -f`). Exceeding it throws EFBIG instead of raising
/// SIGXFSZ, which would end the program.
///
/// The program's handling of that signal is unaffected. Calls within the limit, which are nearly
/// all, are made directly. Other calls are made with the signal blocked.
private enum FileSizeLimit {
  /// Makes a call that writes up to an offset.
  static func respecting<Result>(
    end: Int, count: Int, _ call: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    // Reading the limit takes a quarter of the time of a setter, but little compared with writing a
    // KiB.
    let limit = count < 1_024 ? recentLimit : currentLimit
    if end <= limit { return try call() }
    return try HeldSignals.hold(SIGXFSZ) { Swift.Result(catching: call) }.get()
  }

  /// The limit, cached for a tick of the system's clock (a few milliseconds). If a program lowers
  /// its own limit, the new limit is used after that. Until then, a write beyond it raises the
  /// signal.
  private static var recentLimit: Int {
    let now = tick
    if now == lastTick.load(ordering: .acquiring) { return lastLimit.load(ordering: .relaxed) }
    let limit = currentLimit
    lastTick.store(now, ordering: .releasing)
    return limit
  }

  private static let lastTick = Atomic(-1)
  private static let lastLimit = Atomic(0)

  /// The time of the coarse clock, which takes nanoseconds and no system call.
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
    // Also cached for the rest of a long write that the limit has cut off.
    lastLimit.store(bytes, ordering: .relaxed)
    return bytes
  }
}

/// The most bytes per call: Darwin rejects more than Int32.max, and Linux writes slightly fewer.
private let chunk = 1 << 30
