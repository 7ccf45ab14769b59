import Foundation

@testable import Defaults

/// A suite as a process of its own has it: it knows nothing of others on its file, has a disk that
/// can fail, and can be killed.
final class OpenSuite: Sendable {
  let suite: Defaults.StoredSuite
  let issues = IssueLog()
  let disk: FaultyFileSystem

  /// Opens the file; without `isAutomatic`, nothing happens by itself.
  init(
    _ path: String, isAutomatic: Bool = false, on disk: FaultyFileSystem = FaultyFileSystem()
  ) throws {
    self.disk = disk
    let (suite, start) = try Defaults.JournaledFile.open(
      Defaults.StoredFile(path: path, on: disk), isAutomatic: isAutomatic,
      onIssue: { [issues] in issues.append($0) })
    self.suite = suite
    start()
  }

  var entries: [String: Defaults.PropertyListValue] { suite.entries }

  /// nil for a suite that isn't in a file.
  var health: Defaults.Health? { (suite.persistence as? Defaults.JournaledFile)?.health }

  func set(_ value: Defaults.PropertyListValue, _ name: String) {
    suite.write(.set(value), named: name)
  }

  func flush(_ extent: Defaults.FlushExtent = .durable) throws {
    try suite.flush(extent)
  }

  /// Ends the process at once: nothing that the suite does from now on reaches the disk.
  func kill() {
    disk.fail(with: .EIO)
  }
}
