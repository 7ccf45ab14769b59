import Foundation

/// The operations on files that the library makes, each of them one system call, and the seam at
/// which a test puts a disk of its own.
///
/// Every operation throws the errno of the call, and nothing more. Paths are passed on as they are.
package protocol FileSystem: Sendable {
  /// Whether nothing is ever changed by way of this value. The default is false.
  var isReadOnly: Bool { get }
  /// The status of what stands at a path; of a link itself where links aren't followed.
  func status(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus
  /// The status, or nil if nothing stands there: ENOENT, and no other error. The default catches
  /// what `status` throws.
  func statusIfPresent(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus?
  /// The size of what stands at a path, of a link itself, and which file it is; nil if nothing
  /// stands there. The default takes it from the status.
  func extent(of path: String) throws(POSIXError) -> FileExtent?
  /// The names of the extended attributes of what a path leads to; none where the file system has
  /// no such attributes, as the default says. On Apple platforms, `copyAttributes` does all.
  func attributeNames(of path: String) throws(POSIXError) -> [String]
  /// The value of an extended attribute; nil if there is none, or the file system has no such
  /// attributes, as the default says.
  func attribute(_ name: String, of path: String) throws(POSIXError) -> [UInt8]?
  /// Throws if the effective user may not do it.
  func checkAccess(_ rights: FileRights, to path: String) throws(POSIXError)
  /// What a symbolic link points to, as it is written in the link.
  func destination(ofLink path: String) throws(POSIXError) -> String
  /// The working folder of the process, without symbolic links.
  func workingFolder() throws(POSIXError) -> String
  /// The names in a folder, in no order, but for `.` and `..`; those that aren't UTF-8 are left
  /// out.
  func names(inFolder path: String) throws(POSIXError) -> [String]
  /// Makes a folder; the process's umask takes bits away from the mode.
  func makeFolder(_ path: String, mode: mode_t) throws(POSIXError)
  /// Sets the permission bits of a file or folder, whatever the umask.
  func changeMode(of path: String, to mode: mode_t) throws(POSIXError)
  /// Gives a file a new name in one step; a file that has the new name already goes.
  func move(_ path: String, to newPath: String) throws(POSIXError)
  /// Lets two files change their names in one step; both must be there. Throws ENOSYS or EINVAL
  /// where the system can't, as the default does.
  func exchange(_ path: String, _ otherPath: String) throws(POSIXError)
  /// Gives a file a second name; throws EEXIST if something has it.
  func addName(_ newPath: String, to path: String) throws(POSIXError)
  func removeName(_ path: String) throws(POSIXError)
  /// Opens a file or folder, under a number that isn't one of the program's standard files.
  func open(_ path: String, _ use: FileUse) throws(POSIXError) -> any OpenFile

  /// The wall clock, in microseconds since 1970. The default asks the system.
  var now: UInt64 { get }
  /// The number of the process, for the names of temporary files. The default asks the system.
  var processNumber: Int32 { get }
  /// A random number above 0, for ids and names. The default asks the system.
  func randomNumber() -> UInt64
  /// Whether a rule of the engine is left out, to prove that the simulation finds what follows. The
  /// default is false.
  func omits(_ rule: EngineRule) -> Bool
}

/// What a file is opened for.
package enum FileUse: Sendable {
  /// To read it; never waits for the other end of a FIFO.
  case read
  /// The same, and never through a symbolic link: throws ELOOP for one in the last component.
  case readNoFollow
  /// To read and write it; it must be there. Throws ELOOP for a symbolic link.
  case update
  /// To read and write a new one that only its owner can read; throws EEXIST if something stands
  /// there, a dangling symbolic link too.
  case create
  /// A folder, to sync it.
  case folder
}

/// What may be done with a file or folder.
package struct FileRights: OptionSet, Sendable {
  package let rawValue: CInt
  package static let read = Self(rawValue: R_OK)
  package static let write = Self(rawValue: W_OK)
  package static let search = Self(rawValue: X_OK)

  package init(rawValue: CInt) { self.rawValue = rawValue }
}

/// A file or folder that is open; closed when the object goes.
package protocol OpenFile: AnyObject, Sendable {
  /// The status of the open file, whatever happened to its name.
  func status() throws(POSIXError) -> FileStatus
  /// Its size and number of names; the default takes them from the status.
  func extent() throws(POSIXError) -> FileExtent
  /// Reads some bytes from an offset on and says how many; 0 is the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(POSIXError) -> Int
  /// Writes some of the bytes at an offset and says how many.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(POSIXError) -> Int
  func truncate(to size: Int) throws(POSIXError)
  /// Waits until the file's content and attributes, or the folder's names, are on the disk.
  func synchronize() throws(POSIXError)
  /// Waits until the file's content is on the disk, and its size.
  func synchronizeContent() throws(POSIXError)
  /// Sets the permission bits, whatever the umask.
  func changeMode(to mode: mode_t) throws(POSIXError)
  /// Sets the owner; only the superuser may give files away.
  func changeOwner(to owner: uid_t) throws(POSIXError)
  /// Sets the group; its owner may choose among the groups that the user is in.
  func changeGroup(to group: gid_t) throws(POSIXError)
  /// Sets the time of the last modification; the default does nothing.
  func setModified(to time: FileTime) throws(POSIXError)
  /// Sets an extended attribute, or removes it with nil. Throws ENODATA for removing one that isn't
  /// there, and EOPNOTSUPP where the file system has no such attributes, as the default does.
  func setAttribute(_ name: String, to value: [UInt8]?) throws(POSIXError)
  #if canImport(Darwin)
    /// Copies the access list and the extended attributes of the file at a path; the default does
    /// nothing.
    func copyAttributes(of path: String) throws(POSIXError)
  #endif
  /// Takes the lock that one opening of a file can have at a time (`flock(2)`), unless another
  /// one has it; returns whether it was taken. The system frees it when its holder dies.
  func tryLock() throws(POSIXError) -> Bool
  /// Takes the lock, waiting for its holder in the system's queue, however long that takes.
  /// Throws EDEADLK where waiting could not help.
  func lock() throws(POSIXError)
  func unlock() throws(POSIXError)
}

extension FileSystem {
  package var isReadOnly: Bool { false }

  package var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000))
  }

  package var processNumber: Int32 { getpid() }

  package func randomNumber() -> UInt64 { .random(in: 1 ... .max) }

  package func omits(_ rule: EngineRule) -> Bool { false }

  /// The status of what a path leads to.
  package func status(of path: String) throws(POSIXError) -> FileStatus {
    try status(of: path, followingLinks: true)
  }

  package func statusIfPresent(
    of path: String, followingLinks: Bool
  ) throws(POSIXError) -> FileStatus? {
    do throws(POSIXError) {
      return try status(of: path, followingLinks: followingLinks)
    } catch {
      guard error.code == .ENOENT else { throw error }
      return nil
    }
  }

  /// The status of what stands at a path; nil if nothing does, or if it can't be looked at, where
  /// that makes no difference.
  func statusIfVisible(of path: String, followingLinks: Bool = true) -> FileStatus? {
    try? status(of: path, followingLinks: followingLinks)
  }

  /// The status of what a path leads to, or nil if nothing stands there.
  func statusIfPresent(of path: String) throws(POSIXError) -> FileStatus? {
    try statusIfPresent(of: path, followingLinks: true)
  }

  package func extent(of path: String) throws(POSIXError) -> FileExtent? {
    try statusIfPresent(of: path, followingLinks: false).map { FileExtent($0) }
  }

  package func attributeNames(of path: String) throws(POSIXError) -> [String] { [] }

  package func attribute(_ name: String, of path: String) throws(POSIXError) -> [UInt8]? { nil }

  package func exchange(_ path: String, _ otherPath: String) throws(POSIXError) {
    throw POSIXError(.ENOSYS)
  }

  /// Waits until the names in a folder are on the disk.
  func synchronizeFolder(_ path: String) throws(POSIXError) {
    do throws(POSIXError) {
      try open(path, .folder).synchronize()
    } catch {
      // Some network and FUSE file systems have no sync for folders, and a folder that may be
      // written but not listed can't be opened: there is nothing more to do then.
      guard [.EINVAL, .EOPNOTSUPP, .EACCES].contains(error.code) else { throw error }
    }
  }
}

