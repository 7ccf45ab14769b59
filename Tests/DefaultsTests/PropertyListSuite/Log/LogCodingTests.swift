import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Encoded log records")
struct LogCodingTests {
  static let id: UInt64 = 0x0123_4567_89ab_cdef

  /// A record of each kind.
  private static let records: [LogRecord] = {
    let file = LogRecord.FileIdentity.sample(7, content: ["a": 1])
    var base = LogState.Base(id: 3, version: LogVersion(9), content: .file(file), isPlaced: true)
    base.changed = ["a": .set(1), "gone": .remove]
    base.differing = ["b": .set(["x": [true, 0.5]])]
    let joined = LogRecord.JoinedChange(
      name: "ü", edit: .set(.data(Data([0, 1]))), version: LogVersion(5), writer: 8)
    let contents: [LogRecord.Content] = [
      .set([.init(name: "a", edit: .set(1)), .init(name: "b", edit: .remove)]),
      .joined([joined, .init(name: "r", edit: .remove, version: LogVersion(6), writer: 9)]),
      .exportBegan(id: 1, temporaryName: ".a.plist.1-x.tmp"), .exported(id: 1, file),
      .placed(id: 1), .mergeBegan(id: 2),
      .merged(
        id: 2, file,
        [
          .init(name: "a", edit: .set("text"), isEdited: true),
          .init(name: "b", edit: .remove, isEdited: false),
        ]),
      .merged(id: 4, nil, []), .doubt, .abandoned,
      .checkpoint(.entries([joined])), .checkpoint(.base(base)),
      .checkpoint(.base(.init(id: 5, version: .zero, content: .absent))),
      .checkpoint(.past([.init(name: "a", old: .remove, new: .set(1), version: LogVersion(4))])),
      .checkpoint(
        .end(count: 3, .init(latest: LogVersion(10), discarded: LogVersion(2)))),
    ]
    return contents.enumerated().map {
      LogRecord(
        writer: UInt64($0.offset), version: LogVersion(UInt64($0.offset) * 1_000),
        durable: $0.offset * 100, content: $0.element)
    }
  }()

  static func bytes(_ record: LogRecord) -> [UInt8] {
    LogEncoder.bytes(of: [record], log: id)
  }

  @Test("A stamp with an impossible number of nanoseconds is no valid record")
  func nanoseconds() {
    for (nanoseconds, isValid) in [
      (0, true), (999_999_999, true), (-1, false), (1_000_000_000, false),
    ] {
      var file = LogRecord.FileIdentity.sample(7, content: ["a": 1])
      file.stamp = FileVersion(
        device: 1, inode: 2, size: 3, modified: FileTime(seconds: 1, nanoseconds: nanoseconds))
      let record = LogRecord(
        writer: 1, version: LogVersion(2), content: .merged(id: 2, file, []))
      #expect(Self.isValid(Self.bytes(record)) == isValid, "\(nanoseconds)")
    }
  }

  @Test("A merged difference with an unknown flag is no valid record")
  func unknownFlag() {
    let difference = LogRecord.FileDifference(name: "a", edit: .remove, isEdited: false)
    var bytes = Self.bytes(
      LogRecord(writer: 1, version: LogVersion(2), content: .merged(id: 2, nil, [difference])))
    // After the flags, only the name follows: its count of four bytes, and one byte of text.
    let flags = bytes.count - 6
    for (flag, isValid) in [(0, true), (2, true), (4, false), (8, false)] as [(UInt8, Bool)] {
      bytes[flags] = flag
      #expect(Self.isValid(bytes) == isValid, "\(flag)")
    }
  }

  @Test("A version of the property list with an unknown flag is no valid record")
  func unknownFlagOfBase() {
    let base = LogState.Base(id: 2, version: LogVersion(2), temporaryName: "name")
    var bytes = Self.bytes(
      LogRecord(writer: 1, version: LogVersion(2), content: .checkpoint(.base(base))))
    // After the id, the version and the kind of content.
    let flags = LogEncoder.prefixSize + LogDecoder.leastBody + 8 + 8 + 1
    for flag in 0...8 as ClosedRange<UInt8> {
      bytes[flags] = flag
      #expect(Self.isValid(bytes) == (flag <= 3), "\(flag)")
    }
  }

