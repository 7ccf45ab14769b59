import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults {
  /// The system calls that the library makes on files: each one repeats after EINTR and throws its
  /// errno, and nothing more. Paths are passed on as they are.
  enum FileSystem {
    /// What may be done with a file or folder, as the effective user.
    struct Access: OptionSet, Sendable {
      let rawValue: CInt
      static let read = Self(rawValue: R_OK)
      static let write = Self(rawValue: W_OK)
      static let search = Self(rawValue: X_OK)
    }

    /// The status of what stands at a path.
    static func status(
      of path: String, followingLinks: Bool = true
    ) throws(POSIXError) -> Status {
      var result = stat()
      try repeated { followingLinks ? stat(path, &result) : lstat(path, &result) }
      return Status(result)
    }

    /// The status, or nil if nothing stands there: ENOENT, and no other error.
    static func statusIfPresent(
      of path: String, followingLinks: Bool = true
    ) throws(POSIXError) -> Status? {
      do throws(POSIXError) {
        return try status(of: path, followingLinks: followingLinks)
      } catch {
        guard error.code == .ENOENT else { throw error }
        return nil
      }
    }

    /// Throws if the effective user may not do it.
    static func checkAccess(_ access: Access, to path: String) throws(POSIXError) {
      try repeated { faccessat(AT_FDCWD, path, access.rawValue, AT_EACCESS) }
    }

    /// What a symbolic link points to, as it is written in the link.
    static func destination(ofLink path: String) throws(POSIXError) -> String {
      var capacity = 256
      while true {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let count = try repeated {
          buffer.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            return readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
          }
        }
        // A full buffer may be a cut one.
        guard count == capacity else { return try text(buffer.prefix(count)) }
        capacity *= 4
      }
    }

    /// The working folder of the process, without symbolic links.
    static func workingFolder() throws(POSIXError) -> String {
      guard let bytes = getcwd(nil, 0) else { throw POSIXError(number: errno) }
      defer { free(bytes) }
      return try text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
    }

    /// Makes a folder; the process's umask takes bits away from the mode.
    static func makeFolder(_ path: String, mode: mode_t) throws(POSIXError) {
      try repeated { mkdir(path, mode) }
    }

    /// Sets the permission bits of a file or folder, whatever the umask.
    static func changeMode(of path: String, to mode: mode_t) throws(POSIXError) {
      try repeated { chmod(path, mode) }
    }

    /// Gives a file a new name in one step; a file that has the new name already goes.
    static func move(_ path: String, to newPath: String) throws(POSIXError) {
      try repeated { rename(path, newPath) }
    }

    /// Gives a file a second name; throws EEXIST if something has it.
    static func addName(_ newPath: String, to path: String) throws(POSIXError) {
      try repeated { link(path, newPath) }
    }

    /// Removes a file's name.
    static func removeName(_ path: String) throws(POSIXError) {
      try repeated { unlink(path) }
    }

    /// Opens a file for reading; never waits for the other end of a FIFO.
    static func openFile(_ path: String) throws(POSIXError) -> Descriptor {
      try descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// Opens a folder, to sync it.
    static func openFolder(_ path: String) throws(POSIXError) -> Descriptor {
      try descriptor(path, O_RDONLY | O_DIRECTORY)
    }

    /// Creates a file that only its owner can read and opens it for writing; throws EEXIST if
    /// something stands there, a dangling symbolic link too.
    static func createFile(_ path: String) throws(POSIXError) -> Descriptor {
      try descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    private static func descriptor(
      _ path: String, _ flags: CInt
    ) throws(POSIXError) -> Descriptor {
      Descriptor(number: try repeated { open(path, flags | O_CLOEXEC, 0o600) })
    }

    @discardableResult
    fileprivate static func repeated<Result: SignedInteger>(
      _ call: () -> Result
    ) throws(POSIXError) -> Result {
      while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { throw POSIXError(number: number) }
      }
    }

    /// A name that isn't UTF-8 would come back as another one, so it is an error.
    private static func text(_ bytes: some Collection<UInt8>) throws(POSIXError) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw POSIXError(.EILSEQ) }
      return text
    }
  }
}

extension Defaults.FileSystem {
  /// An open file or folder; closed when the value goes.
  struct Descriptor: ~Copyable {
    fileprivate let number: CInt

    deinit {
      // Not repeated: the number is free after EINTR too, and may be somebody else's by now.
      close(number)
    }

    /// The status of the open file, whatever happened to its name.
    func status() throws(POSIXError) -> Status {
      var result = stat()
      try Defaults.FileSystem.repeated { fstat(number, &result) }
      return Status(result)
    }

    /// Reads some bytes and says how many; 0 is the end of the file.
    func readBytes(into buffer: UnsafeMutableRawBufferPointer) throws(POSIXError) -> Int {
      try Defaults.FileSystem.repeated {
        read(number, buffer.baseAddress, min(buffer.count, Self.chunk))
      }
    }

    /// Writes some of the bytes and says how many.
    func writeBytes(from buffer: UnsafeRawBufferPointer) throws(POSIXError) -> Int {
      try Defaults.FileSystem.repeated {
        write(number, buffer.baseAddress, min(buffer.count, Self.chunk))
      }
    }

    /// Waits until the file's content and attributes, or the folder's names, are on the disk.
    func synchronize() throws(POSIXError) {
      #if canImport(Darwin)
        // fsync only reaches the drive's cache there; not every file system has the full one.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
      #endif
      try Defaults.FileSystem.repeated { fsync(number) }
    }

    /// Sets the permission bits, whatever the umask.
    func changeMode(to mode: mode_t) throws(POSIXError) {
      try Defaults.FileSystem.repeated { fchmod(number, mode) }
    }

    /// Sets the owner; only the superuser may give files away.
    func changeOwner(to owner: uid_t) throws(POSIXError) {
      try Defaults.FileSystem.repeated { fchown(number, owner, gid_t.max) }
    }

    /// Sets the group; its owner may choose among the groups that the user is in.
    func changeGroup(to group: gid_t) throws(POSIXError) {
      try Defaults.FileSystem.repeated { fchown(number, uid_t.max, group) }
    }

    /// Darwin refuses more than Int32.max at once, Linux takes a little less.
    private static let chunk = 1 << 30
  }
}

extension POSIXError {
  /// The error of an errno; one that has no code here counts as an input/output error.
  fileprivate init(number: CInt) {
    self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
  }
}