extension OpenFile {
  package func extent() throws(POSIXError) -> FileExtent { FileExtent(try status()) }

  package func setModified(to time: FileTime) throws(POSIXError) {}

  package func setAttribute(_ name: String, to value: [UInt8]?) throws(POSIXError) {
    throw POSIXError(.EOPNOTSUPP)
  }

  #if canImport(Darwin)
    package func copyAttributes(of path: String) throws(POSIXError) {}
  #endif

  /// Tries once, for files whose users are all on one thread: no other could release the lock.
  package func lock() throws(POSIXError) { guard try tryLock() else { throw POSIXError(.EDEADLK) } }

  /// Writes all of the bytes at an offset, in as many steps as it takes.
  func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(POSIXError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = try write(rest, at: offset + written)
      // Never seen with a regular file, but the loop would go on forever.
      if count == 0 { throw POSIXError(.EIO) }
      written += count
    }
  }

  /// Reads from an offset on until the buffer is full or the file ends, and says how many bytes.
  func readAll(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(POSIXError) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let read = try read(into: rest, at: offset + count)
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// The file's bytes; nil if it isn't, or no longer, the version that was expected.
  func bytes(expecting version: FileVersion) throws(POSIXError) -> Data? {
    // One byte more than expected, so that a file that grew shows.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: version.size + 1, alignment: 1)
    defer { buffer.deallocate() }
    var count = try read(into: buffer, at: 0)
    if count < version.size {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      count += try readAll(into: rest, at: count)
    }
    guard count == version.size, try status().version == version, let start = buffer.baseAddress
    else { return nil }
    return Data(bytes: start, count: count)
  }
}

