import Defaults
import Foundation
import FuzzInputs
import Harness
import TestSupport
import Testing

@testable import DefaultsFile

/// Small files for which recovery would take minutes or gigabytes if its work weren't in proportion
/// to their size.
@Suite("Recovery of hostile files", .tags(.slow), .timeLimit(.aHang))
struct HostileRecoveryTests {
  private static func little(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
  }

  @Test(
    "Recovery of small values without a root, and of tags, takes little memory for each", .prompt)
  func memory() async {
    // In a process of its own, where nothing else grows.
    await #expect(processExitsWith: .success) {
      let before = ProcessMemory.peak
      let bools = { (count: Int) in [UInt8](repeating: 8, count: count) }
      for bytes: [UInt8] in [
        "bplist00".utf8 + bools(8 << 20), "bplist00".utf8 + [0xd0] + bools(2 << 20),
        (0..<1_500_000).flatMap { _ in "<a>".utf8 },
      ] { #expect(Salvage.read(bytes)?.entries ?? [:] == [:]) }
      #expect(ProcessMemory.peak - before < 128 << 20)
    }
  }

  // MARK: - Journals of many records

  /// The beginning of a record up to an offset: of a kind that only later versions know.
  private static func begin(at offset: Int, upTo end: Int) -> [UInt8] {
    little(end - offset - 8) + Array(repeating: 0x20, count: 4) + body
  }

  /// A body without content, of a kind that only later versions know.
  private static let body: [UInt8] = [200] + Array(repeating: 0, count: 24)

  /// The beginnings of many records that all end at the same offset.
  private static func beginnings(_ count: Int) -> [UInt8] {
    let end = count * (8 + body.count)
    return (0..<count).reduce(into: []) { bytes, _ in
      bytes += begin(at: bytes.count, upTo: end)
    }
  }

  /// Two records of a journal with this number.
  private static func pair(number: UInt64) -> ArraySlice<UInt8> {
    var image = JournalImage(id: number)
    let start = image.bytes.count
    for value in 1...2 as ClosedRange<Int64> { image.append([.init("k", .integer(value))]) }
    return image.bytes[start...]
  }

  private static func number(_ bytes: [UInt8]) -> UInt64? {
    bytes.withUnsafeBytes { LogNumber.find(in: $0) }
  }

  @Test("The search for two consecutive records ends soon if many long ones overlap")
  func overlappingRecords() {
    // For each beginning, there is a number with which its checksum is right.
    let gap = [UInt8](repeating: 0, count: 64)
    #expect(Self.number(Self.beginnings(10) + gap + Self.pair(number: 7)) == 7)
    let number = Self.number(Self.beginnings(2_000) + gap + Self.pair(number: 7))
    #expect(number != nil && number != 7)
  }

  @Test("The search for two consecutive records ends soon if the same long one seems to follow")
  func commonNextRecord() {
    let gap = [UInt8](repeating: 0, count: 1 << 20)
    let long = Self.begin(at: 0, upTo: gap.count)
    #expect(Self.number(Self.beginnings(5) + long + gap + Self.pair(number: 7)) == 7)
    let number = Self.number(Self.beginnings(500) + long + gap + Self.pair(number: 7))
    #expect(number != nil && number != 7)
  }

  @Test("Recovery soon stops checking long damaged records between the short records of a journal")
  func longRecords() {
    func journal(_ count: Int) -> [UInt8] {
      var image = JournalImage(id: 5)
      image.append([.init("k", 1)])
      var bytes = image.bytes
      image.append(body: Self.body)
      let short = image.bytes[bytes.count...]
      let size = bytes.count + count * (short.count + 8 + Self.body.count)
      while bytes.count < size {
        bytes += short
        bytes += Self.begin(at: bytes.count, upTo: size)
      }
      var end = JournalImage(id: 5)
      let start = end.bytes.count
      end.append([.init("z", 2)])
      end.append(body: Self.body)
      return bytes + end.bytes[start...]
    }
    #expect(Salvage.read(journal(10))?.entries == ["k": 1, "z": 2])
    #expect(Salvage.read(journal(3_000))?.entries == ["k": 1])
  }

  @Test("A record without content isn't damage")
  func shortestRecord() throws {
    var image = JournalImage(id: 5)
    image.append(body: Self.body)
    image.append([.init("k", 1)])
    let salvage = try #require(Salvage.read(image.bytes))
    #expect(salvage.isSound && salvage.entries == ["k": 1])
  }

  // MARK: - Damaged records of journals

  /// A journal with an entry, and a record with a wrong checksum.
  private static func journal(damaged content: [UInt8]) -> [UInt8] {
    var image = JournalImage(id: 5)
    image.append([.init("k", 1)])
    let start = image.bytes.count
    image.append(content: content, kind: 0)
    var bytes = image.bytes
    bytes[start + 4] ^= 1
    return bytes
  }

  /// The removal of an entry.
  private static let removal: [UInt8] = [0, 1, 0, 0, 0, 97]
  /// The beginning of a change that sets an entry, before the value.
  private static let set: [UInt8] = [1, 1, 0, 0, 0, 97]

  /// A last change, which sets "z" to 2 bytes.
  private static let last: [UInt8] = [1, 1, 0, 0, 0, 122, 7] + little(2) + [1, 2]

  @Test("Recovery reads the end of a damaged record once for all changes that seem to lead there")
  func commonEnd() {
    // The value of each change is data up to the removals. These don't reach the end of the record.
    let count = 1_000
    var content = Self.little(1) + [0xff]
    for index in 1...count { content += Self.set + [7] + Self.little((count - index) * 11) }
    for _ in 0..<200_000 { content += Self.removal }
    let entries = Salvage.read(Self.journal(damaged: content + [0xff] + Self.last))?.entries
    #expect(entries == ["k": 1, "z": .data(Data([1, 2]))])
  }

  @Test("Recovery soon stops reading a damaged record whose apparent changes overlap")
  func overlappingChanges() {
    // After each removal follows an array: data up to the bools, and all bools.
    func journal(_ count: Int) -> [UInt8] {
      let bools = 50_000
      var content = Self.little(1) + [0xff]
      for index in 1...count {
        content += Self.removal + Self.set + [8] + Self.little(1 + bools)
        content += [7] + Self.little((count - index) * 22)
      }
      content += Array(repeating: 1, count: 2 * bools) + [0xff]
      return Self.journal(damaged: content + Self.last)
    }
    #expect(Salvage.read(journal(1))?.entries == ["k": 1, "z": .data(Data([1, 2]))])
    #expect(Salvage.read(journal(2_000))?.entries == ["k": 1])
  }
}
