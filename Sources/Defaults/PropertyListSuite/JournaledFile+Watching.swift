import Foundation
import Synchronization

/// Noticing what other processes do.
extension Defaults.JournaledFile {
  /// How often the files are looked at where nobody tells of changes.
  private static let pollInterval = 0.5

  /// Takes in changes of others as they come.
  func watch() {
    let names = (file: file.location.name, journal: journalPlace.location.name)
    do throws(POSIXError) {
      let watch = try Defaults.FolderWatcher.shared.watch(
        file.folder, names: [names.file, names.journal]
      ) { [weak self] name, event in
        guard let self else { return false }
        switch name {
        case names.journal: return self.notice()
        case names.file where event == .written: return false
        case names.file where event == .gone:
          // Many editors take the old file away before they write the new one.
          self.inBackground(after: 0.1) { $0.lookAtFile() }
          return false
        case names.file: break
        default: if event != .unknown { return false }
        }
        self.state.withLock { $0.mustCheckFile = true }
        return self.notice()
      }
      state.withLock { $0.watch = watch }
    } catch {
      table.support.report(
        Defaults.SuiteError(
          .unwatched,
          "The folder can't be watched, so changes of others are looked for twice a second",
          path: file.folder, error))
      poll()
    }
  }

  /// Takes in what others did; returns whether there was anything, or at least more than what this
  /// process wrote itself.
  private func notice() -> Bool {
    // First, so that a writer who is in the way finds it when it gives its lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    return lookIfOverdue()
  }

  func lookAtFile() {
    state.withLock { $0.mustCheckFile = true }
    takeIn()
  }

  private func poll() {
    inBackground(after: Self.pollInterval) {
      $0.lookAtFile()
      $0.poll()
    }
  }
}
