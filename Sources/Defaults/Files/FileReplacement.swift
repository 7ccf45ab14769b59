import Foundation

extension Defaults {
  /// A new content for a file, which is on the disk beside it and takes its place in one step:
  /// after a crash or power cut at any moment, the file holds all of the old content or all of the
  /// new.
  ///
  /// The folder must be writable, and a second name (hard link) of the old file keeps the old
  /// content. Symbolic links are followed, not replaced. The new file has the permission bits of
  /// the old one, and its owner and group where the system lets us; extended attributes and access
  /// lists don't come along. A first file gets mode 0600, and folders that are missing are made
  /// with 0700, whatever the umask.
  final class FileReplacement: Sendable {
    private let target: CanonicalPath
    private let temporary: TemporaryFile
    private let fileSystem: any FileSystem
    /// Which file the new one is; a rename doesn't change it.
    let version: FileVersion

    /// The file that is replaced, with what it has, and the name that it gets.
    struct Old {
      let file: StoredFile
      let content: Data
      let backup: StoredFile
    }

    /// Writes the content beside the file, and returns when it is on the disk.
    ///
    /// Throws `unwritable`; nothing is left then. Costs one sync of the disk, milliseconds.
    init(
      of path: String, with data: Data, on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) {
      let target = try CanonicalPath(path, failingAs: .unwritable, on: fileSystem)
      let old = try Self.existingFile(target.string, on: fileSystem)
      try explaining("The folder can't be made", target.folder) { () throws(POSIXError) in
        try fileSystem.makeFolders(target.folder)
      }
      (temporary, version) = try explaining("The file can't be saved", target.string) {
        () throws(POSIXError) in
        let temporary = try TemporaryFile(beside: target, on: fileSystem)
        try temporary.write(data)
        try temporary.file.takeAttributes(of: old)
        try temporary.file.synchronize()
        return (temporary, try temporary.file.status().version)
      }
      self.target = target
      self.fileSystem = fileSystem
    }

    /// Gives the new file the name of the old one. Throws `unwritable`; the old one is then as it
    /// was.
    func commit() throws(SuiteError) {
      try explaining("The file can't be saved", target.string) { () throws(POSIXError) in
        try temporary.rename(to: target.string)
      }
    }

    /// Gives the new file the name of the old one if that is the version that is expected, nil for
    /// none, and the old one the name of the backup; returns whether it was. Throws `unwritable`;
    /// the old file is then as it was, unless the error says that only the backup failed.
    ///
    /// Somebody else may rename a file to that name at any time. So the two files exchange their
    /// names, in one step, and then it is seen which one the old one was; another one gets its name
    /// back. Where the system can't exchange names the old file is looked at before.
    func commit(
      replacing version: FileVersion?, keeping old: Old? = nil
    ) throws(SuiteError) -> Bool {
      let isDone = try explaining("The file can't be saved", target.string) {
        () throws(POSIXError) -> Bool in
        do throws(POSIXError) {
          guard version != nil else {
            // Nobody's file is replaced by a second name.
            try fileSystem.addName(target.string, to: temporary.path)
            // Now, since that changes one of the times by which the file is known.
            try temporary.remove()
            return true
          }
          try fileSystem.exchange(temporary.path, target.string)
        } catch {
          switch error.code {
          case .ENOENT, .EEXIST: return false
          case .ENOSYS, .EINVAL, .EOPNOTSUPP, .EPERM, .EMLINK:
            return try commitLooking(for: version, keeping: old)
          default: throw error
          }
        }
        // Whoever renamed last has the last word: what comes out is what was put there before.
        var placed = self.version
        var other = try outcome()
        if other == version { return true }
        for _ in 0..<100 {
          try fileSystem.exchange(temporary.path, target.string)
          let out = try outcome()
          if out.isSameFile(as: placed) { return false }
          (placed, other) = (other, out)
        }
        return false
      }
      if isDone, let old, !temporary.isRenamed {
        let problem = "The file is saved, but its previous generation isn't kept"
        try explaining(problem, old.backup.path) { () throws(POSIXError) in
          try temporary.rename(to: old.backup.path)
        }
      }
      return isDone
    }

