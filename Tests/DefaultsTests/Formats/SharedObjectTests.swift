import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Shared objects in binary property lists")
struct SharedObjectTests {
  typealias Decoder = BinaryPropertyListDecoder
  typealias Value = Defaults.PropertyListValue

  /// A dictionary, its key, and `levels` arrays with `width` references each to the next.
  private func tower(levels: Int, width: Int) -> Data {
    var objects: [[UInt8]] = [[0xd1] + reference(1) + reference(2), [0x51, 0x6b]]
    for level in 0..<levels {
      let target = reference(level + 3)
      objects.append([0xaf, 0x11, UInt8(width >> 8), UInt8(width & 255)])
      for _ in 0..<width { objects[level + 2] += target }
    }
    objects.append([0x10, 7])
    return BinaryPropertyListBuilder(objects: objects, offsetSize: 4, referenceSize: 2).data
  }

  private func reference(_ index: Int) -> [UInt8] {
    BinaryPropertyListBuilder.integer(index, size: 2)
  }

  @Test("A shared object is read at every reference to it")
  func sharing() throws {
    let entries = try Decoder.decode(tower(levels: 3, width: 10))
    let expected = Value.array(
      Array(
        repeating: .array(Array(repeating: .array(Array(repeating: 7, count: 10)), count: 10)),
        count: 10))
    #expect(entries == ["k": expected])
  }

  @Test(
    "A bomb of shared references is rejected before it is expanded", .timeLimit(.aHang),
    arguments: [(8, 10), (20, 10), (200, 2), (250, 300), (4, 4_000)])
  func bomb(levels: Int, width: Int) throws {
    let error = try #require(throws: Defaults.ConversionError.self) {
      try Decoder.decode(tower(levels: levels, width: width))
    }
    #expect(error.reason == "shared objects make the value too large for its file")
  }

  @Test("Sharing may add about a million values to a file, but not two million")
  func allowance() throws {
    // Each level doubles the values: 2^20 and a few, or 2^21.
    #expect(throws: Never.self) { try Decoder.decode(tower(levels: 19, width: 2)) }
    #expect(throws: Defaults.ConversionError.self) {
      try Decoder.decode(tower(levels: 20, width: 2))
    }
  }

  @Test("Ten thousand references to a text are read if the text has 1 KB, and rejected with 1 MB")
  func sharedText() throws {
    for (length, isRead) in [(1_000, true), (1_000_000, false)] {
      var text: [UInt8] = [0x5f, 0x12] + BinaryPropertyListBuilder.integer(length, size: 4)
      text += [UInt8](repeating: 0x61, count: length)
      var array: [UInt8] = [0xaf, 0x11, 0x27, 0x10]
      for _ in 0..<10_000 { array += [3] }
      let builder = BinaryPropertyListBuilder(
        objects: [[0xd1, 1, 2], [0x51, 0x6b], array, text], offsetSize: 4)
      let entries = try? Decoder.decode(builder.data)
      if isRead {
        let element = Value.string(String(repeating: "a", count: length))
        #expect(entries == ["k": .array(Array(repeating: element, count: 10_000))])
      } else {
        #expect(entries == nil)
      }
    }
  }

  @Test("A suite at its size limit is readable, even if its file has its equal texts only once")
  func largestSuite() throws {
    // In UTF-16, the text takes twice as many bytes.
    let text = "é" + String(repeating: "a", count: 1 << 20)
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let array: [UInt8] = [0xaf, 0x10, 60] + Array(repeating: 5, count: 60)
    let object = [0x6f, 0x12] + BinaryPropertyListBuilder.integer(units.count / 2, size: 4) + units
    let builder = BinaryPropertyListBuilder(
      objects: [[0xd2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], array, array, object],
      offsetSize: 4)
    let entries = try Decoder.decode(builder.data)
    let texts = Value.array(Array(repeating: .string(text), count: 60))
    #expect(entries == ["a": texts, "b": texts])
    #expect(entries.values.allSatisfy { $0.encodedSize < Defaults.SizeLimit.value })
    #expect(entries.values.reduce(0) { $0 + $1.encodedSize } > Defaults.SizeLimit.suite * 9 / 10)
  }

  @Test("The deepest value that can be written is read, and one more level is rejected")
  func depth() throws {
    let limit = Value.maximumDepth
    // The integer at the bottom is also a level.
    let entries = try Decoder.decode(tower(levels: limit - 1, width: 1))
    #expect(entries["k"]?.isDeeper(than: limit) == false)
    #expect(entries["k"]?.isDeeper(than: limit - 1) == true)
    for levels in [limit, limit + 1, 5_000] {
      let error = try #require(throws: Defaults.ConversionError.self) {
        try Decoder.decode(tower(levels: levels, width: 1))
      }
      #expect(error.reason == "the value has more than 256 levels")
    }
  }

  @Test("The depth limit of a shared object applies at its deepest reference, not at its first")
  func sharedDepth() throws {
    // The root's first entry is a tower; the second adds one array on top.
    var objects: [[UInt8]] = [
      [0xd2] + [1, 2, 3, 4].flatMap(reference), [0x51, 0x61], [0x51, 0x62],
    ]
    objects.append([0xa1] + reference(5))
    objects.append([0xa1] + reference(3))
    for level in 2..<Value.maximumDepth { objects.append([0xa1] + reference(level + 4)) }
    objects.append([0x10, 7])
    let data = BinaryPropertyListBuilder(objects: objects, offsetSize: 4, referenceSize: 2).data
    #expect(throws: Defaults.ConversionError("the value has more than 256 levels", offset: 21)) {
      try Decoder.decode(data)
    }
  }

  @Test("Unreferenced objects, which PropertyListSerialization may write, are skipped")
  func unreferenced() throws {
    let data = BinaryPropertyListBuilder.entry([0x09], [0x09]).data
    #expect(try Decoder.decode(data) == ["k": true])
  }
}
