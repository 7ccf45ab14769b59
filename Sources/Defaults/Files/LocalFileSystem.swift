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
      try SystemCall.make { followingLinks ? stat(path, &result) : lstat(path, &result) }
      return FileStatus(result)
    }

    #if canImport(Glibc) || canImport(Musl)
      func extent(of path: String) throws(POSIXError) -> FileExtent? {
        do throws(POSIXError) {
          if let extent = try FileExtent.asked(path: path) { return extent }
        } catch {
          guard error.code == .ENOENT else { throw error }
          return nil
        }
        return try statusIfPresent(of: path, followingLinks: false).map { FileExtent($0) }
      }
    #endif

    func checkAccess(_ access: FileAccess.Rights, to path: String) throws(POSIXError) {
      try SystemCall.make { faccessat(AT_FDCWD, path, access.rawValue, AT_EACCESS) }
    }

    func destination(ofLink path: String) throws(POSIXError) -> String {
      var capacity = 256
      while true {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let count = try SystemCall.make {
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
      let number = try SystemCall.open { systemOpen(path, O_RDONLY | O_DIRECTORY, 0) }
      guard let folder = fdopendir(number) else {
        defer { close(number) }
        throw POSIXError(number: errno)
      }
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
      try SystemCall.make { mkdir(path, mode) }
    }

    func changeMode(of path: String, to mode: mode_t) throws(POSIXError) {
      try SystemCall.make { chmod(path, mode) }
    }

    func move(_ path: String, to newPath: String) throws(POSIXError) {
      try SystemCall.make { rename(path, newPath) }
    }

    func exchange(_ path: String, _ otherPath: String) throws(POSIXError) {
      #if canImport(Darwin)
        try SystemCall.make { renamex_np(path, otherPath, UInt32(RENAME_SWAP)) }
      #else
        guard let renameat2 = Self.renameat2 else { throw POSIXError(.ENOSYS) }
        // 2 is RENAME_EXCHANGE (`include/uapi/linux/fs.h`).
        try SystemCall.make { renameat2(AT_FDCWD, path, AT_FDCWD, otherPath, 2) }
      #endif
    }

    #if !canImport(Darwin)
      private typealias Renameat2 =
        @convention(c) (
          CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
        ) -> CInt

      /// The Glibc module doesn't have it.
      private static let renameat2 = dlsym(nil, "renameat2").map {
        unsafeBitCast($0, to: Renameat2.self)
      }
    #endif

    func addName(_ newPath: String, to path: String) throws(POSIXError) {
      try SystemCall.make { link(path, newPath) }
    }

    func removeName(_ path: String) throws(POSIXError) {
      try SystemCall.make { unlink(path) }
    }

    func open(_ path: String, _ use: FileUse) throws(POSIXError) -> any OpenFile {
      let flags =
        switch use {
        case .read: O_RDONLY | O_NONBLOCK | O_NOCTTY
        case .readNoFollow: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        case .update: O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        case .folder: O_RDONLY | O_DIRECTORY
        }
      let number = try SystemCall.open { systemOpen(path, flags, 0o600) }
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
      try SystemCall.make { fstat(number, &result) }
      return FileStatus(result)
    }

    #if canImport(Glibc) || canImport(Musl)
      func extent() throws(POSIXError) -> FileExtent {
        if let extent = try FileExtent.asked(ofOpenFile: number) { return extent }
        return FileExtent(try status())
      }
    #endif

    func read(
      into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(POSIXError) -> Int {
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
}

extension Defaults {
  /// The file system of this machine, for one that does something else at some of its calls.
  package static var localFileSystem: any FileSystem { LocalFileSystem() }
}

/// `open(2)`, which inside of the types above would be their own method.
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
  open(path, flags | O_CLOEXEC, mode)
}

/// Darwin refuses more than Int32.max bytes at once, Linux takes a little less.
private let chunk = 1 << 30
