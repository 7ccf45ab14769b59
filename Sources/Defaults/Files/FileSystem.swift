import Foundation

/// The library's file operations, one system call each. Tests replace them with a simulated disk.
///
/// Every operation throws the errno of its call and no other error. Paths are passed on unchanged.
package protocol FileSystem: Sendable {
  /// Whether this value never changes anything. False by default.
  var isReadOnly: Bool { get }
  /// Returns the status of a file or, if links aren't followed, of a link itself.
  func status(of path: String, followingLinks: Bool) throws(Errno) -> FileStatus
  /// Returns the size and identity of a file, without following a link; nil if there is none. The
  /// default uses the status.
  func extent(of path: String) throws(Errno) -> FileExtent?
  /// Returns the names of a file's extended attributes, following links; by default, and if the
  /// file system doesn't support them, none. Apple platforms use `copyAttributes` instead.
  func attributeNames(of path: String) throws(Errno) -> [String]
  /// Returns the value of an extended attribute; nil by default, if there is none, or if the file
  /// system doesn't support attributes.
  func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]?
  /// Throws if the effective user lacks one of the rights.
  func checkAccess(_ rights: FileRights, to path: String) throws(Errno)
  /// Returns the destination of a symbolic link, unchanged.
  func destination(ofLink path: String) throws(Errno) -> String
  /// Returns the working folder of the process, without symbolic links.
  func workingFolder() throws(Errno) -> String
  /// Returns the unordered names in a folder except `.`, `..` and names that aren't UTF-8.
  func names(inFolder path: String) throws(Errno) -> [String]
  /// Creates a folder. The process's umask removes bits of the mode.
  func makeFolder(_ path: String, mode: mode_t) throws(Errno)
  /// Sets the permission bits of a file or folder, independently of the umask.
  func changeMode(of path: String, to mode: mode_t) throws(Errno)
  /// Renames a file atomically, replacing a file with the new name.
  func move(_ path: String, to newPath: String) throws(Errno)
  /// Exchanges the names of two existing files atomically. Throws ENOSYS or EINVAL if the system
  /// can't do that, like the default.
  func exchange(_ path: String, _ otherPath: String) throws(Errno)
  /// Adds a second name to a file. Throws EEXIST if the name is taken.
  func addName(_ newPath: String, to path: String) throws(Errno)
  func removeName(_ path: String) throws(Errno)
  /// Opens a file or folder, with a descriptor other than the descriptors of the program's standard
  /// files.
  func open(_ path: String, _ use: FileUse) throws(Errno) -> any OpenFile

  /// The wall clock, in microseconds since 1970; by default the system's.
  var now: UInt64 { get }
  /// The number of the process, for the names of temporary files; by default the system's.
  var processNumber: Int32 { get }
  /// Returns a random number above 0, for ids and names; by default the system's.
  func randomNumber() -> UInt64
  /// Returns whether a rule of the engine is disabled, to test that the simulation finds the
  /// consequences. False by default.
  func omits(rule: EngineRule) -> Bool
}

/// The purpose for which a file is opened.
package enum FileUse: Sendable {
  /// Reading. Never waits for the other end of a FIFO.
  case read
  /// Reading, but not through a symbolic link: throws ELOOP for a link in the last component.
  case readNoFollow
  /// Reading and writing an existing file. Throws ELOOP for a symbolic link.
  case update
  /// Reading and writing a new file with access only for its owner. Throws EEXIST if the name is
  /// taken, even by a dangling symbolic link.
  case create
  /// Syncing a folder.
  case folder
}

/// Access rights to a file or folder.
package struct FileRights: OptionSet, Sendable {
  package let rawValue: CInt
  package static let read = Self(rawValue: R_OK)
  package static let write = Self(rawValue: W_OK)
  package static let search = Self(rawValue: X_OK)

  package init(rawValue: CInt) { self.rawValue = rawValue }
}

