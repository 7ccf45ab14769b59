import Foundation
import TestSupport

@testable import Defaults

/// Suites on one file that share no state, as if each were a process of its own: each opens the
/// journal separately and so has its own lock.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`.
final class TwinSuites: Sendable {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// So long that a busy machine causes no timeout.
  static let patience = LockTimeouts(
    setter: .seconds(600), exact: .seconds(600), exit: .seconds(600))

  /// Opens the file as another process.
  func open(
    _ path: String = "suite.plist", isAutomatic: Bool = true,
    timeouts: LockTimeouts = patience,
    on disk: any FileSystem = LocalFileSystem()
  ) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: folder[path], on: disk), isAutomatic: isAutomatic,
      timeouts: timeouts,
      onIssue: { [issues] in issues.append($0) })
    start()
    return suite
  }

  /// Takes the lock of the journal like a process that is stopped.
  func holdLock(_ path: String = "suite.plist") throws -> any OpenFile {
    let journal = try LocalFileSystem().open(folder[path + ".journal"], .update)
    while try !journal.tryLock() { sched_yield() }
    return journal
  }

  /// The entries of a process that opens the file now.
  func stored(_ path: String = "suite.plist") throws -> [String: Defaults.PropertyListValue] {
    try open(path, isAutomatic: false).entries
  }

  /// Replaces the file with a property list, as another program does.
  func replaceFile(with entries: [String: Defaults.PropertyListValue]) throws {
    let data = try Defaults.PropertyListFormat.binary.encode(entries)
    try data.write(to: folder.url("suite.plist"), options: .atomic)
  }
}