// MARK: - Errors

extension POSIXError {
  /// The error of an errno; one that has no code here counts as an input/output error.
  ///
  /// Out of line: what it takes to make one would be made ready in each call that doesn't fail.
  @inline(never)
  init(number: CInt) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}

extension SuiteError {
  /// An error from a system call: what couldn't be done, why in the system's words, what to do.
  init(_ code: Code, _ problem: String, path: String, _ cause: POSIXError) {
    let advice: String? =
      switch cause.code {
      case .EACCES, .EPERM: "Let the user that runs the program read and write there"
      case .EROFS: "Put the file on a file system that can be written"
      case .ENOSPC, .EDQUOT: "Make room there and save again"
      case .EFBIG: "Raise the limit of the file size (ulimit -f)"
      case .EOVERFLOW: "No file of a suite is that large. Move it away if it is none"
      case .ENAMETOOLONG: "Choose a shorter name"
      case .ELOOP: "Remove the symbolic links that lead to each other"
      case .ENOTDIR, .EEXIST: "Move away the file that stands where a folder must be"
      case .EILSEQ: "Rename what isn't named in UTF-8 on the way there"
      case .EMFILE, .ENFILE: "Close files, or raise the limit of open files (ulimit -n)"
      case .EIO: "Check the disk"
      default: nil
      }
    let words = "\(problem): \(String(cString: strerror(cause.code.rawValue)))"
    self.init(code, advice.map { "\(words). \($0)" } ?? words, path: path, underlying: cause)
  }

  /// Runs system calls, and says what couldn't be done when one of them fails.
  static func explaining<Result: ~Copyable>(
    _ code: Code, _ problem: String, path: String, _ body: () throws(POSIXError) -> Result
  ) throws(Self) -> Result {
    do throws(POSIXError) {
      return try body()
    } catch {
      throw Self(code, problem, path: path, error)
    }
  }
}
