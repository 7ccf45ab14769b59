import Defaults
import Foundation

/// A file at a path, read without changing, locking or waiting for anything.
struct RawFile {
  let path: String
  /// nil if the path doesn't exist.
  let status: FileStatus?
  /// The content of a regular file that can be read.
  let bytes: [UInt8]?
  /// Why there is no content, as a clause; nil if there is content, or nothing at the path.
  let problem: String?

  /// The size limit, far above that of the library's files.
  static let limit = 1 << 30
  /// The size limit for damaged files. Reading them takes more memory than their size.
  static let limitOfDamaged = 1 << 28

  /// Reads the file at a path. Follows a link in the last component only if asked to, and never
  /// opens a pipe or a device.
  init(_ path: String, followingLinks: Bool = false, limit: Int = Self.limit) {
    self.path = path
    let files = machineFileSystem
    do throws(Errno) {
      status = try files.statusIfPresent(of: path, followingLinks: followingLinks)
    } catch {
      (status, bytes, problem) = (nil, nil, error.words)
      return
    }
    guard let status else {
      (bytes, problem) = (nil, nil)
      return
    }
    if let obstacle = Self.obstacle(status, limit) {
      (bytes, problem) = (nil, obstacle)
      return
    }
    do throws(Errno) {
      bytes = try Self.content(path, followingLinks ? .read : .readNoFollow, status, limit)
      problem = nil
    } catch {
      (bytes, problem) = (nil, error.words)
    }
  }

  /// Whether there is anything at a path, or something that can't be inspected.
  static func isThere(_ path: String, followingLinks: Bool = true) -> Bool {
    do throws(Errno) {
      return try machineFileSystem.statusIfPresent(
        of: path, followingLinks: followingLinks) != nil
    } catch {
      return error.code != .ENOTDIR
    }
  }

  private static func obstacle(_ status: FileStatus, _ limit: Int) -> String? {
    switch status.kind {
    case .file: status.version.size > limit ? "it is larger than \(limit >> 20) MiB" : nil
    case .folder: "it is a folder"
    case .link: "it is a symbolic link, which isn't followed here"
    case .special: "it is a pipe, socket or device"
    }
  }

  private static func content(
    _ path: String, _ use: FileUse, _ expected: FileStatus, _ limit: Int
  ) throws(Errno) -> [UInt8] {
    let file = try machineFileSystem.open(path, use)
    let status = try file.status()
    // Another process may have replaced the file.
    guard status.kind == .file, status.version.size <= limit else { throw Errno(.EINVAL) }
    var content = [UInt8](repeating: 0, count: status.version.size)
    var count = 0
    while count < content.count {
      var problem: Errno?
      let read = content.withUnsafeMutableBytes { buffer in
        do throws(Errno) {
          return try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: count)
        } catch {
          problem = error
          return 0
        }
      }
      if let problem { throw problem }
      if read == 0 { break }
      count += read
    }
    content.removeLast(content.count - count)
    return content
  }
}

extension Place {
  /// Reads the journal; see ``LoadedLog/read(_:_:)``.
  func readJournal() throws(SuiteError) -> (file: RawFile, log: LoadedLog) {
    var file = RawFile(journal)
    let log = try LoadedLog.read(journal) { () throws(SuiteError) in
      file = RawFile(journal)
      return LoadedLog(file.bytes ?? [], path: journal)
    }
    return (file, log)
  }
}
