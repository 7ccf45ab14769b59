import Foundation

/// The new content of a file. It is written next to the file and replaces it atomically: after a
/// crash or power loss at any time, the file has either the old or the new content.
///
/// The folder must be writable. A hard link to the old file keeps the old content. Symbolic links
/// are followed, not replaced. The new file gets the old file's permission bits, access list and
/// user-defined extended attributes, and its owner and group if the system allows that. If the
/// access list can't be kept, the group gets the permissions of its own entry. A first file has
/// mode 0600, and missing folders are created with 0700, independently of the umask.
final class FileReplacement {
  private let target: StoredFile
  private let temporary: TemporaryFile
  private let oldPermissions: FilePermissions?
  /// The version of the new file, which a rename doesn't change.
  private(set) var version: FileVersion

  /// The name of the new file until it replaces the old file.
  var temporaryName: String { CanonicalPath.name(of: temporary.path) }

  /// Creates an empty file next to the file. Throws `unwritable`, with the new file removed.
  init(of file: StoredFile) throws(SuiteError) {
    let target = try file.target()
    self.target = target
    oldPermissions = try target.replaceable()
    let fileSystem = target.fileSystem
    try explaining("The folder can't be created", target.folder) { () throws(POSIXError) in
      try fileSystem.makeFolders(target.folder)
    }
    (temporary, version) = try explaining("The file can't be saved", target.path) {
      () throws(POSIXError) in
      let temporary = try target.temporary()
      return (temporary, try temporary.file.status().version)
    }
  }

  /// Writes the content and syncs it, which takes milliseconds. `modified` is the modification time
  /// to set.
  func write(_ data: Data, modified: FileTime? = nil) throws(SuiteError) {
    version = try explaining("The file can't be saved", target.path) { () throws(POSIXError) in
      try temporary.write(data)
      try temporary.file.takePermissions(of: oldPermissions)
      if oldPermissions != nil {
        try temporary.file.takeAttributes(of: target.path, on: target.fileSystem)
      }
      // An error is ignored: without this time, entries of a lost log only seem newer than they
      // were.
      if let modified { try? temporary.file.setModified(to: modified) }
      try temporary.file.synchronize()
      return try temporary.file.status().version
    }
  }

  /// Renames the new file to the old file's name. Throws `unwritable`, with the old file unchanged.
  func commit() throws(SuiteError) {
    try explaining("The file can't be saved", target.path) { () throws(POSIXError) in
      try temporary.rename(to: target.path)
    }
  }

  /// Renames the new file to the old file's name if the old file has the expected version (nil for
  /// no file).
  ///
  /// Another process may rename a file to that name at any time. So this exchanges the names of
  /// both files atomically and then checks the version of the file that it got. If it isn't the
  /// expected version, the names are exchanged back. If the system can't exchange names, the
  /// version is checked before the rename.
  ///
  /// - Returns: Whether the file had the expected version.
  /// - Throws: `unwritable`, with the old file unchanged. If the names can't be exchanged back, the
  ///   new file stays in place, and the external writer's file keeps the temporary name.
  func commit(replacing version: FileVersion?) throws(SuiteError) -> Bool {
    return try explaining("The file can't be saved", target.path) {
      () throws(POSIXError) -> Bool in
      // Another process may have changed the permissions since the content was written.
      if version != nil, let new = try target.fileSystem.permissionsIfPresent(of: target.path),
        new != oldPermissions
      {
        try temporary.file.takePermissions(of: new)
      }
      do throws(POSIXError) {
        guard version != nil else {
          // Adding a name fails if a file has it.
          try target.fileSystem.addName(target.path, to: temporary.path)
          // Two names would look like a hard link that a person made.
          try temporary.remove()
          return true
        }
        try target.fileSystem.exchange(temporary.path, target.path)
      } catch {
        switch error.code {
        case .ENOENT, .EEXIST: return false
        case .ENOSYS, .EINVAL, .EOPNOTSUPP, .EPERM, .EMLINK:
          return try commitLooking(for: version)
        default: throw error
        }
      }
      if target.fileSystem.omits(.exchangedFile) { return true }
      do throws(POSIXError) {
        return try hasReplaced(version)
      } catch {
        // The temporary name may be that of a text editor's file, which the next export or opening
        // restores.
        temporary.leaveName()
        throw error
      }
    }
  }

  /// Returns whether the exchanged file has the expected version.
  ///
  /// Otherwise, the names are exchanged back until the file that this process put there returns,
  /// since other processes rename, too.
  private func hasReplaced(_ version: FileVersion?) throws(POSIXError) -> Bool {
    var placed = self.version
    var other = try outcome()
    if other == version { return true }
    for _ in 0..<100 {
      let exchanged: Void? = try POSIXError.ifFound { () throws(POSIXError) in
        try target.fileSystem.exchange(temporary.path, target.path)
      }
      // An external writer removed the file meanwhile, which the next check finds.
      if exchanged == nil { return false }
      let out = try outcome()
      if out.isSameFile(as: placed) { return false }
      (placed, other) = (other, out)
    }
    return false
  }

  /// Like `commit(replacing:)` if names can't be exchanged. A file that another process puts there
  /// at this moment is lost.
  private func commitLooking(for version: FileVersion?) throws(POSIXError) -> Bool {
    guard try target.fileSystem.statusIfPresent(of: target.path)?.version == version else {
      return false
    }
    try temporary.rename(to: target.path)
    return true
  }

  /// Returns the version of the file that now has the new file's name.
  private func outcome() throws(POSIXError) -> FileVersion {
    try target.fileSystem.status(of: temporary.path, followingLinks: false).version
  }

  func synchronizeFolder() throws(SuiteError) {
    try explaining(
      "The file has the new content, but a power loss could restore the old content", target.path
    ) { () throws(POSIXError) in try target.fileSystem.synchronizeFolder(target.folder) }
  }
}

extension StoredFile {
  /// Replaces the content of a settings file and syncs it.
  ///
  /// - Throws: `unwritable`. The old file is unchanged and no other file remains, unless the error
  ///   says that only the last step, syncing the folder, failed.
  package func replace(with data: Data) throws(SuiteError) {
    let replacement = try FileReplacement(of: self)
    try replacement.write(data)
    try replacement.commit()
    try replacement.synchronizeFolder()
  }

  /// Returns the permissions of the file to replace; nil if there is none. Throws if the file must
  /// not be replaced.
  fileprivate func replaceable() throws(SuiteError) -> FilePermissions? {
    let status = try explaining("The file can't be saved", path) { () throws(POSIXError) in
      try fileSystem.statusIfPresent(of: path)
    }
    guard let status else { return nil }
    // Some users link the file to /dev/null to store nothing. A rename would replace the device.
    try requireOwn(status, .unwritable)
    try requireWritable()
    return try explaining("The file can't be saved", path) { () throws(POSIXError) in
      try fileSystem.permissions(of: path, status)
    }
  }
}

private func explaining<Result: ~Copyable>(
  _ problem: String, _ path: String, _ body: () throws(POSIXError) -> Result
) throws(SuiteError) -> Result {
  try SuiteError.explaining(.unwritable, problem, path: path, body)
}
