import Foundation
import Synchronization

/// Noticing what other processes do.
extension Defaults.JournaledFile {
  /// How often the files are looked at where nobody tells of changes.
  private static let pollInterval = 0.5

  /// Takes in changes of others as they come.
  func watch(for suite: Defaults.StoredSuite) {
    let names = (file: file.location.name, journal: journalPlace.location.name)
    do throws(POSIXError) {
      let watch = try Defaults.FolderWatcher.shared.watch(
        file.folder, names: [names.file, names.journal]
      ) { [weak suite, weak self] name, event in
        guard let suite, let self else { return false }
        switch name {
        case names.journal: return self.notice(for: suite)
        case names.file where event == .written: return false
        case names.file where event == .gone:
          // Many editors take the old file away before they write the new one.
          self.inBackground(after: 0.1, for: suite) { [weak self] in self?.lookAtFile(for: $0) }
          return false
        case names.file: break
        default: if event != .unknown { return false }
        }
        self.state.withLock { $0.mustCheckFile = true }
        return self.notice(for: suite)
      }
      state.withLock { $0.watch = watch }
    } catch {
      suite.support.report(
        Defaults.SuiteError(
          .unwatched,
          "The folder can't be watched, so changes of others are looked for twice a second",
          path: file.folder, error))
      poll(for: suite)
    }
  }

  /// Takes in what others did; returns whether there was anything, or at least more than what this
  /// process wrote itself.
  private func notice(for suite: Defaults.StoredSuite) -> Bool {
    // First, so that a writer who is in the way finds it when it gives its lock back.
    isOverdue.store(true, ordering: .sequentiallyConsistent)
    return lookIfOverdue(for: suite)
  }

  func settle(for suite: Defaults.StoredSuite) {
    if isOverdue.load(ordering: .sequentiallyConsistent) { _ = lookIfOverdue(for: suite) }
  }

  /// Takes in what others did, if that is overdue; returns whether there was news. Not while
  /// somebody writes here, who will do it then: the watcher's thread waits for nobody.
  private func lookIfOverdue(for suite: Defaults.StoredSuite) -> Bool {
    guard let look = takeInIfFree(for: suite) else { return false }
    return look.isNews || look.mustLock
  }

  func lookAtFile(for suite: Defaults.StoredSuite) {
    state.withLock { $0.mustCheckFile = true }
    takeIn(for: suite)
  }

  private func poll(for suite: Defaults.StoredSuite) {
    inBackground(after: Self.pollInterval, for: suite) { [weak self] in
      self?.lookAtFile(for: $0)
      self?.poll(for: $0)
    }
  }
}
