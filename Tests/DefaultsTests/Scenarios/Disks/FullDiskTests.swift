import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Full disk", .needsSmallDisk, .tags(.root))
struct FullDiskTests {
  let disk: SmallDisk

  init() throws { disk = try SmallDisk() }

  /// More than the empty space of a journal.
  private let large = Defaults.PropertyListValue.string(String(repeating: "large ", count: 5_000))

  private func open() throws -> OpenSuite { try OpenSuite(disk["suite.plist"]) }

  /// The bytes of the file.
  private func content() throws -> Data { try Data(contentsOf: URL(filePath: disk["suite.plist"])) }

  private func found() throws -> [String: Defaults.PropertyListValue] {
    let process = try open()
    defer { process.kill() }
    return process.entries
  }

  @Test("A change on a full disk stays in memory and is stored when space is free")
  func change() throws {
    let process = try open()
    process.set("old", "x")
    try process.flush(.snapshot)
    process.set("old", "y")
    try process.flush()
    try disk.fill()
    process.set(large, "x")
    process.set("new", "y")
    #expect(process.entries == ["x": large, "y": "new"])
    #expect(process.issues.codes == [.unwritable])
    #expect(process.health == .readOnly)
    for extent in [Defaults.FlushExtent.durable, .snapshot] {
      process.expectFailure(
        of: extent, prefix: disk["suite.plist"], because: "No space left on device")
    }
    // An export of the log's entries may have found space.
    #expect(try Defaults.PropertyListFormat.decode(content()).entries["x"] == "old")
    #expect(try found() == ["x": "old", "y": "old"])
    try disk.empty()
    try process.flush()
    #expect(process.health == .intact)
    #expect(try found() == ["x": large, "y": "new"])
    try process.flush(.snapshot)
    #expect(try found() == ["x": large, "y": "new"])
  }

  @Test("On a full disk, a snapshot doesn't change the file; the journal has the change")
  func snapshot() throws {
    let process = try open()
    process.set(large, "x")
    try process.flush(.snapshot)
    // The file must be larger than the journal that this snapshot replaces: a child that another
    // test is starting may have the journal open, so its space would become free a moment later.
    process.set(large, "z")
    try process.flush(.snapshot)
    let file = try content()
    try disk.fill()
    // The journal's block has space for this change.
    process.set(1, "y")
    try process.flush()
    process.expectFailure(of: .snapshot, because: "No space left on device")
    #expect(try content() == file)
    #expect(try found() == ["x": large, "y": 1, "z": large])
    // Nothing is left that uses space, not even the previous version of the file.
    #expect(
      try disk.folder.names(in: "disk") == ["ballast", "suite.plist", "suite.plist.journal"])
    try disk.empty()
    try process.flush(.snapshot)
    #expect(
      try Defaults.PropertyListFormat.decode(content()).entries == ["x": large, "y": 1, "z": large])
  }

  @Test("A partial record isn't left in the journal of a full disk, so a small change is stored")
  func halfRecord() throws {
    let process = try open()
    process.set("old", "x")
    try process.flush(.snapshot)
    let before = try Data(contentsOf: URL(filePath: disk["suite.plist.journal"])).count
    try disk.fill()
    process.set(large, "x")
    let journal = try Data(contentsOf: URL(filePath: disk["suite.plist.journal"]))
    // Its size tells other processes of a write, so it never shrinks.
    #expect(journal.count >= before)
    let log = LoadedLog(Array(journal), path: "journal")
    #expect(log.isSound)
    #expect(!log.hasTail)
    // Reverted, so that no large change remains to be stored.
    process.set("small", "x")
    try process.flush()
    #expect(process.health == .intact)
    #expect(try found() == ["x": "small"])
  }

  @Test("A suite opened on a full disk works in memory and is stored when space is free")
  func firstChange() throws {
    try disk.fill()
    let process = try open()
    process.set(large, "x")
    #expect(process.entries == ["x": large])
    #expect(process.health == .readOnly)
    #expect(process.issues.codes == [.unwritable])
    #expect(throws: Defaults.SuiteError.self) { try process.flush() }
    #expect(try found() == [:])
    try disk.empty()
    try process.flush(.snapshot)
    #expect(try found() == ["x": large])
  }

  @Test("On a full disk, a damaged file is kept and its previous version is loaded")
  func recovery() throws {
    let process = try open()
    process.set("first", "x")
    try process.flush(.snapshot)
    process.set("second", "x")
    try process.flush(.snapshot)
    process.kill()
    try Data("damaged".utf8).write(to: URL(filePath: disk["suite.plist"]))
    try disk.fill()
    let next = try open()
    #expect(next.entries == ["x": "second"])
    #expect(next.health == .recoveredFromJournal)
    #expect(next.issues.codes.first == .quarantined)
    #expect(try content() == Data("damaged".utf8))
    try disk.empty()
    next.set("third", "x")
    try next.flush(.snapshot)
    #expect(try found() == ["x": "third"])
    let aside = try #require(
      disk.folder.names(in: "disk").first { $0.hasPrefix("suite.plist.corrupt-") })
    #expect(try disk.folder.text(of: "disk/" + aside) == "damaged")
  }
}
