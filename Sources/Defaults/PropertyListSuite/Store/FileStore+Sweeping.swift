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
        state.withLock { $0.sweep() }
      } else {
        try withLog(.optional, within: .zero) { state throws(SuiteError) in state.sweep() }
      }
    } catch {
      // The leftovers are harmless, and the next process that opens the suite removes them.
    }
    table.support.deliver()
  }
}

extension FileState {
  /// Removes the temporary files of processes that have ended. The caller holds the lock of the
  /// log.
  fileprivate mutating func sweep() {
    let files = places.file.fileSystem
    for name in places.file.temporaries {
      let path = places.file.location.sibling(named: name)
      do throws(POSIXError) {
        // Check the status first, since opening a FIFO or a device may have effects.
        let status = try files.status(of: path, followingLinks: false)
        guard status.kind == .file, places.file.isTrusted(status, beside: places.file.location)
        else { continue }
        if let log, status.version.isSameFile(as: log.file.version) {
          // A process was killed between the two steps that name a log.
          try files.removeName(path)
          continue
        }
        let file = try files.open(path, .update)
        // Hold the lock until the name is removed: the process that just created the file must not
        // get the lock.
        defer { withExtendedLifetime(file) {} }
        guard try file.tryLock() else { continue }
        if try isExternal(status, named: name) {
          try files.exchange(path, places.file.path)
          self.file.mustCheck = true
        }
        try files.removeName(path)
      } catch {
        // A file that can't be accessed or locked is left to a process that can.
      }
    }
  }

  /// Returns whether a file with a temporary name was written by an external writer: an export
  /// exchanged the names of two files, and the exporting process was killed before it exchanged
  /// them back.
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
