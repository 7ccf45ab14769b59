import Foundation

/// Removing the temporary files that killed processes left.
///
/// Their names prove that this library made them; see ``TemporaryFile``.
extension FileStore {
  /// Removes what killed processes left, once; not while another process is in a commit.
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
      // They do no harm, and the next process that opens the suite removes them.
    }
    table.support.deliver()
  }
}

extension FileState {
  /// Removes the temporary files of processes that are gone, with the lock of the log.
  fileprivate mutating func sweep() {
    let files = places.file.fileSystem
    for name in places.file.temporaries {
      let path = places.file.location.sibling(named: name)
      do throws(POSIXError) {
        // Looked at before it is opened: opening a FIFO or a device is an act of its own.
        let status = try files.status(of: path, followingLinks: false)
        guard status.kind == .file, places.file.isTrusted(status, beside: places.file.location)
        else { continue }
        if let log, status.version.isSameFile(as: log.file.version) {
          // A process was killed between the two steps that gave the log its name.
          try files.removeName(path)
          continue
        }
        let file = try files.open(path, .update)
        // Locked while the name goes: the process that has just made the file must not get the lock.
        defer { withExtendedLifetime(file) {} }
        guard try file.tryLock() else { continue }
        if try isExternal(status, named: name) {
          try files.exchange(path, places.file.path)
          self.file.mustCheck = true
        }
        try files.removeName(path)
      } catch {
        // What can't be looked at, opened or locked is left for a process that can.
      }
    }
  }

  /// Whether a file with a temporary name is an external writer's: it changed places with an export,
  /// and the exporting process was killed before it put the file back.
  private func isExternal(_ status: FileStatus, named name: String) throws(POSIXError) -> Bool {
    // A damaged file that an export replaced has the name of a quarantined one, too.
    guard let export = fold.bases.last(where: { $0.temporaryName == name })?.file,
      !export.stamp.isSameFile(as: status.version), status.names == 1,
      fold.file(status.version) == nil
    else { return false }
    let present = try places.file.fileSystem.statusIfPresent(of: places.file.path)
    return present?.version.isSameFile(as: export.stamp) ?? false
  }
}
