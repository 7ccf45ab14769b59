import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Damaged journals")
struct DamagedJournalTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// A byte of a record.
  enum Place: CaseIterable {
    case length, highLength, checksum, kind, name, end

    func offset(in record: Range<Int>) -> Int {
      switch self {
      case .length: record.lowerBound
      case .highLength: record.lowerBound + 3
      case .checksum: record.lowerBound + 4
      case .kind: record.lowerBound + 8
      case .name: record.lowerBound + 34
      case .end: record.upperBound - 1
      }
    }
  }

  /// A file with `a`, and a journal with one record each for `b`, `c` and `d`; returns the range of
  /// the record of `c`.
  private func prepare(isFlushed: Bool) throws -> Range<Int> {
    var records: [Range<Int>] = []
    try settings.run { process in
      process.set(1, "a")
      try process.flush(.snapshot)
      for name in ["b", "c", "d"] {
        process.set(1, name)
        if isFlushed { try process.flush() }
        records.append(try settings.lastRecord())
      }
    }
    return records[1]
  }

  @Test(
    "The next writer cuts off a record that is torn at its end, and later changes are kept")
  func tornTail() throws {
    let record = try prepare(isFlushed: true)
    // Each round removes bytes from the last record, like a power loss or a kill during a write.
    for count in [1, record.count / 2, record.count - 1] {
      try settings.cutRecord(by: count)
      let process = try settings.open()
      #expect(process.entries == ["a": 1, "b": 1, "c": 1])
      #expect(process.issues.count == 0)
      process.set(2, "d")
      #expect(try settings.found() == ["a": 1, "b": 1, "c": 1, "d": 2])
      process.kill()
    }
    #expect(try settings.setAside(of: SettingsFolder.journal) == [])
  }

  @Test("A damaged record that was flushed is skipped and reported", arguments: Place.allCases)
  func flushedRecord(place: Place) throws {
    let record = try prepare(isFlushed: true)
    try settings.flip(byte: place.offset(in: record), of: SettingsFolder.journal)
    let process = try settings.open()
    #expect(process.entries == ["a": 1, "b": 1, "d": 1])
    #expect(process.issues.codes == [.malformed])
    #expect(process.issues.last?.error.path == folder[SettingsFolder.journal])
    #expect(process.issues.last?.error.reason.contains("bytes \(record)") == true)
    process.set(2, "e")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "b": 1, "d": 1, "e": 2])
    #expect(process.health == .intact)
  }

  /// Values whose bytes look like the beginnings of records.
  static let values: [PropertyListValue] = [
    .array((0..<100).map { .integer($0 * 9) }), .array((0..<1_000).map { .integer($0) }),
    .data(Data((0..<4_000).map { $0 % 4 == 0 ? UInt8($0 / 4 % 256) : 0 })),
    .array((0..<200).map { .string("\($0) " + String(repeating: "-", count: 36)) }),
  ]

  @Test("A damaged record of any value is skipped", arguments: values)
  func valuesLikeRecords(value: PropertyListValue) throws {
    var damaged = 0..<0
    try settings.run { process in
      process.set(value, "a")
      damaged = try settings.lastRecord()
      let filler = PropertyListValue.string(String(repeating: "f", count: 1_000))
      for index in 0..<60 {
        process.set(filler, "filler")
        process.set(.integer(Int64(index)), "b")
      }
      try process.flush()
      process.set(1, "c")
      try process.flush()
    }
    try settings.flip(byte: damaged.upperBound - 1, of: SettingsFolder.journal)
    let process = try settings.open()
    #expect(process.entries["b"] == 59)
    #expect(process.entries["c"] == 1)
    #expect(process.issues.last?.error.reason.contains("bytes \(damaged)") == true)
  }

  @Test(
    "A damaged record that wasn't flushed ends the journal, with an issue and a copy",
    arguments: Place.allCases)
  func unflushedRecord(place: Place) throws {
    let record = try prepare(isFlushed: false)
    try settings.flip(byte: place.offset(in: record), of: SettingsFolder.journal)
    let journal = try Data(contentsOf: folder.url(SettingsFolder.journal))
    let process = try settings.open()
    #expect(process.entries == ["a": 1, "b": 1])
    #expect(process.issues.codes == [.malformed])
    #expect(process.issues.last?.error.path == folder[SettingsFolder.journal])
    process.set(2, "e")
    let aside = try #require(try settings.setAside(of: SettingsFolder.journal).first)
    #expect(try Data(contentsOf: folder.url(aside)) == journal)
    #expect(try settings.found() == ["a": 1, "b": 1, "e": 2])
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "b": 1, "e": 2])
  }

  @Test("A running process takes an entry from the property list that a damaged journal lacks")
  func damagedBeforeFolding() throws {
    let process = try settings.open()
    process.set(1, "a")
    process.set("id", Defaults.syncName)
    try settings.run { other in
      other.set(1, "b")
      let record = try settings.lastRecord()
      try other.flush()
      other.set(1, "c")
      try other.flush(.snapshot)
      try settings.flip(byte: record.upperBound - 1, of: SettingsFolder.journal)
    }
    process.set(1, "d")
    #expect(process.entries == ["a": 1, "b": 1, "c": 1, "d": 1])
    try process.flush(.snapshot)
    #expect(try settings.entries() == process.entries)
  }

  @Test("With a damaged checkpoint, a suite is opened without the mark of a synced suite")
  func markBehindDamagedCheckpoint() throws {
    try settings.run { process in
      process.set(1, "a")
      try process.flush(.snapshot)
      process.set("id", Defaults.syncName)
      process.set(1, "b")
      try process.flush()
      // Its record states that the records before it are durable.
      process.set(1, "c")
      try settings.flip(byte: LogHeader.size + 10, of: SettingsFolder.journal)
    }
    #expect(try settings.open().entries == ["a": 1, "b": 1, "c": 1])
  }

  @Test("A record that is damaged while a process runs loses no entry in the process's memory")
  func damagedWhileRunning() throws {
    let process = try settings.open()
    process.set(1, "a")
    let start = try settings.endOfRecords()
    process.set(1, "b")
    process.set(1, "c")
    try settings.flip(byte: start + 10, of: SettingsFolder.journal)
    process.set(1, "d")
    try process.flush(.snapshot)
    #expect(process.entries == ["a": 1, "b": 1, "c": 1, "d": 1])
    #expect(try settings.entries() == process.entries)
  }

  @Test(
    "A damaged journal header is reported and copied, and the file is used",
    arguments: [0, 7, 8, 15, 16, 19])
  func header(offset: Int) throws {
    _ = try prepare(isFlushed: true)
    try settings.flip(byte: offset, of: SettingsFolder.journal)
    let journal = try Data(contentsOf: folder.url(SettingsFolder.journal))
    let process = try settings.open()
    #expect(process.entries == ["a": 1])
    #expect(process.issues.codes == [.malformed])
    #expect(process.issues.last?.error.path == folder[SettingsFolder.journal])
    process.set(2, "e")
    try process.flush()
    let aside = try #require(try settings.setAside(of: SettingsFolder.journal).first)
    #expect(try Data(contentsOf: folder.url(aside)) == journal)
    #expect(try settings.found() == ["a": 1, "e": 2])
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "e": 2])
    #expect(process.issues.count == 1)
  }

  @Test(
    "A journal that is empty or has no header is treated as new",
    arguments: [0, 1, 84, 200])
  func unwritten(count: Int) throws {
    _ = try prepare(isFlushed: true)
    try Data(count: count).write(to: folder.url(SettingsFolder.journal))
    let process = try settings.open()
    #expect(process.entries == ["a": 1])
    process.set(2, "e")
    #expect(try settings.found() == ["a": 1, "e": 2])
    #expect(process.issues.count == 0)
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["a": 1, "e": 2])
    #expect(try settings.setAside(of: SettingsFolder.journal) == [])
  }

  @Test("A journal that is emptied while a process runs is restored from the process's memory")
  func emptiedWhileRunning() throws {
    let process = try settings.open()
    process.set(1, "a")
    try process.flush(.snapshot)
    process.set(1, "b")
    try settings.overwrite(SettingsFolder.journal, with: "")
    process.set(1, "c")
    #expect(process.entries == ["a": 1, "b": 1, "c": 1])
    #expect(try settings.found() == ["a": 1, "b": 1, "c": 1])
  }

  @Test("Records after empty space left by a power loss never reappear")
  func leftover() throws {
    let record = try prepare(isFlushed: false)
    // The record before the last one didn't reach the disk, and the last one did.
    let url = folder.url(SettingsFolder.journal)
    var journal = try Data(contentsOf: url)
    journal.replaceSubrange(record, with: Data(count: record.count))
    try journal.write(to: url)
    let process = try settings.open()
    #expect(process.entries == ["a": 1, "b": 1])
    // As long as the missing record.
    process.set(2, "e")
    #expect(try settings.found() == ["a": 1, "b": 1, "e": 2])
  }

  @Test("A journal that outgrows its allocated space has every entry")
  func growth() throws {
    let process = try settings.open()
    for number in 0..<1_000 { process.set(.integer(Int64(number)), "name \(number)") }
    #expect(try settings.size(of: SettingsFolder.journal) > 2 * LogRoom.size)
    #expect(try settings.found() == process.entries)
    #expect(process.entries.count == 1_000)
  }

  @Test("A journal that is truncated while two processes run is created again for both")
  func cutOff() throws {
    let (one, two) = (try settings.open(), try settings.open())
    two.set(1, "b")
    one.set(1, "a")
    try settings.cutRecord(by: 5)
    one.set(2, "a")
    two.set(2, "c")
    one.set(1, "d")
    #expect(one.entries == ["a": 2, "b": 1, "c": 2, "d": 1])
    #expect(try settings.found() == one.entries)
  }

  @Test("A file in the journal's place that isn't a journal is reported and copied")
  func foreign() throws {
    try settings.overwrite(
      SettingsFolder.journal, with: String(repeating: "Dear diary, ", count: 20))
    let process = try settings.open()
    process.set(1, "a")
    #expect(process.issues.codes == [.malformed])
    #expect(try settings.setAside(of: SettingsFolder.journal).count == 1)
    #expect(try settings.found() == ["a": 1])
  }
}
