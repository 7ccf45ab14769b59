import Foundation

/// Following the paths by which a suite was opened, if they contain symbolic links.
extension FileStore {
  func add(route path: String) {
    routes.withLock { routes in
      if routes.contains(where: { $0.path.hasSameScalars(as: path) }) { return }
      let route = WatchedPath(
        path, includesFile: false, on: file.fileSystem, watcher: watcher
      ) { [weak self] in self?.inBackground { $0.checkFiles() } }
      routes.append(route)
    }
  }

  /// Continues with the file that the paths now lead to. Changes that aren't in the old property
  /// list are stored in the new file, as after a replacement of the journal.
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
          "A symbolic link now leads to another file, but the suite is also open under a path that "
            + "still leads to this file, so the suite keeps using this file. Open the suite again",
          path: file.path))
    }
    let new = file.moved(to: target)
    var mustWatch = false
    do throws(SuiteError) {
      mustWatch = try table.withWriter {
        let isMoved = state.withLock { state in
          // Another thread may have been faster.
          guard state.places.file.location == file.location else { return false }
          state.leaveForAnother(SuiteFiles(new))
          state.folder = KnownFolder(nil)
          return true
        }
        guard isMoved else { return false }
        // Before any thread publishes entries of the new file.
        moved(new)
        return watch.withLock { $0 != nil }
      }
    } catch {
      // This fails only if two transactions are deadlocked. The next check tries again.
    }
    if mustWatch { startWatch() }
  }

  /// Returns the file that a path now leads to; nil if the path can't be followed now. The next
  /// check tries again.
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
