import Foundation
import Testing

@testable import Defaults

@Suite("Notes for the history in a log")
struct LogNoteTests {
  private static let id: UInt64 = 7

  private static let notes: [LogRecord.Note] = [
    .signature(program: "player", secrets: ["token", "ü"]), .signature(program: "", secrets: []),
    .origin("sync"), .sources([.init(program: "player", origin: "sync"), .init()]),
  ]

  private static func bytes(_ records: [LogRecord]) -> [UInt8] {
    LogEncoder.bytes(of: records, log: id)
  }

  /// The record with another kind, more content, and the right checksum.
  private static func changed(_ note: LogRecord.Note, kind: UInt8, adding rest: [UInt8]) -> [UInt8]
  {
    var body = Array(bytes([record(note)]).dropFirst(LogEncoder.prefixSize)) + rest
    body[0] = kind
    let checksum = body.withUnsafeBytes { LogEncoder.checksum(ofBody: $0, log: id) }
    return withUnsafeBytes(of: UInt32(body.count).littleEndian, Array.init)
      + withUnsafeBytes(of: checksum.littleEndian, Array.init) + body
  }

  private static func record(_ note: LogRecord.Note) -> LogRecord {
    LogRecord(writer: 3, version: LogVersion(9), content: .note(note))
  }

  private func decoded(_ bytes: [UInt8]) -> (record: LogRecord, end: Int)? {
    bytes.withUnsafeBytes { LogDecoder.record($0, at: 0, log: Self.id) }
  }

  @Test("A log note is read as it was written", arguments: notes)
  func roundTrip(note: LogRecord.Note) throws {
    let bytes = Self.bytes([Self.record(note)])
    let found = try #require(decoded(bytes))
    #expect(found.record == Self.record(note) && found.end == bytes.count)
  }

  @Test("A log note to which a later version added content keeps the known part", arguments: notes)
  func longerNote(note: LogRecord.Note) throws {
    let kind = Self.bytes([Self.record(note)])[LogEncoder.prefixSize]
    let bytes = Self.changed(note, kind: kind, adding: [1, 2, 3])
    let found = try #require(decoded(bytes))
    #expect(found.record == Self.record(note) && found.end == bytes.count)
  }

  @Test("A log note of an unknown kind, or with less content than known, is skipped")
  func unknown() throws {
    for kind in [UInt8](128...255) {
      for rest: [UInt8] in [[], [1], [1, 2, 3, 4]] {
        let bytes = Self.changed(.origin("sync"), kind: kind, adding: rest)
        let found = try #require(decoded(bytes))
        guard case .note = found.record.content else {
          Issue.record("\(kind) is \(found.record.content)")
          continue
        }
        #expect(found.end == bytes.count)
      }
    }
  }

  @Test("Notes change no state: a log with notes is read like the same log without them")
  func noState() {
    let records: [LogRecord] = [.set("a", 1, 5), .set(["a": 2, "b": 3], 4), .set("a", nil, 9)]
    var with: [LogRecord] = []
    for record in records {
      with += Self.notes.map {
        LogRecord(writer: 3, version: LogVersion(1_000), content: .note($0))
      }
      with.append(record)
    }
    #expect(LogState(replaying: with) == LogState(replaying: records))
  }

  @Test("A past change has the program of its writer, and the origin of the note right before it")
  func sources() {
    var past = PastChanges()
    var state = LogState()
    let records: [LogRecord] = [
      .set("a", 1, 1, writer: 4), Self.record(Self.notes[0]), Self.record(.origin("sync")),
      .set("a", 2, 2, writer: 3), .set("a", 3, 3, writer: 3), .set("token", 4, 4, writer: 4),
    ]
    for record in records { past.add(record, state.apply(record)) }
    #expect(past.all.map(\.source.program) == ["", "player", "player", ""])
    #expect(past.all.map(\.source.origin) == ["", "sync", "", ""])
    #expect(past.all.map(past.isSecret) == [false, false, false, true])
    #expect(past.latest.map { $0.new.entry != nil } == [true, true, true, false])
  }

  @Test("A new log keeps the names of secrets even if it keeps no earlier change")
  func secretsAlone() {
    var past = PastChanges()
    #expect(past.notes(before: past.latest).isEmpty)
    past.secrets = ["token"]
    #expect(
      past.notes(before: past.latest).first?.content
        == .note(.signature(program: "", secrets: ["token"])))
  }

  @Test("A new log keeps at most 1,000 earlier changes and 64 KiB of them", arguments: [1, 2_000])
  func bounds(size: Int) {
    var past = PastChanges()
    for number in 0..<3_000 {
      let value = Defaults.PropertyListValue.data(Data(count: size + number % 2))
      past.add(.set("a", number, UInt64(number)), [.init(name: "a", old: nil, new: value)])
    }
    let (count, last) = (past.latest.count, past.latest.last?.version)
    #expect(count == (size == 1 ? 1_000 : 32) && last == LogVersion(2_999))
  }

  @Test(
    "A new log keeps a change that takes exactly 64 KiB, but not a larger one",
    arguments: [false, true], [0, 1])
  func exactBound(isRemoval: Bool, excess: Int) {
    // The name twice, both versions and counts, and the value.
    let rest = 28 + Defaults.PropertyListValue.data(Data()).encodedSize
    let value = Defaults.PropertyListValue.data(Data(count: 65_536 - rest + excess))
    var past = PastChanges()
    past.add(
      .set([:], 1),
      [.init(name: "a", old: isRemoval ? value : nil, new: isRemoval ? nil : value)])
    #expect(past.latest.count == 1 - excess)
  }

  @Test("The names of a change's program and origin count toward the 64 KiB of a new log")
  func sizeOfSource() {
    let long = String(repeating: "x", count: 40_000)
    for (program, origin, kept) in [("", "", 1), (long, "", 1), ("", long, 1), (long, long, 0)] {
      var past = PastChanges()
      for note: LogRecord.Note in [
        .signature(program: program, secrets: []), .origin(origin),
      ] { past.add(Self.record(note), []) }
      past.add(
        LogRecord(writer: 3, version: LogVersion(9), content: .set([])),
        [.init(name: "a", old: nil, new: 1)])
      #expect(past.latest.count == kept)
    }
  }

  @Test(
    "A new log keeps all earlier changes of a transaction or, if they don't fit, none of them",
    arguments: [
      ([2, 1, 997], 1, 1_000), ([2, 1, 998], 1, 999), ([2, 1, 1_001], 1, 0),
      ([1, 2, 2], 15_000, 4), ([1, 2, 3], 15_000, 3), ([1, 5], 15_000, 0),
    ])
  func wholeTransactions(transactions: [Int], size: Int, kept: Int) {
    var past = PastChanges()
    let value = Defaults.PropertyListValue.data(Data(count: size))
    for (index, count) in transactions.enumerated() {
      past.add(
        .set([:], UInt64(index + 1)),
        (0..<count).map { EntryChange(name: "\($0)", old: nil, new: value) })
    }
    #expect(past.latest.count == kept)
  }

  @Test("A change whose entries were redacted in an earlier log stays secret without its name")
  func redacted() {
    let past = PastChanges()
    var change = LogRecord.PastChange(
      name: "token", old: .remove, new: .remove, version: LogVersion(1))
    #expect(past.isSecret(change))
    change.new = .set(1)
    #expect(!past.isSecret(change))
  }
}