  /// Returns whether a record with changed bytes and the right checksum is valid.
  static func isValid(_ changed: [UInt8]) -> Bool {
    var bytes = changed
    let checksum = bytes.withUnsafeBytes {
      LogEncoder.checksum(
        ofBody: UnsafeRawBufferPointer(rebasing: $0[LogEncoder.prefixSize...]), log: id)
    }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
    return bytes.withUnsafeBytes { LogDecoder.record($0, at: 0, log: id) } != nil
  }

  @Test("A log record of each kind is read as it was written", arguments: records)
  func roundTrip(record: LogRecord) throws {
    let bytes = Self.bytes(record)
    let found = try #require(
      bytes.withUnsafeBytes { LogDecoder.record($0, at: 0, log: Self.id) })
    #expect(found.record == record)
    #expect(found.end == bytes.count)
    // With another log's id it isn't a valid record.
    #expect(bytes.withUnsafeBytes { LogDecoder.record($0, at: 0, log: 7) } == nil)
  }

  @Test("A log record that is truncated or has a changed byte is invalid", arguments: records)
  func damaged(record: LogRecord) {
    let bytes = Self.bytes(record)
    for count in 0..<bytes.count {
      #expect(
        bytes[..<count].withUnsafeBytes { LogDecoder.record($0, at: 0, log: Self.id) } == nil)
      var other = bytes
      other[count] ^= 0x10
      #expect(other.withUnsafeBytes { LogDecoder.record($0, at: 0, log: Self.id) } == nil)
    }
  }

  @Test("A log header is read as it was written, and a changed byte makes it invalid")
  func header() {
    let header = LogHeader(id: Self.id)
    #expect(header.bytes.count == LogHeader.size)
    #expect(header.bytes.withUnsafeBytes { LogHeader($0) } == header)
    for index in header.bytes.indices {
      var bytes = header.bytes
      bytes[index] ^= 0x10
      #expect(bytes.withUnsafeBytes { LogHeader($0) } == nil)
    }
  }

  @Test("A log that is empty, or has zeros in place of its header, is treated as unwritten")
  func unwritten() {
    func start(_ bytes: [UInt8]) -> LoadedLog.Start { LoadedLog(bytes, path: "journal").start }
    #expect(start([]) == .unwritten)
    #expect(start(Array(repeating: 0, count: 1_000)) == .unwritten)
    #expect(start(Array("DfltLog2".utf8)) == .unwritten)
    #expect(start(Array("DfltLog1".utf8) + Array(repeating: 7, count: 140)) == .earlier)
    #expect(start(Array("DfltJnl1".utf8) + Array(repeating: 7, count: 100)) == .earlier)
    #expect(start(Array("text of another program".utf8)) == .damaged)
  }

  @Test("A log of a later version is distinguished from a damaged version byte")
  func laterVersion() {
    let header = LogHeader(id: Self.id)
    func start(_ bytes: [UInt8]) -> LoadedLog.Start { LoadedLog(bytes, path: "journal").start }
    var damaged = header.bytes
    damaged[7] = UInt8(ascii: "9")
    #expect(start(damaged) == .damaged)
    var later = damaged
    later[12] ^= 1
    #expect(start(later) == .later)
    var other = header.bytes
    other[5] ^= 1
    #expect(start(other) == .damaged)
  }

  @Test("Unknown content in a record of the last known kind is damage; a later kind isn't")
  func laterKind() {
    func start(_ kind: UInt8) -> LoadedLog.Start {
      var image = JournalImage(id: Self.id)
      image.append(content: [1, 2, 3], kind: kind)
      return LoadedLog(image.bytes, path: "journal").start
    }
    #expect(start(12) == .sound(LogHeader(id: Self.id)))
    #expect(start(13) == .later)
  }

  func log(_ records: [LogRecord]) -> (bytes: [UInt8], ends: [Int]) {
    var bytes = LogHeader(id: Self.id).bytes
    var ends = [bytes.count]
    for record in records {
      bytes += Self.bytes(record)
      ends.append(bytes.count)
    }
    return (bytes, ends)
  }

  static let end = LogRecord(
    writer: 0, version: .zero, content: .checkpoint(.end(count: 0, .init())))

  @Test("A damaged record is skipped if it was durable; else it ends the log")
  func skipping() {
    for isDurable in [true, false] {
      var third = LogRecord.set("c", 3, 3)
      let records: [LogRecord] = [Self.end, .set("a", 1, 1), .set("b", 2, 2)]
      third.durable = isDurable ? log(records).bytes.count : 0
      var (bytes, ends) = log(records + [third])
      bytes[ends[2] + 10] ^= 1
      let found = LoadedLog(bytes, path: "journal")
      #expect(found.fold.integers == (isDurable ? ["a": 1, "c": 3] : ["a": 1]))
      #expect(found.end == (isDurable ? bytes.count : ends[2]))
      #expect(found.hasTail != isDurable)
      #expect(found.problems.map(\.code) == [.malformed])
      #expect(!found.isSound)
    }
  }

  @Test("An incomplete record at the end of a log isn't damage and is ignored")
  func tail() {
    let (bytes, ends) = log([Self.end, .set("a", 1, 1), .set("b", 2, 2)])
    let found = LoadedLog(Array(bytes.dropLast(3)), path: "journal")
    #expect(found.fold.integers == ["a": 1])
    #expect(found.end == ends[2])
    #expect(found.hasTail)
    #expect(found.isSound)
  }

  @Test("A log with an incomplete checkpoint is damaged")
  func incompleteCheckpoint() {
    let entries = LogRecord(
      writer: 0, version: .zero,
      content: .checkpoint(
        .entries([.init(name: "a", edit: .set(1), version: LogVersion(1), writer: 1)])))
    let (bytes, _) = log([entries])
    #expect(!LoadedLog(bytes, path: "journal").isSound)
    let (complete, _) = log([
      entries,
      LogRecord(writer: 0, version: .zero, content: .checkpoint(.end(count: 1, .init()))),
    ])
    #expect(LoadedLog(complete, path: "journal").isSound)
  }

  @Test("Of the changes of an entry in a row, the last one gives the same state", arguments: 1...40)
  func supersededChanges(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let names = ["a", "b", "a name that a string doesn't store inline"]
    func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    var present: [String: Int] = [:]
    var records = (0..<60).map { _ in
      var values: [String: Int?] = [:]
      for _ in 0..<(number(below: 4) == 0 ? 2 : 1) {
        // An equal value isn't stored, but an earlier one is.
        let name = names[number(below: 3)]
        let value = [nil, 0, 1, 2].filter { $0 != present[name] }[number(below: 3)]
        values.updateValue(value, forKey: name)
      }
      for (name, value) in values { present[name] = value }
      // Each writer's clock is different.
      return LogRecord.set(values, UInt64(number(below: 100)), writer: UInt64(seed))
    }
    // An export, so that the fold describes what its file lacks.
    let export = LogRecord.Content.exportBegan(id: 1, temporaryName: "x.tmp")
    records.insert(LogRecord(writer: 1, version: LogVersion(1), content: export), at: 30)
    let (bytes, ends) = log([Self.end] + records)
    func changes(
      before limit: Int, keeping name: String = ""
    ) -> (log: LoadedLog, changes: [EntryChange]) {
      var changes: [EntryChange] = []
      let log = LoadedLog(bytes, path: "journal", supersededBefore: limit) {
        changes += $1
      } keeps: {
        $0 == name
      }
      return (log, changes)
    }
    let all = changes(before: 0)
    let short = LoadedLog(bytes, path: "journal")
    for (index, end) in ends.enumerated() {
      let part = LoadedLog(Array(bytes.prefix(end)), path: "journal")
      #expect(part.fold == LogState(replaying: Array(([Self.end] + records).prefix(index))))
    }
    #expect(short.recordCount == records.count + 1)
    #expect(short.end == bytes.count && short.last == all.log.last)
    let few = changes(before: .max, keeping: "a")
    #expect(few.changes.count < all.changes.count)
    #expect(few.changes.filter { $0.name == "a" } == all.changes.filter { $0.name == "a" })
    // The changes from an offset on are the same ones.
    let late = changes(before: ends[31])
    var state = LoadedLog(Array(bytes.prefix(ends[31])), path: "journal").fold
    #expect(late.changes.suffix(20) == records.suffix(30).flatMap { state.apply($0) }.suffix(20))
  }

  @Test("A change with a note is kept for the history, though the next change overwrites it")
  func notedChange() {
    let note = LogRecord(writer: 1, version: LogVersion(1), content: .note(.origin("sync")))
    let (bytes, _) = log([
      Self.end, .set("a", 1, 1), note, .set("a", 2, 2), .set("a", 3, 3), .set("a", 4, 4),
    ])
    var past = PastChanges()
    _ = LoadedLog(bytes, path: "journal", supersededBefore: .max) { past.add($0, $1) }
    #expect(past.all.map(\.new) == [.set(1), .set(2), .set(4)])
    #expect(past.all.map(\.source.origin) == ["", "sync", ""])
  }
}
