import Foundation
import TestSupport
import Testing

@testable import Defaults

/// A suite as if in a process of its own: it shares no state with others on its file, its disk can
/// fail, and it can be killed.
final class OpenSuite: Sendable {
  let suite: Defaults.StoredSuite
  let issues = IssueLog()
  let disk: FaultyFileSystem

  /// Opens the file; without `isAutomatic`, there is no background work.
  init(
    _ path: String, isAutomatic: Bool = false, on disk: FaultyFileSystem = FaultyFileSystem()
  ) throws {
    self.disk = disk
    let (suite, start) = try FileStore.open(
      StoredFile(path: path, on: disk), isAutomatic: isAutomatic,
      onIssue: { [issues] in issues.append($0) })
    self.suite = suite
    start()
  }

  var entries: [String: Defaults.PropertyListValue] { suite.entries }

  /// nil for a suite that isn't in a file.
  var health: Defaults.Health? { suite.persistence.health }

  func set(_ value: Defaults.PropertyListValue, _ name: String) {
    suite.write(.set(value), named: name)
  }

  func flush(_ extent: Defaults.FlushExtent = .durable) throws {
    try suite.flush(extent)
  }

  /// Expects that a flush fails with one of these codes, with an error about this path (or, if
  /// `prefix` is given, a description with this beginning), and with these words in its reason.
  func expectFailure(
    of extent: Defaults.FlushExtent = .durable, at path: String? = nil, prefix: String = "",
    because reason: String = "", codes: [Defaults.SuiteError.Code] = [.unwritable],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: Defaults.SuiteError.self, sourceLocation: sourceLocation) {
      try flush(extent)
    }
    guard let error else { return }
    #expect(codes.contains(error.code), sourceLocation: sourceLocation)
    if let path { #expect(error.path == path, sourceLocation: sourceLocation) }
    #expect(error.path?.hasPrefix(prefix) ?? prefix.isEmpty, sourceLocation: sourceLocation)
    #expect(
      reason.isEmpty || error.reason.contains(reason), "\(error.reason)",
      sourceLocation: sourceLocation)
  }

  /// Ends the process at once: nothing that the suite does afterwards reaches the disk.
  func kill() {
    disk.fail(with: .EIO)
  }
}
