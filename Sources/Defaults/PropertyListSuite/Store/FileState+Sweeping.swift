import Foundation

/// Removing the temporary files of killed processes.
///
/// Their names prove that this library created them; see ``TemporaryFile``.
extension FileState {
  /// Removes the temporary files of processes that have ended.
  mutating func sweep() {
    exports.mustSweep = false
    for name in places.temporaries {
      do throws(Errno) {
        try sweep(name, mayBeExport: !isLocked && places.file.isTemporary(name))
      } catch {
        // A file that can't be accessed or locked is left to a process that can.
      }
    }
  }

  /// Prepares an export, under the lock of the log: removes temporary files that the sweep left,
  /// and restores and merges text editors' files that earlier exports replaced. After the next
  /// export, these look like files that this library replaced.
  ///
  /// Throws `unwritable` while that fails.
  mutating func sweepBeforeExport() throws(SuiteError) {
    if exports.mustSweep { sweep() }
    for name in fold.unplacedNames {
      let isRestored = try SuiteError.explaining(
        .unwritable, "The file that another program saved can't get its name back",
        path: places.file.path
      ) { () throws(Errno) in
        guard let found = try temporary(name) else { return false }
        return try restore(found)
      }
      if isRestored { return try checkFile() }
    }
  }

  /// A file with a temporary name.
  private typealias Temporary = (name: String, path: String, status: FileStatus)

  /// Returns the file with a temporary name; nil if there is none that may be this library's.
  private func temporary(_ name: String) throws(Errno) -> Temporary? {
    guard places.isTemporary(name) else { return nil }
    let path = places.file.location.sibling(named: name)
    // Only the status, since opening a FIFO or a device may have effects.
    let status = try places.file.fileSystem.statusIfPresent(of: path, followingLinks: false)
    guard let status, status.kind == .file,
      places.file.isTrusted(status, beside: places.file.location)
    else { return nil }
    return (name, path, status)
  }

  /// Gives a text editor's file its name back if an export exchanged the two files and didn't
  /// exchange them back, since its process was killed or the system call failed. Returns whether it
  /// did. The caller holds the lock of the log.
  private mutating func restore(_ found: Temporary) throws(Errno) -> Bool {
    let fileSystem = places.file.fileSystem
    // A damaged file that an export replaced also has the name of a quarantined file.
    guard let index = fold.bases.lastIndex(where: { $0.temporaryName == found.name }),
      !fold.bases[index].isPlaced, let export = fold.bases[index].file,
      !export.stamp.isSameFile(as: found.status.version),
      found.status.names == 1,
      // The file that the export replaced isn't an edit.
      !fold.hasRecord(
        of: found.status.version,
        since: fold.bases[..<index].lastIndex(where: \.isPlaced) ?? 0),
      // The inode alone could be that of a later edit, to which the system gave the number again.
      try fileSystem.statusIfPresent(of: places.file.path)?.version == export.stamp,
      !isKnownCopy(found)
    else { return false }
    try fileSystem.exchange(found.path, places.file.path)
    propertyList.mustCheck = true
    guard try fileSystem.status(of: found.path, followingLinks: false).version == export.stamp
    else {
      // An editor replaced the export at this moment, and its file is newer.
      try fileSystem.exchange(found.path, places.file.path)
      return false
    }
    try fileSystem.removeName(found.path)
    return true
  }

  /// Returns whether a file is a copy of the placed version or a later one, and so isn't an edit.
  /// To the process that exchanged it, this was the version to replace.
  private func isKnownCopy(_ found: Temporary) -> Bool {
    let version = found.status.version
    guard version.size <= Defaults.SizeLimit.file else { return false }
    do throws(Errno) {
      let file = try places.file.fileSystem.open(found.path, .readNoFollow)
      guard let content = try file.bytes(expecting: version) else { return false }
      return fold.finding(LogRecord.FileIdentity(content, stamp: version)) != .external
    } catch {
      // An edit that this user can't read must not stay under the temporary name.
      return false
    }
  }

  /// Removes a temporary file whose process doesn't use it anymore. A file that an external writer
  /// saved gets its name back instead.
  ///
  /// `mayBeExport` is whether another process may be exporting, which exchanges the temporary name
  /// with the name of the property list.
  private mutating func sweep(_ name: String, mayBeExport: Bool) throws(Errno) {
    guard let found = try temporary(name) else { return }
    let fileSystem = places.file.fileSystem
    if let log, found.status.version.isSameFile(as: log.file.version) {
      // A process was killed between the two steps that name a log.
      return try fileSystem.removeName(found.path)
    }
    let file = try fileSystem.open(found.path, .update)
    // Hold the lock until the name is removed: the process that just created the file must not get
    // the lock.
    defer { withExtendedLifetime(file) {} }
    guard try file.tryLock() else { return }
    // An export exchanges names only with another file. If both names are the file's, the export
    // only has its temporary name to remove.
    if mayBeExport, let present = try fileSystem.statusIfPresent(of: places.file.path) {
      // Read again, since the export may have exchanged the names since they were read.
      guard let again = try temporary(name) else { return }
      let hasBothNames = [present, again.status].allSatisfy {
        $0.version.isSameFile(as: found.status.version)
      }
      guard hasBothNames else {
        exports.mustSweep = true
        return
      }
    }
    if try restore(found) { return }
    try fileSystem.removeName(found.path)
  }
}
