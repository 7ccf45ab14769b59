import Foundation

/// The folders that a suite makes on the way to its file.
extension FileSystem {
  /// Makes the folders that are missing, from the top, each with mode 0700.
  ///
  /// - Parameter mustSync: Whether each one is on the disk before the next is made. Otherwise
  ///   ``synchronizeMadeFolders(_:)`` is to be called.
  func makeFolders(_ path: String, mustSync: Bool = true) throws(POSIXError) {
    guard try statusIfPresent(of: path) == nil else { return }
    let parent = CanonicalPath.folder(of: path)
    try makeFolders(parent, mustSync: mustSync)
    do throws(POSIXError) {
      try makeFolder(path, mode: 0o700)
    } catch {
      // Another process made the folder at the same time, and chose its mode.
      guard error.code == .EEXIST else { throw error }
      return
    }
    // The umask may have taken our own bits; set-group-id comes from the parent and stays.
    let made = try status(of: path, followingLinks: false)
    if made.kind == .folder, made.mode & 0o777 != 0o700 {
      try changeMode(of: path, to: made.mode & ~0o777 | 0o700)
    }
    if mustSync { try synchronizeFolder(parent) }
  }

  /// Waits until the name of a folder, and those of the folders above it, are on the disk.
  ///
  /// Nothing tells whether a process made a folder and was killed before it synced the name. So each
  /// folder counts as made by a suite if it belongs to this user and has mode 0700, up to the first
  /// one that doesn't: mostly one or two syncs.
  func synchronizeMadeFolders(_ path: String) throws(POSIXError) {
    var folder = path
    while folder != "/" {
      let found = try status(of: folder, followingLinks: false)
      guard found.kind == .folder, found.owner == geteuid(), found.mode & 0o777 == 0o700 else {
        return
      }
      folder = CanonicalPath.folder(of: folder)
      try synchronizeFolder(folder)
    }
  }
}
