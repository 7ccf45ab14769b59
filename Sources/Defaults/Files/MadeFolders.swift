import Foundation

/// The creation of missing folders for a suite's file.
extension FileSystem {
  /// Creates all missing folders from the top, with mode 0700.
  ///
  /// - Parameter mustSync: Whether each folder is synced before the next folder is created.
  ///   Otherwise, call ``synchronizeMadeFolders(_:)``. A folder that this function wouldn't
  ///   recognize is synced in any case.
  package func makeFolders(_ path: String, mustSync: Bool = true) throws(Errno) {
    guard try statusIfPresent(of: path) == nil else { return }
    let parent = CanonicalPath.folder(of: path)
    try makeFolders(parent, mustSync: mustSync)
    do throws(Errno) {
      try makeFolder(path, mode: 0o700)
    } catch {
      // Another process created the folder at the same time, with its own mode.
      guard error.code == .EEXIST else { throw error }
      return
    }
    // The umask may have removed the owner's bits. The parent's set-group-id bit is inherited and
    // kept.
    let made = try status(of: path, followingLinks: false)
    var isRecognizable = made.mayBeMade
    if made.kind == .folder, made.mode & 0o777 != 0o700 {
      do throws(Errno) {
        try changeMode(of: path, to: made.mode & ~0o777 | 0o700)
        isRecognizable = try status(of: path, followingLinks: false).mayBeMade
      } catch {
        // The file system assigns modes itself.
        guard error.isUnsupported else { throw error }
      }
    }
    if mustSync || !isRecognizable { try synchronizeFolder(parent) }
  }

  /// Syncs the name of a folder and the names of its parents.
  ///
  /// A process may have been killed after it created a folder and before it synced the name. So all
  /// folders with this user and mode 0700 are synced, up to the first parent with another user or
  /// mode. Usually there are one or two.
  func synchronizeMadeFolders(_ path: String) throws(Errno) {
    var folder = path
    while folder != "/" {
      guard try status(of: folder, followingLinks: false).mayBeMade else { return }
      folder = CanonicalPath.folder(of: folder)
      try synchronizeFolder(folder)
    }
  }
}

extension FileStatus {
  /// Whether ``FileSystem/makeFolders(_:mustSync:)`` may have created the folder.
  fileprivate var mayBeMade: Bool { kind == .folder && owner == geteuid() && mode & 0o777 == 0o700 }
}