    /// The same where names can't be exchanged: a file that somebody puts there at this instant is
    /// lost.
    private func commitLooking(
      for version: FileVersion?, keeping old: Old?
    ) throws(POSIXError) -> Bool {
      guard try fileSystem.statusIfPresent(of: target.string)?.version == version else {
        return false
      }
      do throws(POSIXError) {
        if let old { try old.file.link(as: old.backup, orCopy: old.content) }
      } catch {
        // A file that loses its last name while it is given another one isn't there, says link(2).
        if error.code == .ENOENT { return false }
        throw error
      }
      try temporary.rename(to: target.string)
      return true
    }

    /// Which file has the name of the new one now.
    private func outcome() throws(POSIXError) -> FileVersion {
      try fileSystem.status(of: temporary.path, followingLinks: false).version
    }

    /// Waits until the names in the folder are on the disk.
    func synchronizeFolder() throws(SuiteError) {
      try explaining(
        "The new content is in the file, but a power cut could still undo that", target.string
      ) { () throws(POSIXError) in try fileSystem.synchronizeFolder(target.folder) }
    }

    /// Makes `data` the content of a file, and returns when that is on the disk.
    ///
    /// Throws `unwritable`; the old file is then as it was and nothing is left beside it, unless
    /// the error says that only the last step, syncing the folder, failed.
    static func replace(
      _ path: String, with data: Data, on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) {
      let replacement = try FileReplacement(of: path, with: data, on: fileSystem)
      try replacement.commit()
      try replacement.synchronizeFolder()
    }

    /// The status of the file to replace, nil if there is none; throws if it isn't ours to replace.
    private static func existingFile(
      _ path: String, on fileSystem: any FileSystem
    ) throws(SuiteError) -> FileStatus? {
      let status = try explaining("The file can't be saved", path) { () throws(POSIXError) in
        try fileSystem.statusIfPresent(of: path)
      }
      guard let status else { return nil }
      // A link to /dev/null is somebody's way to keep nothing; rename would replace the device.
      try FileReading.requireFile(status, at: path, .unwritable)
      try FileAccess.requireWritable(path, on: fileSystem)
      return status
    }
  }
}

private func explaining<Result: ~Copyable>(
  _ problem: String, _ path: String, _ body: () throws(POSIXError) -> Result
) throws(Defaults.SuiteError) -> Result {
  try Defaults.SuiteError.explaining(.unwritable, problem, path: path, body)
}

extension Defaults.FileSystem {
  /// Makes the folders that are missing, from the top, each with mode 0700 and on the disk.
  func makeFolders(_ path: String) throws(POSIXError) {
    guard try statusIfPresent(of: path) == nil else { return }
    let parent = Defaults.CanonicalPath.folder(of: path)
    try makeFolders(parent)
    do throws(POSIXError) {
      try makeFolder(path, mode: 0o700)
    } catch {
      // Somebody else made it at the same time, and its mode is theirs.
      guard error.code == .EEXIST else { throw error }
      return
    }
    // The umask may have taken our own bits; set-group-id comes from the parent and stays.
    let made = try status(of: path, followingLinks: false)
    if made.kind == .folder, made.mode & 0o777 != 0o700 {
      try changeMode(of: path, to: made.mode & ~0o777 | 0o700)
    }
    try synchronizeFolder(parent)
  }
}

extension Defaults.OpenFile {
  /// Gives a new file the owner, group and permissions of another one, as far as we may; without
  /// one, the file is for its owner alone.
  ///
  /// A journal, given its settings file, is for those only who may write that. It is also the lock,
  /// which whoever can open the file can take and keep (`flock(2)` asks for no more), and so make
  /// all others wait: a mere reader of the settings must not be able to. Those who may write them
  /// still are.
  func takeAttributes(
    of old: Defaults.FileStatus?, forJournal isJournal: Bool = false
  ) throws(POSIXError) {
    guard let old else { return try changeMode(to: 0o600) }
    let new = try status()
    var mode = old.mode & 0o777
    if isJournal {
      let writers = mode & 0o022
      mode = 0o600 | writers | writers << 1
    }
    if new.owner != old.owner { try? changeOwner(to: old.owner) }
    if new.group != old.group {
      do throws(POSIXError) {
        try changeGroup(to: old.group)
      } catch {
        // What was for the old group isn't for another one: it gets what everybody has.
        mode = mode & ~0o070 | (mode & 0o007) << 3
      }
    }
    try changeMode(to: mode)
  }
}
