import Testing

@testable import Defaults

// Headers that are cut off, records next to damage, and the shortest records.

extension LogCodingTests {
  @Test("A header that is cut off is unwritten, a damaged one isn't, and a later one is recognized")
  func shortHeaders() {
    func start(_ bytes: [UInt8]) -> LoadedLog.Start { LoadedLog(bytes, path: "journal").start }
    let bytes = LogHeader(id: Self.id).bytes
    for count in bytes.indices {
      #expect(start(Array(bytes.prefix(count))) == .unwritten, "\(count)")
    }
    var damaged = bytes
    damaged[12] ^= 1
    #expect(start(damaged) == .damaged)
    #expect(start(Array("DfltLog3".utf8)) == .later)
  }

  @Test("The checksums of a forged log with much damage are limited, and the rest is reported")
  func forgedDamage() {
    var bytes = log([Self.end]).bytes
    var damaged: [Int] = []
    for _ in 0..<2_000 {
      damaged.append(bytes.count)
      let start = bytes.count + LogEncoder.prefixSize
      bytes += [UInt8](repeating: 0, count: LogEncoder.prefixSize)
      bytes += Self.bytes(
        LogRecord(writer: 1, version: LogVersion(1), durable: start, content: .doubt))
    }
    // Each damaged record seems to have the rest of the log.
    for offset in damaged {
      let length = UInt32(bytes.count - offset - LogEncoder.prefixSize)
      withUnsafeBytes(of: length.littleEndian) {
        bytes.replaceSubrange(offset..<offset + 4, with: $0)
      }
    }
    let found = LoadedLog(bytes, path: "journal")
    #expect(found.hasLaterRecords)
    #expect(1..<100 ~= found.skipped.count)
  }

  @Test("After damage, a log continues with the next valid record, wherever it begins")
  func resumption() {
    let (bytes, ends) = log([Self.end, .set("a", 1, 1)])
    var later = LogRecord.set("b", 2, 2)
    later.durable = bytes.count + 1
    let found = LoadedLog(bytes + [0xff] + Self.bytes(later), path: "journal")
    #expect(found.fold.integers == ["a": 1, "b": 2])
    #expect(found.skipped == [ends[2]..<ends[2] + 1])
    // The shortest record.
    let doubt = LogRecord(writer: 1, version: LogVersion(3), durable: ends[2], content: .doubt)
    let sound = log([Self.end, .set("a", 1, 1), doubt])
    var damaged = sound.bytes
    damaged[sound.ends[1] + 10] ^= 1
    #expect(LoadedLog(damaged, path: "journal").fold.isDoubted)
  }

  @Test("Only a change before the offset of the changes to keep is left out for the next change")
  func supersededLimit() {
    let (bytes, ends) = log([Self.end, .set("a", 1, 1), .set("a", 2, 2)])
    for (limit, kept) in [(ends[2], 2), (ends[2] + 1, 1)] {
      var count = 0
      _ = LoadedLog(bytes, path: "journal", supersededBefore: limit) { count += $1.count }
      #expect(count == kept)
    }
  }

  /// An entry may have an empty name, and a past change of a secret has no values.
  @Test("Records with the fewest bytes, and of the latest time, are read as they were written")
  func leastElements() {
    let removal = LogRecord.Change(name: "", edit: .remove)
    let joined = LogRecord.JoinedChange(name: "", edit: .remove, version: .zero, writer: 0)
    var base = LogState.Base(id: 1, version: .zero)
    base.differing = ["": .remove]
    let contents: [LogRecord.Content] = [
      .set([removal]), .joined([joined]), .checkpoint(.entries([joined])),
      .checkpoint(.base(base)),
      .checkpoint(.past([.init(name: "", old: .remove, new: .remove, version: .zero)])),
      .merged(id: 1, nil, [.init(name: "", edit: .remove, isEdited: false)]),
      .note(.signature(program: "", secrets: [""])), .note(.sources([.init()])),
      .set([.init(name: "", edit: .set(["": true]))]),
    ]
    for content in contents {
      for version in [LogVersion.zero, .limit] {
        let record = LogRecord(writer: 0, version: version, content: content)
        let found = Self.bytes(record).withUnsafeBytes {
          LogDecoder.record($0, at: 0, log: Self.id)
        }
        #expect(found?.record == record)
      }
    }
  }

  @Test("A record from after the beginning of the year 2500 is damaged")
  func latestVersion() {
    #expect(LogVersion.limit.microseconds == 16_725_225_600 * 1_000_000)
    let later = LogVersion(LogVersion.limit.microseconds + 1)
    #expect(!Self.isValid(Self.bytes(LogRecord(writer: 1, version: later, content: .doubt))))
  }
}
