import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Journals that are deleted, moved or truncated while programs run", .prompt)
struct LostJournalTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  private var journal: String { twins.folder["suite.plist.journal"] }

  /// Two processes without background work, with k = 1 and a file.
  private func openTwo() throws -> (one: Defaults.StoredSuite, two: Defaults.StoredSuite) {
    let (one, two) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    one.set(1, forKey: "k")
    try two.refresh()
    #expect(two.entries == ["k": 1])
    return (one, two)
  }

  private func expectAgreement(
    _ one: Defaults.StoredSuite, _ two: Defaults.StoredSuite,
    on entries: [String: Defaults.PropertyListValue]
  ) throws {
    for suite in [one, two, one] { try suite.transaction { _ in } }
    #expect(one.entries == entries)
    #expect(two.entries == entries)
    #expect(try twins.stored() == entries)
    #expect(twins.issues.count == 0)
  }

  @Test("A write that another process flushed isn't reverted when the journal is restored")
  func deleted() throws {
    let (one, two) = try openTwo()
    try FileManager.default.removeItem(atPath: journal)
    one.set("restores", forKey: "other")
    two.set(2, forKey: "k")
    try two.flush()
    one.set("again", forKey: "other")
    try expectAgreement(one, two, on: ["k": 2, "other": "again"])
  }

  @Test("Restored entries are in the new journal before any process can read it")
  func restoredAtOnce() throws {
    let (one, two) = try openTwo()
    one.set(2, forKey: "rest")
    try FileManager.default.removeItem(atPath: journal)
    try one.transaction { _ in }
    #expect(try twins.stored() == ["k": 1, "rest": 2])
    try expectAgreement(one, two, on: ["k": 1, "rest": 2])
  }

  @Test("A new journal by a process without entries gets the entries of the lost journal")
  func stranger() throws {
    let (one, two) = try openTwo()
    one.set("one", forKey: "a")
    try one.flush()
    try FileManager.default.removeItem(atPath: journal)
    let stranger = try twins.open(isAutomatic: false)
    #expect(stranger.entries == [:])
    stranger.set("new", forKey: "k")
    try expectAgreement(one, two, on: ["k": "new", "a": "one"])
    try stranger.refresh()
    #expect(stranger.entries == ["k": "new", "a": "one"])
  }

  @Test("A journal that is moved away is detected at the next commit, and nothing is lost")
  func moved() throws {
    let (one, two) = try openTwo()
    let count = Defaults.Key("count", default: 0, suite: one)
    let same = Defaults.Key("count", default: 0, suite: two)
    for round in 0..<3 {
      try one.update(count) { $0 += 1 }
      try FileManager.default.moveItem(atPath: journal, toPath: journal + ".away\(round)")
      try two.update(same) { $0 += 1 }
      try one.update(count) { $0 += 1 }
    }
    try expectAgreement(one, two, on: ["k": 1, "count": 9])
  }

  @Test(
    "Truncating the journal in place loses no entry that a process has in memory",
    arguments: [
      0, 1, 85, 100, 140,
    ])
  func cutOff(size: off_t) throws {
    let (one, two) = try openTwo()
    one.set("one", forKey: "a")
    two.set("two", forKey: "b")
    // The other process doesn't know that yet.
    two.set(2, forKey: "k")
    try two.flush()
    #expect(truncate(journal, size) == 0)
    one.set("three", forKey: "c")
    try expectAgreement(one, two, on: ["k": 2, "a": "one", "b": "two", "c": "three"])
  }

  @Test("Replacing the journal by an older copy loses no later change of a running process")
  func olderCopy() throws {
    let (one, two) = try openTwo()
    try one.flush(.snapshot)
    one.set("first", forKey: "a")
    try two.refresh()
    let copy = try Data(contentsOf: URL(filePath: journal))
    two.set("second", forKey: "a")
    two.set(2, forKey: "k")
    try two.flush()
    // Another file with the journal's earlier content.
    try copy.write(to: URL(filePath: journal + ".copy"))
    #expect(rename(journal + ".copy", journal) == 0)
    one.set("three", forKey: "c")
    try expectAgreement(one, two, on: ["k": 2, "a": "second", "c": "three"])
  }

  @Test("If no journal exists and none was read before, the first set creates it without waiting")
  func neverThere() throws {
    let disk = FaultyFileSystem()
    let suite = try twins.open(isAutomatic: false, on: disk)
    let calls = Log<FaultyFileSystem.Operation>()
    disk.delay { [journal] call in
      if call.path == journal, [.open, .addName].contains(call.operation) {
        calls.append(call.operation)
      }
    }
    suite.set(1, forKey: "k")
    #expect(calls.all == [.addName, .open])
    #expect(try twins.stored() == ["k": 1])
  }

  @Test(
    "If a deleted journal can't be marked as lost, changes are stored in the next one",
    arguments: [POSIXErrorCode.EIO, .ENOSPC, .EDQUOT])
  func unmarked(code: POSIXErrorCode) throws {
    let disk = FaultyFileSystem()
    let suite = try twins.open(isAutomatic: false, on: disk)
    suite.set(1, forKey: "k")
    try FileManager.default.removeItem(atPath: journal)
    let writes = Log<Int>()
    disk.fail(with: code) { [journal] call in
      guard call.operation == .write, call.path == journal else { return false }
      writes.append(call.number)
      // Later ones are to the new journal.
      return writes.count == 1
    }
    suite.set(2, forKey: "k")
    #expect(writes.count == 2)
    #expect(try twins.stored() == ["k": 2])
    #expect(twins.issues.codes.isEmpty)
  }

  @Test("Without access to the folder, a flush throws while the journal is missing")
  func closedFolder() async throws {
    await #expect(processExitsWith: .success) { [path = twins.folder.path as String] in
      dieAtHang()
      becomeOrdinaryUser(owning: path)
      let process = try OpenSuite(path + "/suite.plist")
      process.set(1, "k")
      try process.flush(.snapshot)
      process.set(2, "k")
      try process.flush()
      for name in ["suite.plist", "suite.plist.journal"] {
        try FileManager.default.removeItem(atPath: path + "/" + name)
      }
      #expect(chmod(path, 0o500) == 0)
      process.expectFailure(of: .durable, prefix: path)
      process.expectFailure(of: .snapshot, prefix: path)
      #expect(chmod(path, 0o700) == 0)
      try process.flush(.snapshot)
      #expect(try OpenSuite(path + "/suite.plist").entries == ["k": 2])
    }
  }
}
