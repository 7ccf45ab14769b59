import Foundation
import Testing

@testable import Defaults

@Suite("Dependent changes without write permission")
struct UpdateRightsTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  enum Change: CaseIterable {
    case update, increment, transaction, entries

    /// Adds 1 to the counter.
    func make(in suite: Defaults.StoredSuite) throws {
      let key = Defaults.Key("counter", default: 0, suite: suite)
      switch self {
      case .update: try suite.update(key) { $0 = $0 + 1 }
      case .increment: try suite.increment(key)
      case .transaction: try suite.transaction { $0[key] += 1 }
      case .entries: try suite.setEntries(["counter": .integer(Int64(suite.value(for: key)) + 1)])
      }
    }
  }

  /// The operation that a disk rejects.
  enum Refusal: CaseIterable {
    /// Writing the file and its journal.
    case writing
    /// Searching the folder.
    case looking

    func begin(on disk: FaultyFileSystem, folder: String) {
      disk.fail(with: .EACCES) { call in
        switch self {
        case .writing: [.open, .create, .access].contains(call.operation)
        case .looking: call.path.hasPrefix(folder + "/")
        }
      }
    }
  }

  /// A process without rights from now on, which hasn't written before.
  private func processWithoutRights(_ refusal: Refusal) throws -> OpenSuite {
    try settings.edit(["counter": 1])
    let process = try settings.open()
    refusal.begin(on: process.disk, folder: settings.folder.path)
    return process
  }

  @Test(
    "An update without write permission throws `unwritable` and changes nothing",
    arguments: Change.allCases, Refusal.allCases)
  func rejected(change: Change, refusal: Refusal) throws {
    let process = try processWithoutRights(refusal)
    for _ in 0..<2 {
      let error = #expect(throws: Defaults.SuiteError.self) { try change.make(in: process.suite) }
      #expect(error?.code == .unwritable)
      #expect(error?.reason.contains("Permission denied") == true)
    }
    #expect(process.entries == ["counter": 1])
    #expect(process.health == .readOnly)
    process.disk.heal()
    try change.make(in: process.suite)
    #expect(process.entries == ["counter": 2])
    #expect(process.health == .intact)
    #expect(try settings.found() == ["counter": 2])
  }

  @Test(
    "Increments of another process aren't overwritten when write permission returns",
    arguments: Refusal.allCases)
  func noLostIncrement(refusal: Refusal) throws {
    let process = try processWithoutRights(refusal)
    let other = try settings.open()
    for _ in 0..<5 {
      try Change.increment.make(in: other.suite)
      #expect(throws: Defaults.SuiteError.self) { try Change.increment.make(in: process.suite) }
    }
    process.disk.heal()
    try process.flush()
    try Change.increment.make(in: process.suite)
    try other.suite.refresh()
    #expect(process.entries == ["counter": 7])
    #expect(other.entries == ["counter": 7])
  }

  @Test("A set without write permission waits in memory and is stored when the permission returns")
  func plainSet() throws {
    let process = try processWithoutRights(.writing)
    process.set("waits", "x")
    #expect(process.entries == ["counter": 1, "x": "waits"])
    #expect(throws: Defaults.SuiteError.self) { try Change.update.make(in: process.suite) }
    #expect(try settings.found() == ["counter": 1])
    process.disk.heal()
    try process.flush()
    #expect(try settings.found() == ["counter": 1, "x": "waits"])
  }
}
