import Defaults
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

  @Test("Recovery of small values without a root, and of tags, takes little memory for each")
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

  /// The first bytes of a record that ends with the file.
  private static func longRecord(at offset: Int, of size: Int, checksum: UInt8) -> [UInt8] {
    little(size - offset - 8) + Array(repeating: checksum, count: 4)
  }

  /// A body without content, of a kind that only later versions know.
  private static let body: [UInt8] = [200] + Array(repeating: 0, count: 24)

  @Test("Recovery soon stops looking for two consecutive records in a journal without a header")
  func shortRecords() {
    // For each short record, there is a number that makes it valid. In place of the kind, the long
    // record after it has the length of the next short record.
    let short = Self.little(Self.body.count) + Array(repeating: 0x20, count: 4) + Self.body
    let size = JournalImage.headerSize + 50_000 * (short.count + 8)
    var bytes = [UInt8](repeating: 0, count: JournalImage.headerSize)
    while bytes.count < size {
      bytes += short
      bytes += Self.longRecord(at: bytes.count, of: size, checksum: 0x20)
    }
    #expect(Salvage.read(bytes)?.entries ?? [:] == [:])
  }

  @Test("Recovery soon stops checking long damaged records between the short records of a journal")
  func longRecords() {
    var image = JournalImage(id: 5)
    image.append([.init("k", 1)])
    var bytes = image.bytes
    image.append(body: Self.body)
    let short = image.bytes[bytes.count...]
    let size = bytes.count + 30_000 * (short.count + 8 + Self.body.count)
    while bytes.count < size {
      bytes += short
      bytes += Self.longRecord(at: bytes.count, of: size, checksum: 0) + Self.body
    }
    #expect(Salvage.read(bytes)?.entries == ["k": 1])
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

  @Test("Recovery reads the end of a damaged record once for all changes that seem to lead there")
  func commonEnd() {
    // The value of each change is data up to the removals. These don't reach the end of the record.
    let count = 5_000
    var content = Self.little(1) + [0xff]
    for index in 1...count { content += Self.set + [7] + Self.little((count - index) * 11) }
    for _ in 0..<200_000 { content += Self.removal }
    #expect(Salvage.read(Self.journal(damaged: content + [0xff]))?.entries == ["k": 1])
  }

  @Test("Recovery soon stops reading a damaged record whose apparent changes overlap")
  func overlappingChanges() {
    // After each removal follows an array: data up to the bools, and all bools.
    let (count, bools) = (8_000, 200_000)
    var content = Self.little(1) + [0xff]
    for index in 1...count {
      content += Self.removal + Self.set + [8] + Self.little(1 + bools)
      content += [7] + Self.little((count - index) * 22)
    }
    content += Array(repeating: 1, count: 2 * bools) + [0xff]
    #expect(Salvage.read(Self.journal(damaged: content))?.entries == ["k": 1])
  }
}
