import Foundation

/// A new content for a file, which is on the disk next to it and takes its place in one step: after
/// a crash or power cut at any moment, the file holds all of the old content or all of the new.
///
/// The folder must be writable, and a second name (hard link) of the old file keeps the old
/// content. Symbolic links are followed, not replaced. The new file has the permission bits and the
/// access list of the old one, the extended attributes that users set, and its owner and group
/// where the system lets us. Where the access list can't be kept, the group gets the rights of its
/// own entry. A first file gets mode 0600, and folders that are missing are made with 0700, whatever
/// the umask.
final class FileReplacement: Sendable {
  private let target: StoredFile
  private let temporary: TemporaryFile
  /// The permissions of the old file.
  private let permissions: FilePermissions?
  private let written: Lock<FileVersion>

  /// Which file the new one is; a rename doesn't change it.
  var version: FileVersion { written.withLock { $0 } }

  /// The name of the new file until it replaces the old one.
  var temporaryName: String { CanonicalPath.name(of: temporary.path) }

  /// Writes the content next to the file, and returns when it is on the disk.
  ///
  /// Throws `unwritable`; nothing is left then. Costs one sync of the disk, milliseconds.
  convenience init(of file: StoredFile, with data: Data) throws(SuiteError) {
    try self.init(of: file)
    try write(data)
  }

  /// Creates an empty file next to the file. Throws `unwritable`; nothing is left then.
  init(of file: StoredFile) throws(SuiteError) {
    let target = try file.target()
    self.target = target
    permissions = try target.replaceable()
    let fileSystem = target.fileSystem
    try explaining("The folder can't be made", target.folder) { () throws(POSIXError) in
      try fileSystem.makeFolders(target.folder)
    }
    (temporary, written) = try explaining("The file can't be saved", target.path) {
      () throws(POSIXError) in
      let temporary = try target.temporary()
      return (temporary, Lock(try temporary.file.status().version))
    }
  }

  /// Writes the content, and returns when it is on the disk. `modified`: the time of modification
  /// that the file gets. Costs one sync of the disk, milliseconds.
  func write(_ data: Data, modified: FileTime? = nil) throws(SuiteError) {
    let version = try explaining("The file can't be saved", target.path) {
      () throws(POSIXError) in
      try temporary.write(data)
      try temporary.file.takePermissions(of: permissions)
      if permissions != nil {
        try temporary.file.takeAttributes(of: target.path, on: target.fileSystem)
      }
      // Ignored if it fails: without it, entries of a lost log only look newer than they were.
      if let modified { try? temporary.file.setModified(to: modified) }
      try temporary.file.synchronize()
      return try temporary.file.status().version
    }
    written.replace(with: version)
  }

  /// Gives the new file the name of the old one. Throws `unwritable`; the old one is then as it
  /// was.
  func commit() throws(SuiteError) {
    try explaining("The file can't be saved", target.path) { () throws(POSIXError) in
      try temporary.rename(to: target.path)
    }
  }

  /// Gives the new file the name of the old one if that is the version that is expected, nil for
  /// none; returns whether it was. Throws `unwritable`; the old file is then as it was.
  ///
  /// Another process may rename a file to that name at any time. So the two files exchange their
  /// names, in one step, and then the version of the file that came out is compared; if it is
  /// another one, the names are exchanged back. Where the system can't exchange names, the
  /// version is compared before.
  func commit(replacing version: FileVersion?) throws(SuiteError) -> Bool {
    return try explaining("The file can't be saved", target.path) {
      () throws(POSIXError) -> Bool in
      do throws(POSIXError) {
        guard version != nil else {
          // A second name replaces no file.
          try target.fileSystem.addName(target.path, to: temporary.path)
          // Now, since that changes one of the times by which the file is known.
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
      // Exchanged back until the file comes out that was put there: another process renames, too.
      var placed = self.version
      var other = try outcome()
      if other == version { return true }
      for _ in 0..<100 {
        do throws(POSIXError) {
          try target.fileSystem.exchange(temporary.path, target.path)
        } catch {
          // An external writer removed the file meanwhile, which the next look finds.
          guard error.code == .ENOENT else { throw error }
          return false
        }
        let out = try outcome()
        if out.isSameFile(as: placed) { return false }
        (placed, other) = (other, out)
      }
      return false
    }
  }

  /// The same where names can't be exchanged: a file that another process puts there at this
  /// instant is lost.
  private func commitLooking(for version: FileVersion?) throws(POSIXError) -> Bool {
    guard try target.fileSystem.statusIfPresent(of: target.path)?.version == version else {
      return false
    }
    try temporary.rename(to: target.path)
    return true
  }

  /// Which file has the name of the new one now.
  private func outcome() throws(POSIXError) -> FileVersion {
    try target.fileSystem.status(of: temporary.path, followingLinks: false).version
  }

  /// Waits until the names in the folder are on the disk.
  func synchronizeFolder() throws(SuiteError) {
    try explaining(
      "The new content is in the file, but a power cut could still undo that", target.path
    ) { () throws(POSIXError) in try target.fileSystem.synchronizeFolder(target.folder) }
  }
}

extension StoredFile {
  /// Makes `data` the content of a settings file, and returns when that is on the disk.
  ///
  /// Throws `unwritable`; the old file is then as it was and nothing is left next to it, unless
  /// the error says that only the last step, syncing the folder, failed.
  func replace(with data: Data) throws(SuiteError) {
    let replacement = try FileReplacement(of: self, with: data)
    try replacement.commit()
    try replacement.synchronizeFolder()
  }

  /// The permissions of the file to replace, nil if there is none; throws if it isn't ours to
  /// replace.
  fileprivate func replaceable() throws(SuiteError) -> FilePermissions? {
    let status = try explaining("The file can't be saved", path) { () throws(POSIXError) in
      try fileSystem.statusIfPresent(of: path)
    }
    guard let status else { return nil }
    // Some users link the file to /dev/null to store nothing; rename would replace the device.
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
