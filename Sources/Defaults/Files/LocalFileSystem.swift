import Foundation

/// The file system of this machine, for the library's other modules.
package let machineFileSystem: any FileSystem = LocalFileSystem()

/// The file system of this machine. Interrupted calls are repeated.
struct LocalFileSystem: FileSystem {
  /// Whether every change throws EROFS, independently of the program's permissions, as on a disk
  /// that is mounted read-only.
  var isReadOnly = false

  func status(of path: String, followingLinks: Bool) throws(Errno) -> FileStatus {
    var result = stat()
    try SystemCall.make { followingLinks ? stat(path, &result) : lstat(path, &result) }
    return FileStatus(result)
  }

  #if canImport(Glibc) || canImport(Musl)
    func extent(of path: String) throws(Errno) -> FileExtent? {
      try Errno.ifFound { () throws(Errno) in
        if let extent = try FileExtent.asked(ofOpenFile: AT_FDCWD, path: path) { return extent }
        return FileExtent(try status(of: path, followingLinks: false))
      }
    }
  #endif

  func checkAccess(_ rights: FileRights, to path: String) throws(Errno) {
    if isReadOnly, rights.contains(.write) { throw Errno(.EROFS) }
    try SystemCall.make { faccessat(AT_FDCWD, path, rights.rawValue, AT_EACCESS) }
  }

  #if canImport(Glibc) || canImport(Musl)
    func attributeNames(of path: String) throws(Errno) -> [String] {
      try ExtendedAttributes.names(of: path)
    }

    func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]? {
      try ExtendedAttributes.value(name, of: path)
    }
  #endif

  func destination(ofLink path: String) throws(Errno) -> String {
    // Longer destinations can't be stored.
    let capacity = Int(PATH_MAX)
    var buffer = [CChar](repeating: 0, count: capacity)
    let count = try SystemCall.make { readlink(path, &buffer, capacity) }
    return try text(buffer[..<count].map { UInt8(bitPattern: $0) })
  }

  func workingFolder() throws(Errno) -> String {
    guard let bytes = getcwd(nil, 0) else { throw Errno(number: errno) }
    defer { free(bytes) }
    return try text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
  }

  func names(inFolder path: String) throws(Errno) -> [String] {
    let number = try SystemCall.open { Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let folder = fdopendir(number) else {
      defer { close(number) }
      throw Errno(number: errno)
    }
    defer { closedir(folder) }
    return try Self.names { readdir(folder) }
  }

  /// Returns the names of the entries that calls of `readdir(3)` return.
  static func names(
    readingBy read: () -> UnsafeMutablePointer<dirent>?
  ) throws(Errno) -> [String] {
    var names: [String] = []
    while true {
      var next: UnsafeMutablePointer<dirent>?
      try SystemCall.make {
        // Both at the end and if it fails, the call returns nil; only a failure sets `errno`.
        errno = 0
        next = read()
        return next == nil && errno != 0 ? -1 : 0
      }
      guard let entry = next else { return names }
      // In place: the entry may be shorter than its type, and the last one in mapped memory.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        String(validatingCString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(Errno) {
    try change { mkdir(path, mode) }
  }

  func changeMode(of path: String, to mode: mode_t) throws(Errno) {
    try change { chmod(path, mode) }
  }

  func move(_ path: String, to newPath: String) throws(Errno) {
    try change { rename(path, newPath) }
  }

  func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    #if canImport(Darwin)
      try change { renamex_np(path, otherPath, UInt32(RENAME_SWAP)) }
    #else
      guard let renameat2 = Self.renameat2 else { throw Errno(.ENOSYS) }
      // 2 is RENAME_EXCHANGE (`include/uapi/linux/fs.h`).
      try change { renameat2(AT_FDCWD, path, AT_FDCWD, otherPath, 2) }
    #endif
  }

  #if !canImport(Darwin)
    private typealias Renameat2 =
      @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

    /// The function, which the Glibc module lacks.
    private static let renameat2 = dlsym(nil, "renameat2").map {
      unsafeBitCast($0, to: Renameat2.self)
    }
  #endif

  func addName(_ newPath: String, to path: String) throws(Errno) {
    try change { link(path, newPath) }
  }

  func removeName(_ path: String) throws(Errno) { try change { unlink(path) } }

  private func change(_ call: () -> CInt) throws(Errno) {
    if isReadOnly { throw Errno(.EROFS) }
    try SystemCall.make(call)
  }

  func open(_ path: String, _ use: FileUse) throws(Errno) -> any OpenFile {
    if isReadOnly, use == .update || use == .create { throw Errno(.EROFS) }
    let flags =
      switch use {
      case .read: O_RDONLY | O_NONBLOCK | O_NOCTTY
      case .readNoFollow: O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
      case .update: O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
      case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
      case .folder: O_RDONLY | O_DIRECTORY
      }
    let number = try SystemCall.open { Foundation.open(path, flags | O_CLOEXEC, 0o600) }
    #if os(Linux)
      // Set O_NOATIME, which the owner may use. Otherwise, reading a file that was just written
      // would write its access time.
      if use == .update || use == .create { _ = fcntl(number, F_SETFL, 0o1000000) }
    #endif
    return LocalFile(number: number)
  }

  /// Throws if a name isn't UTF-8, since it would be returned as another name.
  private func text(_ bytes: some Collection<UInt8>) throws(Errno) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Errno(.EILSEQ) }
    return text
  }
}
