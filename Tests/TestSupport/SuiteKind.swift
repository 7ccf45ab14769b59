import Defaults
import Foundation
import Synchronization
import Testing

/// The kinds of suites that the requirements are tested for.
package enum SuiteKind: String, CaseIterable, Sendable {
  case memory
  case binaryFile
  case xmlFile
  case customStore
  case userDefaults

  /// Without `UserDefaults` if the user has no home folder for its file; tests of that suite are
  /// then reported as skipped.
  package static let allCases: [Self] =
    [.memory, .binaryFile, .xmlFile, .customStore]
    + (UserDefaultsDomain.isAvailable ? [.userDefaults] : [])

  /// The kinds whose entries a second opening reads.
  package static let persistent = allCases.filter { $0 != .memory }
}

/// A suite of one test, at a place where it can be opened again.
///
/// Keep it in a property of the test suite; see `TemporaryFolder`.
package final class Sample: Sendable {
  package let kind: SuiteKind
  package let suite: any Defaults.Suite
  package let issues = IssueLog()
  private let folder: TemporaryFolder
  private let rows = RowStore()
  private let domain: UserDefaultsDomain?

  package init(_ kind: SuiteKind) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    domain = kind == .userDefaults ? try UserDefaultsDomain() : nil
    suite = try Self.open(kind, in: folder, rows, domain, issues)
  }

  deinit {
    // A pending save would create the folder again.
    try? suite.flush(.snapshot)
  }

  /// The stored state as another program reads it: only the bytes are used, nothing of this
  /// process.
  package func storedEntries() throws -> [String: Defaults.PropertyListValue] {
    try suite.flush(.snapshot)
    return try entries(withJournal: false)
  }

  /// The stored state as another process reads it that opens the suite.
  package func durableEntries() throws -> [String: Defaults.PropertyListValue] {
    try entries(withJournal: true)
  }

  private func entries(withJournal: Bool) throws -> [String: Defaults.PropertyListValue] {
    switch kind {
    case .memory:
      return [:]
    case .binaryFile, .xmlFile:
      return try folder.entries(ofSuite: "suite.plist", withJournal: withJournal)
    case .customStore:
      return rows.load()
    case .userDefaults:
      return Defaults.UserDefaultsSuite(try #require(domain).open()).entries
    }
  }

  private static func open(
    _ kind: SuiteKind, in folder: TemporaryFolder, _ rows: RowStore, _ domain: UserDefaultsDomain?,
    _ issues: IssueLog
  ) throws -> any Defaults.Suite {
    let record: @Sendable (Defaults.Issue) -> Void = { issues.append($0) }
    switch kind {
    case .memory:
      return Defaults.MemorySuite(onIssue: record)
    case .binaryFile:
      return try Defaults.PropertyListSuite(url: folder.url("suite.plist"), onIssue: record)
    case .xmlFile:
      return try Defaults.PropertyListSuite(
        url: folder.url("suite.plist"), format: .xml, onIssue: record)
    case .customStore:
      return try Defaults.StoredSuite(rows, onIssue: record)
    case .userDefaults:
      return Defaults.UserDefaultsSuite(try #require(domain).open(), onIssue: record)
    }
  }
}

/// The smallest store that a third party could provide: rows in memory. It counts saves and fails
/// on demand.
package final class RowStore: Defaults.Store {
  package struct State {
    package var rows: [String: Defaults.PropertyListValue] = [:]
    package var saves = 0
    package var failure: (any Error)?
    package var watchers: [@Sendable () -> Void] = []
  }

  package let state = Mutex(State())
  package let label = "rows"

  package init() {}

  package func load() -> [String: Defaults.PropertyListValue] {
    state.withLock { $0.rows }
  }

  package func save(
    _ entries: [String: Defaults.PropertyListValue], changed: Set<String>
  ) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.saves += 1
      for name in changed { state.rows[name] = entries[name] }
    }
  }

  package func watch(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.watchers.append(handler) }
  }

  /// Changes rows without the suite and calls its watcher.
  package func change(_ body: (inout [String: Defaults.PropertyListValue]) -> Void) {
    let watchers = state.withLock { state in
      body(&state.rows)
      return state.watchers
    }
    for watcher in watchers { watcher() }
  }
}
