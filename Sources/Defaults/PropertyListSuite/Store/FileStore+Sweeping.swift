import Foundation

/// Removing the temporary files of killed processes.
///
/// Their names prove that this library created them; see ``TemporaryFile``.
extension FileStore {
  /// Removes leftovers of killed processes once, but not while another process commits.
  func sweepTemporaries() {
    let isDue = watching.withLock { state in
      defer { state.hasSwept = true }
      return !state.hasSwept && !options.isReadOnly && !Forking.isChild
    }
    guard isDue, !places.file.temporaries.isEmpty else { return }
    do throws(SuiteError) {
      if try places.journal.status() == nil {
        state.withLock { $0.sweep(isLocked: false) }
      } else {
        try withLog(.optional, within: .zero) { state throws(SuiteError) in
          state.sweep(isLocked: true)
        }
      }
    } catch {
      // The leftovers are harmless, and the next process that opens the suite removes them.
    }
    table.support.deliver()
  }
}

extension FileState {
  /// Removes the temporary files of processes that have ended. `isLocked` is whether the caller
  /// holds the lock of the log.
  fileprivate mutating func sweep(isLocked: Bool) {
    let logs = places.journal.temporaries
    exports.mustSweep = false
    for name in places.file.temporaries {
      do throws(POSIXError) {
        try sweep(name, mayBeExport: !isLocked && !logs.contains(name))
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
    if exports.mustSweep { sweep(isLocked: true) }
    let isRestored = try SuiteError.explaining(
      .unwritable, "The file that another program saved can't get its name back",
      path: places.file.path
    ) { () throws(POSIXError) in
      for name in fold.unplacedNames where try restore(name) { return true }
      return false
    }
    if isRestored { try lookAtFile() }
  }

  /// Gives a text editor's file its name back if an export exchanged the two files, and wasn't able
  /// to exchange them back. Returns false if that isn't so.
  private mutating func restore(_ name: String) throws(POSIXError) -> Bool {
    let files = places.file.fileSystem
    let path = places.file.location.sibling(named: name)
    guard let status = try files.statusIfPresent(of: path, followingLinks: false),
      status.kind == .file, places.file.isTrusted(status, beside: places.file.location),
      try isExternal(status, named: name)
    else { return false }
    try files.exchange(path, places.file.path)
    file.mustCheck = true
    try files.removeName(path)
    return true
  }

  /// Removes a temporary file whose process doesn't use it anymore. A file that an external writer
  /// saved gets its name back instead.
  ///
  /// `mayBeExport` is whether another process may be exporting, which exchanges the temporary name
  /// with the name of the property list.
  private mutating func sweep(_ name: String, mayBeExport: Bool) throws(POSIXError) {
    let files = places.file.fileSystem
    let path = places.file.location.sibling(named: name)
    // Check the status first, since opening a FIFO or a device may have effects.
    let status = try files.status(of: path, followingLinks: false)
    guard status.kind == .file, places.file.isTrusted(status, beside: places.file.location)
    else { return }
    if let log, status.version.isSameFile(as: log.file.version) {
      // A process was killed between the two steps that name a log.
      return try files.removeName(path)
    }
    let file = try files.open(path, .update)
    // Hold the lock until the name is removed: the process that just created the file must not get
    // the lock.
    defer { withExtendedLifetime(file) {} }
    guard try file.tryLock() else { return }
    if mayBeExport, try files.statusIfPresent(of: places.file.path) != nil {
      exports.mustSweep = true
      return
    }
    if try restore(name) { return }
    try files.removeName(path)
  }

  /// Returns whether a file with a temporary name was written by an external writer: an export
  /// exchanged the names of two files, and the exporting process didn't exchange them back,
  /// since it was killed or the system call failed.
  private func isExternal(_ status: FileStatus, named name: String) throws(POSIXError) -> Bool {
    // A damaged file that an export replaced also has the name of a quarantined file.
    guard let export = fold.bases.last(where: { $0.temporaryName == name })?.file,
      !export.stamp.isSameFile(as: status.version), status.names == 1,
      fold.file(status.version) == nil
    else { return false }
    let present = try places.file.fileSystem.statusIfPresent(of: places.file.path)
    return present?.version.isSameFile(as: export.stamp) ?? false
  }
}
