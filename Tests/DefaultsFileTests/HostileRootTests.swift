import Defaults
import Foundation
import Harness
import Testing

@testable import DefaultsFile

/// Damaged binary files whose dictionaries would take minutes or gigabytes if the work weren't in
/// proportion to their size.
@Suite("Recovery of hostile binary dictionaries", .tags(.slow), .timeLimit(.aHang))
struct HostileRootTests {
  private static func big(_ number: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A string of ASCII characters.
  private static func text(_ count: Int) -> [UInt8] {
    [0x5f, 0x12] + big(count, size: 4) + Array(repeating: UInt8(ascii: "k"), count: count)
  }

  /// A root with the entry "b", and with an array "a" of dictionaries that all have the same long
  /// name, without a table.
  private static func dictionaries(_ count: Int, nameLength: Int) -> [UInt8] {
    var bytes = "bplist00".utf8 + [0xd2, 0, 1, 0, 2, 0, 5, 0, 3]
    bytes += [0x51, UInt8(ascii: "b"), 0x51, UInt8(ascii: "a"), 0xaf, 0x11] + big(count, size: 2)
    for index in 0..<count { bytes += big(6 + index, size: 2) }
    bytes += text(nameLength) + [9]
    for _ in 0..<count { bytes += [0xd1, 0, 4, 0, 5] }
    return bytes
  }

  @Test("Recovery of many dictionaries with the same long name takes little memory", .prompt)
  func sharedName() async {
    // In a process of its own, where nothing else grows.
    await #expect(processExitsWith: .success) {
      let few = Salvage.read(Self.dictionaries(2, nameLength: 100))?.entries
      let name = String(repeating: "k", count: 100)
      #expect(few == ["a": [[name: true], [name: true]], "b": true])
      let before = ProcessMemory.peak
      let many = Salvage.read(Self.dictionaries(6_000, nameLength: 100_000))?.entries
      // Without the value, which may be too long for a message.
      let isArrayLost = many == ["b": true]
      #expect(isArrayLost)
      #expect(ProcessMemory.peak - before < 256 << 20)
    }
  }

  /// A root whose entries have the same long name, except the last one, "a".
  private static func root(_ count: Int, nameLength: Int) -> [UInt8] {
    var bytes = "bplist00".utf8 + [0xdf, 0x11] + big(count, size: 2)
    for index in 1...count { bytes += [0, index == count ? 3 : 1] }
    for _ in 0..<count { bytes += [0, 2] }
    return bytes + text(nameLength) + [9, 0x51, UInt8(ascii: "a")]
  }

  @Test("Recovery soon stops reading the same long name for each entry of a root")
  func sharedNameOfRoot() throws {
    #expect(Salvage.read(Self.root(1_200, nameLength: 100))?.entries["a"] == true)
    let many = try #require(Salvage.read(Self.root(1_200, nameLength: 1 << 16)))
    #expect(many.entries.count == 1 && many.entries["a"] == nil)
  }
}
