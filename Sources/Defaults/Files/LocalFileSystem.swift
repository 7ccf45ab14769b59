import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults {
  /// The file system of this machine; calls are repeated after EINTR.
  struct LocalFileSystem: FileSystem {
    func status(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus {
      var result = stat()
      try repeated { followingLinks ? stat(path, &result) : lstat(path, &result) }
      return FileStatus(result)
    }

    func checkAccess(_ access: FileAccess.Rights, to path: String) throws(POSIXError) {
      try repeated { faccessat(AT_FDCWD, path, access.rawValue, AT_EACCESS) }
    }

    func destination(ofLink path: String) throws(POSIXError) -> String {
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

    func workingFolder() throws(POSIXError) -> String {
      guard let bytes = getcwd(nil, 0) else { throw POSIXError(number: errno) }
      defer { free(bytes) }
      return try text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
    }

    func names(inFolder path: String) throws(POSIXError) -> [String] {
      guard let folder = opendir(path) else { throw POSIXError(number: errno) }
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name)) {
            String(validatingCString: $0)
          }
        }
        if let name, name != ".", name != ".." { names.append(name) }
      }
      return names
    }

    func makeFolder(_ path: String, mode: mode_t) throws(POSIXError) {
      try repeated { mkdir(path, mode) }
    }

    func changeMode(of path: String, to mode: mode_t) throws(POSIXError) {
      try repeated { chmod(path, mode) }
    }

    func move(_ path: String, to newPath: String) throws(POSIXError) {
      try repeated { rename(path, newPath) }
    }

    func addName(_ newPath: String, to path: String) throws(POSIXError) {
      try repeated { link(path, newPath) }
    }

    func removeName(_ path: String) throws(POSIXError) {
      try repeated { unlink(path) }
    }

    func open(_ path: String, _ use: FileUse) throws(POSIXError) -> any OpenFile {
      let flags =
        switch use {
        case .read: O_RDONLY | O_NONBLOCK | O_NOCTTY
        case .update: O_RDWR | O_NONBLOCK | O_NOCTTY
        case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        case .folder: O_RDONLY | O_DIRECTORY
        }
      let number = try repeated { systemOpen(path, flags | O_CLOEXEC, 0o600) }
      #if os(Linux)
        // O_NOATIME, which its owner may ask for: reading a file that was just written would write
        // when it was read.
        if use == .update || use == .create { _ = fcntl(number, F_SETFL, 0o1000000) }
      #endif
      return LocalFile(number: number)
    }

    /// A name that isn't UTF-8 would come back as another one, so it is an error.
    private func text(_ bytes: some Collection<UInt8>) throws(POSIXError) -> String {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw POSIXError(.EILSEQ) }
      return text
    }
  }

  /// An open file of this machine.
  private final class LocalFile: OpenFile {
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
      try repeated { fstat(number, &result) }
      return FileStatus(result)
    }

    #if canImport(Glibc) || canImport(Musl)
      func extent() throws(POSIXError) -> FileExtent {
        if let extent = FileExtent(ofOpenFile: number) { return extent }
        return FileExtent(try status())
      }
    #endif

    func read(
      into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(POSIXError) -> Int {
      try repeated { pread(number, buffer.baseAddress, min(buffer.count, chunk), off_t(offset)) }
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(POSIXError) -> Int {
      try repeated { pwrite(number, buffer.baseAddress, min(buffer.count, chunk), off_t(offset)) }
    }

    func truncate(to size: Int) throws(POSIXError) {
      try repeated { ftruncate(number, off_t(size)) }
    }

    func synchronize() throws(POSIXError) {
      #if canImport(Darwin)
        // fsync only reaches the drive's cache there; not every file system has the full one.
        if fcntl(number, F_FULLFSYNC) == 0 { return }
      #endif
      try repeated { fsync(number) }
    }

    func synchronizeContent() throws(POSIXError) {
      #if canImport(Darwin)
        try synchronize()
      #else
        try repeated { fdatasync(number) }
      #endif
    }

    func changeMode(to mode: mode_t) throws(POSIXError) {
      try repeated { fchmod(number, mode) }
    }

    func changeOwner(to owner: uid_t) throws(POSIXError) {
      try repeated { fchown(number, owner, gid_t.max) }
    }

    func changeGroup(to group: gid_t) throws(POSIXError) {
      try repeated { fchown(number, uid_t.max, group) }
    }

    func tryLock() throws(POSIXError) -> Bool {
      do throws(POSIXError) {
        try repeated { flock(number, LOCK_EX | LOCK_NB) }
        return true
      } catch {
        guard error.code == .EWOULDBLOCK else { throw error }
        return false
      }
    }

    func unlock() throws(POSIXError) {
      try repeated { flock(number, LOCK_UN) }
    }
  }
}

/// `open(2)`, which inside of the types above would be their own method.
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
  open(path, flags, mode)
}

/// Darwin refuses more than Int32.max bytes at once, Linux takes a little less.
private let chunk = 1 << 30

@discardableResult
private func repeated<Result: SignedInteger>(
  _ call: () -> Result
) throws(POSIXError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let number = errno
    if number != EINTR { throw POSIXError(number: number) }
  }
}

extension POSIXError {
  /// The error of an errno; one that has no code here counts as an input/output error.
  fileprivate init(number: CInt) {
    self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
  }
}
