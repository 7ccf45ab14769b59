import Foundation

extension Defaults {
  /// Replacing a file's content: after a crash or power cut at any moment, the file holds all of
  /// the old content or all of the new.
  enum FileReplacement {
    /// Makes `data` the content of a file, and returns when that is on the disk.
    ///
    /// The bytes go to a new file beside the old one, which then takes its name. So the folder must
    /// be writable, and a second name (hard link) of the old file keeps the old content. Symbolic
    /// links are followed, not replaced. The new file has the permission bits of the old one, and
    /// its owner and group where the system lets us; extended attributes and access lists don't
    /// come along. A first file gets mode 0600, and folders that are missing are made with 0700,
    /// whatever the umask.
    ///
    /// Throws `unwritable`; the old file is then as it was and nothing is left beside it, unless
    /// the error says that only the last step, syncing the folder, failed. Costs two syncs of the
    /// disk, milliseconds each.
    static func replace(_ path: String, with data: Data) throws(SuiteError) {
      let target = try CanonicalPath(path, failingAs: .unwritable)
      let old = try existingFile(target.string)
      try explaining("The folder can't be made", target.folder) { () throws(POSIXError) in
        try makeFolders(target.folder)
      }
      try explaining("The file can't be saved", target.string) { () throws(POSIXError) in
        let temporary = try createTemporary(for: target)
        do throws(POSIXError) {
          try write(data, to: temporary.file)
          try take(old, to: temporary.file)
          try temporary.file.synchronize()
          try FileSystem.move(temporary.path, to: target.string)
        } catch {
          try? FileSystem.removeName(temporary.path)
          throw error
        }
      }
      try explaining(
        "The new content is in the file, but a power cut could still undo that", target.string
      ) { () throws(POSIXError) in try synchronizeFolder(target.folder) }
    }

    /// Waits until the names in a folder are on the disk.
    static func synchronizeFolder(_ path: String) throws(POSIXError) {
      do throws(POSIXError) {
        try FileSystem.openFolder(path).synchronize()
      } catch {
        // Some network and FUSE file systems have no sync for folders, and a folder that may be
        // written but not listed can't be opened: there is nothing more to do then.
        guard [.EINVAL, .EOPNOTSUPP, .EACCES].contains(error.code) else { throw error }
      }
    }
  }
}

extension Defaults.FileReplacement {
  private typealias FileSystem = Defaults.FileSystem

  /// A new file that is ours alone until it is moved.
  private struct Temporary: ~Copyable {
    let path: String
    let file: Defaults.FileSystem.Descriptor
  }

  /// The status of the file to replace, nil if there is none; throws if it isn't ours to replace.
  private static func existingFile(
    _ path: String
  ) throws(Defaults.SuiteError) -> Defaults.FileSystem.Status? {
    let status = try explaining("The file can't be saved", path) { () throws(POSIXError) in
      try FileSystem.statusIfPresent(of: path)
    }
    guard let status else { return nil }
    // A link to /dev/null is somebody's way to keep nothing; rename would replace the device.
    try Defaults.FileReading.requireFile(status, at: path, .unwritable)
    try Defaults.FileAccess.requireWritable(path)
    return status
  }

  /// Makes the folders that are missing, from the top, each with mode 0700 and on the disk.
  private static func makeFolders(_ path: String) throws(POSIXError) {
    guard try FileSystem.statusIfPresent(of: path) == nil else { return }
    let parent = Defaults.CanonicalPath.folder(of: path)
    try makeFolders(parent)
    do throws(POSIXError) {
      try FileSystem.makeFolder(path, mode: 0o700)
    } catch {
      // Somebody else made it at the same time, and its mode is theirs.
      guard error.code == .EEXIST else { throw error }
      return
    }
    // The umask may have taken our own bits; set-group-id comes from the parent and stays.
    let made = try FileSystem.status(of: path, followingLinks: false)
    if made.kind == .folder, made.mode & 0o777 != 0o700 {
      try FileSystem.changeMode(of: path, to: made.mode & ~0o777 | 0o700)
    }
    try synchronizeFolder(parent)
  }

  /// A new file beside the target, with a name that nobody has and that tells whose it is.
  private static func createTemporary(
    for target: Defaults.CanonicalPath
  ) throws(POSIXError) -> Temporary {
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let suffix = ".\(ProcessInfo.processInfo.processIdentifier)-\(random).tmp"
      // Short enough for encrypting file systems too, whose names end at 143 bytes.
      let name = Defaults.FileName.joining("." + target.name, suffix, limit: 140)
      let path = target.sibling(named: name)
      do throws(POSIXError) {
        return Temporary(path: path, file: try FileSystem.createFile(path))
      } catch {
        guard error.code == .EEXIST else { throw error }
      }
    }
  }

  private static func write(
    _ data: Data, to file: borrowing Defaults.FileSystem.Descriptor
  ) throws(POSIXError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = try rest.withUnsafeBytes { buffer in
        Result { () throws(POSIXError) in try file.writeBytes(from: buffer) }
      }.get()
      // Never seen with a regular file, but it would go on forever.
      if count == 0 { throw POSIXError(.EIO) }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives the new file the old one's owner, group and permissions, as far as we may.
  private static func take(
    _ old: Defaults.FileSystem.Status?, to file: borrowing Defaults.FileSystem.Descriptor
  ) throws(POSIXError) {
    guard let old else { return try file.changeMode(to: 0o600) }
    let new = try file.status()
    var mode = old.mode & 0o777
    if new.owner != old.owner { try? file.changeOwner(to: old.owner) }
    if new.group != old.group {
      do throws(POSIXError) {
        try file.changeGroup(to: old.group)
      } catch {
        // What was for the old group isn't for another one: it gets what everybody has.
        mode = mode & ~0o070 | (mode & 0o007) << 3
      }
    }
    try file.changeMode(to: mode)
  }

  private static func explaining<Result: ~Copyable>(
    _ problem: String, _ path: String, _ body: () throws(POSIXError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    try Defaults.SuiteError.explaining(.unwritable, problem, path: path, body)
  }
}
