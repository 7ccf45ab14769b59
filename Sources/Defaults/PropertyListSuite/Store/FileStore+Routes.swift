import Foundation

/// Following the paths by which a suite was opened, where they lead through symbolic links.
extension FileStore {
  /// Adds a path by which the suite was opened.
  func add(route path: String) {
    routes.withLock { routes in
      if routes.contains(where: { $0.path.hasSameScalars(as: path) }) { return }
      let route = WatchedPath(
        path, includesFile: false, on: file.fileSystem, watcher: watcher
      ) { [weak self] in self?.inBackground { $0.lookAtFile() } }
      routes.append(route)
    }
  }

  /// Goes on with the file that the paths lead to now. What was set in the other one, and isn't in
  /// its property list, is stored in the new one as after the journal was replaced.
  func followRoutes() {
    var targets: [CanonicalPath] = []
    for route in routes.withLock({ $0 }) {
      guard let target = target(of: route) else { return }
      if !targets.contains(target) { targets.append(target) }
    }
    let file = file
    guard let target = targets.first, targets != [file.location] else { return }
    guard targets.count == 1 else {
      return table.support.report(
        SuiteError(
          .fileWatchingUnavailable,
          "A symbolic link on the way leads to another file now, but the suite is also open by a "
            + "path that doesn't, and stays with this file. Open the suite again",
          path: file.path))
    }
    let new = file.moved(to: target)
    // In vain only if two transactions wait for each other; the next look tries again.
    let mustWatch = try? table.withWriter {
      state.withLock { state in
        // Another thread may have been quicker.
        guard state.places.file.location == file.location else { return false }
        state.leaveForAnother(SuiteFiles(new))
        state.durability = LogDurability()
        state.file.mustCheck = true
        state.places = SuiteFiles(new)
        return watching.withLock { $0.isListening }
      }
    }
    moved(self, new)
    if mustWatch == true { watch() }
  }

  /// Where a path leads to now; nil if it can't be followed, which leads to no other file and is tried
  /// again.
  private func target(of route: WatchedPath) -> CanonicalPath? {
    defer { if let problem = route.problem { table.support.report(problem) } }
    do {
      return options.isAutomatic
        ? try route.follow() : try CanonicalPath(route.path, on: file.fileSystem)
    } catch {
      return nil
    }
  }
}

extension FileState {
  /// Goes on in other files. What was set, and isn't in the property list yet, is stored there; where
  /// there are no files, so is everything: a folder that is gone is no wish to remove all settings.
  fileprivate mutating func leaveForAnother(_ new: SuiteFiles) {
    (log, candidate) = (nil, nil)
    let files = new.file.fileSystem
    guard isFromLog,
      files.statusIfVisible(of: new.file.path) != nil
        || files.statusIfVisible(of: new.journal.path) != nil
    else { return }
    for change in fold.unexported { wait(change) }
    (fold, isFromLog) = (.empty, false)
  }
}
