import Foundation

/// A file system that is never changed, independently of the program's permissions. Every change
/// throws EROFS, as on a disk that is mounted read-only.
struct ReadOnlyFileSystem: FileSystem {
  let base: any FileSystem

  var isReadOnly: Bool { true }

  func status(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus {
    try base.status(of: path, followingLinks: followingLinks)
  }

  func statusIfPresent(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus? {
    try base.statusIfPresent(of: path, followingLinks: followingLinks)
  }

  func extent(of path: String) throws(POSIXError) -> FileExtent? { try base.extent(of: path) }

  func attributeNames(of path: String) throws(POSIXError) -> [String] {
    try base.attributeNames(of: path)
  }

  func attribute(_ name: String, of path: String) throws(POSIXError) -> [UInt8]? {
    try base.attribute(name, of: path)
  }

  func checkAccess(_ rights: FileRights, to path: String) throws(POSIXError) {
    if rights.contains(.write) { throw POSIXError(.EROFS) }
    try base.checkAccess(rights, to: path)
  }

  func destination(ofLink path: String) throws(POSIXError) -> String {
    try base.destination(ofLink: path)
  }

  func workingFolder() throws(POSIXError) -> String { try base.workingFolder() }

  func names(inFolder path: String) throws(POSIXError) -> [String] {
    try base.names(inFolder: path)
  }

  func open(_ path: String, _ use: FileUse) throws(POSIXError) -> any OpenFile {
    switch use {
    case .read, .readNoFollow, .folder: return try base.open(path, use)
    case .update, .create: throw POSIXError(.EROFS)
    }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(POSIXError) { throw POSIXError(.EROFS) }
  func changeMode(of path: String, to mode: mode_t) throws(POSIXError) { throw POSIXError(.EROFS) }
  func move(_ path: String, to newPath: String) throws(POSIXError) { throw POSIXError(.EROFS) }
  func exchange(_ path: String, _ otherPath: String) throws(POSIXError) { throw POSIXError(.EROFS) }
  func addName(_ newPath: String, to path: String) throws(POSIXError) { throw POSIXError(.EROFS) }
  func removeName(_ path: String) throws(POSIXError) { throw POSIXError(.EROFS) }
}
