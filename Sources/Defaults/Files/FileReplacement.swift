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
  init(of file: StoredFile, ofAnyOwner: Bool = false) throws(SuiteError) {
    let target = try file.target()
    self.target = target
    oldPermissions = try target.replaceable(ofAnyOwner: ofAnyOwner)
    let fileSystem = target.fileSystem
    try explaining("The folder can't be created", target.folder) { () throws(Errno) in
      try fileSystem.makeFolders(target.folder)
    }
    (temporary, version) = try explaining("The file can't be saved", target.path) {
      () throws(Errno) in
      let temporary = try target.temporary()
      return (temporary, try temporary.file.status().version)
    }
  }

  /// Writes the content and syncs it, which takes milliseconds. `modified` is the modification time
  /// to set.
  func write(_ data: Data, modified: FileTime? = nil) throws(SuiteError) {
    version = try explaining("The file can't be saved", target.path) { () throws(Errno) in
      try temporary.write(data)
      try temporary.file.takePermissions(of: oldPermissions)
      if oldPermissions != nil {
        try temporary.file.takeAttributes(of: target.path, on: target.fileSystem)
      }
      let version = try synchronize(at: modified)
      guard let modified, version.modified.nanoseconds == 0, modified.nanoseconds != 0 else {
        return version
      }
      // The disk has times of whole seconds, or of two. The time of a later edit must differ.
      return try synchronize(at: FileTime(seconds: modified.seconds - 2, nanoseconds: 0))
    }
  }

  /// Sets the modification time, syncs the new file, and returns its version.
  private func synchronize(at modified: FileTime?) throws(Errno) -> FileVersion {
    // Some file systems reject times. Without this time, entries of a lost log only seem newer than
    // they were.
    if let modified { try? temporary.file.setModified(to: modified) }
    try temporary.file.synchronize()
    return try temporary.file.status().version
  }

  /// Renames the new file to the old file's name. Throws `unwritable`, with the old file unchanged.
  func commit() throws(SuiteError) {
    try explaining("The file can't be saved", target.path) { () throws(Errno) in
      try temporary.rename(to: target.path)
    }
  }

  /// Renames the new file to the old file's name if the old file has the expected version (nil for
  /// no file).
  ///
  /// - Returns: Whether the file had the expected version.
  /// - Throws: `unwritable`, with the old file unchanged. If the names can't be exchanged back, the
  ///   new file stays in place, and the external writer's file keeps the temporary name.
  func commit(replacing version: FileVersion?) throws(SuiteError) -> Bool {
    try explaining("The file can't be saved", target.path) { () throws(Errno) -> Bool in
      // Another process may have changed the permissions since the content was written.
      if version != nil, let new = try target.fileSystem.permissionsIfPresent(of: target.path),
        new != oldPermissions
      {
        try temporary.file.takePermissions(of: new, isNew: false)
      }
      return try temporary.take(target.path, replacing: version.map { old in { $0 == old } })
    }
  }

  func synchronizeFolder() throws(SuiteError) {
    try explaining(
      "The file has the new content, but a power loss could restore the old content", target.path
    ) { () throws(Errno) in try target.fileSystem.synchronizeFolder(target.folder) }
  }
}

extension StoredFile {
  /// Replaces the content of a settings file and syncs it.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - ofAnyOwner: Whether to also replace a file of another user, by a file of this user with
  ///     mode 0600.
  /// - Throws: `unwritable`. The old file is unchanged and no other file remains, unless the error
  ///   says that only the last step, syncing the folder, failed.
  package func replace(with data: Data, ofAnyOwner: Bool = false) throws(SuiteError) {
    let replacement = try FileReplacement(of: self, ofAnyOwner: ofAnyOwner)
    try replacement.write(data)
    try replacement.commit()
    try replacement.synchronizeFolder()
  }

  /// Returns the permissions of the file to replace; nil if there is none, or if it belongs to
  /// another user and may be replaced. Throws if the file must not be replaced.
  fileprivate func replaceable(ofAnyOwner: Bool) throws(SuiteError) -> FilePermissions? {
    let status = try explaining("The file can't be saved", path) { () throws(Errno) in
      try fileSystem.statusIfPresent(of: path)
    }
    guard let status, !ofAnyOwner || status.owner == geteuid() else { return nil }
    // Some users link the file to /dev/null to store nothing. A rename would replace the device.
    try requireOwn(status, .unwritable)
    try requireWritable()
    return try explaining("The file can't be saved", path) { () throws(Errno) in
      try fileSystem.permissions(of: path, status)
    }
  }
}

private func explaining<Result: ~Copyable>(
  _ problem: String, _ path: String, _ body: () throws(Errno) -> Result
) throws(SuiteError) -> Result {
  try SuiteError.explaining(.unwritable, problem, path: path, body)
}
