import Defaults
import FuzzInputs
import TestSupport
import Testing

@testable import DefaultsFile

/// Small files for which recovery would take minutes if its work weren't in proportion to their
/// size.
@Suite("Recovery of hostile files", .tags(.slow), .timeLimit(.aHang))
struct HostileRecoveryTests {
  private static func little(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
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
}