/// An open file or folder, which is closed when the object is released.
package protocol OpenFile: AnyObject, Sendable {
  /// Returns the status of the open file, even if its name was changed or removed.
  func status() throws(Errno) -> FileStatus
  /// Returns the size and number of names; by default from the status.
  func extent() throws(Errno) -> FileExtent
  /// Reads bytes at an offset and returns their number, which is 0 only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int
  /// Writes some of the bytes at an offset and returns their number.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int
  /// Writes some of the bytes at the end of the file, wherever it is now, and returns their number.
  /// The caller expects the end at an offset. No other thread may write to this opening meanwhile.
  func append(_ buffer: UnsafeRawBufferPointer, expectedAt offset: Int) throws(Errno) -> Int
  func truncate(to size: Int) throws(Errno)
  /// Syncs the file's content and attributes, or the folder's names.
  func synchronize() throws(Errno)
  /// Syncs the file's content and size.
  func synchronizeContent() throws(Errno)
  /// Sets the permission bits, independently of the umask.
  func changeMode(to mode: mode_t) throws(Errno)
  /// Sets the owner. Only the superuser may change it.
  func changeOwner(to owner: uid_t) throws(Errno)
  /// Sets the group. The owner may choose among the user's groups.
  func changeGroup(to group: gid_t) throws(Errno)
  /// Sets the modification time. The default does nothing.
  func setModified(to time: FileTime) throws(Errno)
  /// Sets an extended attribute, or removes it with nil. Throws ENODATA when removing a missing
  /// attribute, and EOPNOTSUPP if the file system doesn't support attributes, like the default.
  func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno)
  #if canImport(Darwin)
    /// Copies the access list and the extended attributes of a file. The default does nothing.
    func copyAttributes(of path: String) throws(Errno)
  #endif
  /// Takes the lock that one opener of a file can have at a time (`flock(2)`), if it is free. The
  /// system releases it when its holder dies.
  ///
  /// - Returns: Whether the lock was taken.
  func tryLock() throws(Errno) -> Bool
  /// The number of attempts to take the lock before a pause; by default 1.
  var lockAttempts: Int { get }
  func unlock() throws(Errno)
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

  package func omits(rule: EngineRule) -> Bool { false }

  /// Returns the status of a file, following links.
  package func status(of path: String) throws(Errno) -> FileStatus {
    try status(of: path, followingLinks: true)
  }

  /// Returns the status, following links by default; nil for ENOENT only.
  package func statusIfPresent(
    of path: String, followingLinks: Bool = true
  ) throws(Errno) -> FileStatus? {
    try Errno.ifFound { () throws(Errno) in
      try status(of: path, followingLinks: followingLinks)
    }
  }

  /// Returns the status of a file; nil if there is none or it can't be read, for callers that need
  /// not distinguish these cases.
  func statusIfVisible(of path: String, followingLinks: Bool = true) -> FileStatus? {
    try? statusIfPresent(of: path, followingLinks: followingLinks)
  }

  package func extent(of path: String) throws(Errno) -> FileExtent? {
    try statusIfPresent(of: path, followingLinks: false).map { FileExtent($0) }
  }

  package func attributeNames(of path: String) throws(Errno) -> [String] { [] }

  package func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]? { nil }

  package func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    throw Errno(.ENOSYS)
  }

  /// Syncs the names in a folder.
  func synchronizeFolder(_ path: String) throws(Errno) {
    try openToSynchronize(folder: path)?.synchronizeNames()
  }

  /// Opens a folder whose names are to be synced; nil if it is writable but not readable, in which
  /// case nothing more can be done.
  func openToSynchronize(folder path: String) throws(Errno) -> (any OpenFile)? {
    do throws(Errno) {
      return try open(path, .folder)
    } catch {
      guard error.code == .EACCES else { throw error }
      return nil
    }
  }
}

extension OpenFile {
  package func extent() throws(Errno) -> FileExtent { FileExtent(try status()) }

  package func setModified(to time: FileTime) throws(Errno) {}

  package var lockAttempts: Int { 1 }

  package func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
    throw Errno(.EOPNOTSUPP)
  }

  #if canImport(Darwin)
    package func copyAttributes(of path: String) throws(Errno) {}
  #endif

  /// Syncs the names in an open folder. Some network and FUSE file systems can't do that.
  func synchronizeNames() throws(Errno) {
    do throws(Errno) {
      try synchronize()
    } catch {
      guard [.EINVAL, .EOPNOTSUPP].contains(error.code) else { throw error }
    }
  }

  /// Releases the lock. This can't fail for an open file.
  package func letGo() { try? unlock() }

  /// Writes all bytes at an offset or, if `isAppending`, at the end of the file, which is expected
  /// there. Makes as many calls as necessary.
  func writeAll(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, isAppending: Bool = false
  ) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count =
        try isAppending
        ? append(rest, expectedAt: offset + written) : write(rest, at: offset + written)
      // Regular files never return 0, which would cause an endless loop.
      if count == 0 { throw Errno(.EIO) }
      written += count
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  func readAll(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let read = try read(into: rest, at: offset + count)
      if read == 0 { break }
      count += read
    }
    return count
  }
}

// MARK: - Errors

extension SuiteError {
  /// Creates an error about a failed system call: the problem, the system's reason, and advice.
  package init(
    _ code: Code, _ problem: String, suite: String? = nil, path: String? = nil, _ cause: Errno
  ) {
    let advice: String? =
      switch cause.code {
      case .EACCES, .EPERM: "Give the user that runs the program permission to read and write there"
      case .EROFS: "Use a writable file system"
      case .ENOSPC, .EDQUOT: "Free disk space and save again"
      case .EFBIG: "Raise the limit of the file size (ulimit -f)"
      case .EOVERFLOW: "Move away the file: a suite's file is never that large"
      case .ENAMETOOLONG: "Choose a shorter name"
      case .ELOOP: "Remove the symbolic links that form a loop"
      case .ENOTDIR, .EEXIST: "Move away the file whose path must be a folder"
      case .EILSEQ: "Rename the folders on the path whose names aren't UTF-8"
      case .EMFILE, .ENFILE: "Close files, or raise the limit of open files (ulimit -n)"
      case .EIO: "Check the disk"
      default: nil
      }
    let words = "\(problem): \(cause.words)"
    self.init(
      code, advice.map { "\(words). \($0)" } ?? words, suite: suite, path: path,
      underlying: cause.posixError)
  }

  /// Runs system calls, and describes the problem if one of them fails.
  package static func explaining<Result: ~Copyable>(
    _ code: @autoclosure () -> Code, _ problem: @autoclosure () -> String,
    path: @autoclosure () -> String, _ body: () throws(Errno) -> Result
  ) throws(Self) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw Self(code(), problem(), path: path(), error)
    }
  }
}
