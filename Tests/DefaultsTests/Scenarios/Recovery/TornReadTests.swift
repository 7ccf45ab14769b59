import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Journals that are written while they are read")
struct TornReadTests {
  let settings: SettingsFolder
  let disk = FaultyFileSystem()
  let reads = Log<Void>()

  init() throws { settings = try SettingsFolder() }

  private static let entries: [String: Defaults.PropertyListValue] = [
    "a": 1, "b": 1, "c": 1, "d": 1, "e": 1,
  ]

  /// A file with `a`, and a journal whose last records are the others; returns its bytes.
  private func prepare(isFlushed: Bool = true) throws -> [UInt8] {
    try settings.run { process in
      process.set(1, "a")
      try process.flush(.snapshot)
      for name in ["b", "c", "d", "e"] {
        process.set(1, name)
        if isFlushed { try process.flush() }
      }
    }
    return try Array(Data(contentsOf: settings.folder.url(SettingsFolder.journal)))
  }

  /// The ranges of the records of the last four changes.
  private func changes(in journal: [UInt8]) -> [Range<Int>] {
    JournalImage.records(in: journal).suffix(4)
  }

  /// Makes each reading find zeros in a range of the journal, given the number of earlier readings.
  private func tear(
    _ journal: [UInt8], _ place: @escaping @Sendable (_ reading: Int) -> Range<Int>?
  ) {
    let url = settings.folder.url(SettingsFolder.journal)
    disk.fail(with: .EIO) { [reads] call in
      guard call.operation == .read, call.path == url.path else { return false }
      var bytes = journal
      if let place = place(reads.count) {
        bytes.replaceSubrange(place, with: repeatElement(0, count: place.count))
      }
      reads.append(())
      // The file itself changes, and the call proceeds.
      return (try? Data(bytes).write(to: url)) == nil
    }
  }

  @Test("The issue of a change that isn't stored has the journal's read error as reason")
  func unreadable() throws {
    let journal = settings.folder.url(SettingsFolder.journal).path
    let process = try settings.open(on: disk)
    process.set(1, "a")
    try settings.run { $0.set(1, "c") }
    disk.fail(with: .EIO) { $0.operation == .read && $0.path == journal }
    process.set(2, "a")
    #expect(process.entries == ["a": 2])
    let reason = process.issues.last?.error.reason
    let expected =
      "The journal can't be read, so sets wait in memory, and updates and transactions were not "
      + "made"
    #expect(reason?.hasPrefix(expected) == true)
    disk.heal()
    process.set(3, "b")
    #expect(process.entries == ["a": 2, "b": 3, "c": 1])
    #expect(process.health == .intact)
  }

  @Test(
    "A record that becomes visible later than the records after it is read, without an issue",
    arguments: [1, 2], [false, true])
  func missedRecords(times: Int, isFlushed: Bool) throws {
    let journal = try prepare(isFlushed: isFlushed)
    let records = changes(in: journal)
    tear(journal) { reading in reading < times ? records[2 - reading] : nil }
    let process = try settings.open(on: disk)
    #expect(reads.count > times)
    #expect(process.entries == Self.entries)
    #expect(process.issues.count == 0)
    disk.heal()
    process.set(2, "e")
    process.kill()
    #expect(try settings.found() == Self.entries.merging(["e": 2]) { $1 })
  }

  @Test("A journal header that is partly visible at the first read is read again, without an issue")
  func missedHeader() throws {
    let journal = try prepare()
    tear(journal) { reading in reading == 0 ? 10..<JournalImage.headerSize : nil }
    let process = try settings.open(on: disk)
    #expect(process.entries == Self.entries)
    #expect(process.issues.count == 0)
  }

  @Test(
    "Permanent damage of a journal is reported and read at most twice", arguments: [false, true])
  func damage(isFlushed: Bool) throws {
    let journal = try prepare(isFlushed: isFlushed)
    let records = changes(in: journal)
    tear(journal) { _ in records[2] }
    let process = try settings.open(on: disk)
    #expect(reads.count == 2)
    #expect(process.issues.codes == [.malformed])
    var entries = Self.entries
    entries["d"] = nil
    if !isFlushed { entries["e"] = nil }
    #expect(process.entries == entries)
  }

  @Test("A journal that differs at each reading is unreadable")
  func restless() throws {
    let journal = try prepare()
    let records = changes(in: journal)
    tear(journal) { reading in records[reading % 2] }
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open(on: disk) }
    #expect(error?.code == .unreadable)
    disk.heal()
  }
}
