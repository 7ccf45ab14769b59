import Defaults
import Foundation

/// A folder that only this user may access. The process holds a lock on it while the object lives.
final class PrivateFolder: Sendable {
  let path: String
  /// The open folder, which holds the lock.
  private let folder: Int32

  /// Creates a folder in another one. Its name begins with a prefix.
  init(in parent: String, prefix: String) throws(Defaults.CommandError) {
    while true {
      var name = "\(parent)/\(prefix)XXXXXX".utf8CString.map(\.self)
      guard mkdtemp(&name) != nil else { throw Self.problem(parent) }
      let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard let folder = Self.open(path) else {
        // Another process swept the folder before it was locked.
        if errno == ENOENT { continue }
        throw Self.problem(path)
      }
      // The result is ignored: on file systems without locks, no folder is ever swept.
      flock(folder, LOCK_EX)
      guard Self.isSame(folder, path) else {
        close(folder)
        continue
      }
      (self.path, self.folder) = (path, folder)
      return
    }
  }

  deinit { close(folder) }

  private static func problem(_ path: String) -> Defaults.CommandError {
    Defaults.CommandError(
      "\(path): the file for the editor can't be created: \(String(cString: strerror(errno)))",
      status: 74)
  }

  /// Opens a folder without following a link.
  private static func open(_ path: String) -> Int32? {
    let number = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return number < 0 ? nil : number
  }

  private static func isSame(_ folder: Int32, _ path: String) -> Bool {
    var (opened, named) = (stat(), stat())
    return fstat(folder, &opened) == 0 && lstat(path, &named) == 0
      && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// Writes a file that only the user may read, atomically.
  func write(_ data: Data, to name: String) throws(Defaults.CommandError) {
    let new = name + ".new"
    func problem() -> Defaults.CommandError {
      let words = String(cString: strerror(errno))
      unlinkat(folder, new, 0)
      return Defaults.CommandError("\(path)/\(name): it can't be written: \(words)", status: 74)
    }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // The editor may have left a file of this name.
    unlinkat(folder, new, 0)
    let file = openat(folder, new, flags, 0o600)
    guard file >= 0 else { throw problem() }
    defer { close(file) }
    var rest = Array(data)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw problem() }
      rest = rest.dropFirst(count)
    }
    guard renameat(folder, new, folder, name) == 0 else { throw problem() }
  }

  /// Removes the folder and its content.
  func remove() { Self.remove(folder, at: path) }

  /// Removes this user's folders of this prefix whose processes have ended without removing them.
  static func sweep(_ parent: String, prefix: String) {
    let names = (try? machineFileSystem.names(inFolder: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      guard let folder = open(path) else { continue }
      defer { close(folder) }
      var status = stat()
      guard fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0,
        flock(folder, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(folder, at: path)
    }
  }

  private static func remove(_ folder: Int32, at path: String) {
    // An exiting editor may still write files. The attempts are bounded.
    for _ in 0..<100 {
      empty(folder)
      guard rmdir(path) != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
    }
  }

  /// Removes the content of an open folder by relative names, so that no link leads elsewhere.
  private static func empty(_ folder: Int32, depth: Int = 0) {
    // `closedir` closes the descriptor, so it must be a separate one.
    let number = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard depth < 32, number >= 0 else { return }
    guard let entries = fdopendir(number) else {
      close(number)
      return
    }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        let name = UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self)
        guard strcmp(name, ".") != 0, strcmp(name, "..") != 0, unlinkat(folder, name, 0) != 0
        else { return }
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { return }
        empty(inner, depth: depth + 1)
        close(inner)
        unlinkat(folder, name, AT_REMOVEDIR)
      }
    }
  }
}
