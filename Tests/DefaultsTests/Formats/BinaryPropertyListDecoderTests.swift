import Foundation
import Testing

@testable import Defaults

@Suite("Decoder of binary property lists")
struct BinaryPropertyListDecoderTests {
  typealias Decoder = BinaryPropertyListDecoder
  typealias Value = Defaults.PropertyListValue
  typealias Builder = BinaryPropertyListBuilder

  private func expectError(
    _ reason: String, at offset: Int?, in data: Data,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      throws: Defaults.ConversionError(reason, offset: offset), sourceLocation: sourceLocation
    ) { try Decoder.decode(data) }
  }

  private let sound = Builder.entry([0x09]).data

  @Test("A valid binary property list is read with any size of offsets and references")
  func soundFile() throws {
    #expect(try Decoder.decode(sound) == ["k": true])
    for size in 1...8 {
      let reference = { Builder.integer($0, size: size) }
      let builder = Builder(
        objects: [[0xd1] + reference(1) + reference(2), [0x51, 0x6b], [0x09]], offsetSize: 9 - size,
        referenceSize: size)
      #expect(try Decoder.decode(builder.data) == ["k": true])
    }
  }

  @Test("A slice whose indices don't start at zero is decoded like other data")
  func slice() throws {
    #expect(try Decoder.decode((Data([1, 2, 3]) + sound).dropFirst(3)) == ["k": true])
  }

  @Test("A binary property list without the magic number, or of another version, is rejected")
  func magic() {
    expectError("it doesn't start with \"bplist00\"", at: 0, in: Data())
    expectError("it doesn't start with \"bplist00\"", at: 0, in: Data("bplis".utf8))
    expectError("it doesn't start with \"bplist00\"", at: 0, in: sound.replacing(3, with: 0))
    expectError(
      "this version of the binary format isn't known", at: 6, in: sound.replacing(7, with: 0x35))
  }

  @Test("Every prefix of a binary property list, and any extra byte, is rejected")
  func truncated() {
    for length in 0..<sound.count {
      #expect(throws: Defaults.ConversionError.self) { try Decoder.decode(sound.prefix(length)) }
    }
    #expect(throws: Defaults.ConversionError.self) { try Decoder.decode(sound + [0]) }
    expectError("the file ends before its trailer", at: 8, in: Data("bplist00".utf8))
  }

  @Test("Each field of the trailer is checked")
  func trailer() {
    let trailer = sound.count - 32
    expectError(
      "the trailer's first six bytes aren't zero", at: trailer + 5,
      in: sound.replacing(-27, with: 1))
    expectError(
      "an offset can't have 0 bytes", at: trailer + 6, in: sound.replacing(-26, with: 0))
    expectError(
      "an offset can't have 9 bytes", at: trailer + 6, in: sound.replacing(-26, with: 9))
    expectError(
      "a reference can't have 0 bytes", at: trailer + 7, in: sound.replacing(-25, with: 0))
    expectError(
      "a reference can't have 255 bytes", at: trailer + 7, in: sound.replacing(-25, with: 255))
    expectError(
      "the offset table doesn't have 4 entries", at: trailer + 8, in: sound.replacing(-17, with: 4))
    expectError(
      "the offset table doesn't have 0 entries", at: trailer + 8, in: sound.replacing(-17, with: 0))
    expectError(
      "the offset table doesn't have 18374686479671623683 entries", at: trailer + 8,
      in: sound.replacing(-24, with: 0xff))
    expectError("the root object doesn't exist", at: trailer + 16, in: sound.replacing(-9, with: 3))
    expectError(
      "the root object doesn't exist", at: trailer + 16, in: sound.replacing(-16, with: 0x80))
    expectError(
      "there is no room for the offset table", at: trailer + 24, in: sound.replacing(-1, with: 8))
    expectError(
      "there is no room for the offset table", at: trailer + 24,
      in: sound.replacing(-1, with: UInt8(trailer)))
    expectError(
      "there is no room for the offset table", at: trailer + 24, in: sound.replacing(-8, with: 0xff)
    )
  }

  @Test("Offsets into the header, the offset table or the trailer, or beyond the end, are rejected")
  func offsets() {
    let table = sound.count - 32 - 3
    for offset in [0, 7, UInt8(table), UInt8(sound.count - 1), 255] {
      expectError(
        "the offset of object 2 is out of bounds", at: table + 2,
        in: sound.replacing(table + 2, with: offset))
    }
    var wide = Builder.entry([0x09])
    wide.offsetSize = 8
    let data = wide.data
    expectError(
      "the offset of object 0 is out of bounds", at: data.count - 32 - 24,
      in: data.replacing(data.count - 32 - 24, with: 0xff))
  }

  @Test("Gaps and overlaps between objects are rejected, and objects may have any order")
  func layout() throws {
    let table = sound.count - 32 - 3
    // The root's last reference overlaps the bool at 13, and no object covers byte 13.
    expectError("two objects overlap", at: 11, in: sound.replacing(table + 2, with: 11))
    expectError(
      "there are bytes that belong to no object", at: 12,
      in: Builder.entry([0x09]).data.replacing(11, with: 0x50))
    expectError(
      "there are bytes that belong to no object", at: 14, in: Builder.entry([0x09, 0x0f]).data)
    let swapped = sound.replacing(table + 1, with: 13).replacing(table + 2, with: 11)
      .replacing(9, with: 2).replacing(10, with: 1)
    #expect(try Decoder.decode(swapped) == ["k": true])
  }

  @Test(
    "Binary objects that aren't property list values are rejected",
    arguments: [
      ([0x00], "a null can't be stored"), ([0x0f], "the object type 0xf is unknown"),
      ([0x0c], "the object type 0xc is unknown"), ([0x15], "the object type 0x15 is unknown"),
      ([0x21], "the object type 0x21 is unknown"), ([0x32], "the object type 0x32 is unknown"),
      ([0x71, 0x61], "the object type 0x71 is unknown"),
      ([0x80, 1], "a UID can't be stored; is this a keyed archive?"),
      ([0xb1, 1], "a set can't be stored"), ([0xc1, 1], "a set can't be stored"),
      ([0xe0], "the object type 0xe0 is unknown"), ([0xf0], "the object type 0xf0 is unknown"),
    ] as [([UInt8], String)])
  func unknownObjects(object: [UInt8], reason: String) {
    expectError(reason, at: 13, in: Builder.entry(object).data)
  }

  @Test("A file of 53 bytes that has a set and crashes Foundation is rejected")
  func set() {
    let data = Builder(objects: [[0xd1, 1, 2], [0x51, 0x6b], [0xc1, 0], [0x50]]).data
    expectError("a set can't be stored", at: 13, in: data)
  }

  @Test(
    "Binary objects that extend beyond the last object's end are rejected",
    arguments: [
      [0x13, 1, 2, 3], [0x23, 1], [0x22, 1], [0x33], [0x42, 1], [0x52, 1], [0x61, 1], [0xa2, 1],
      [0xd1, 1], [0x14, 0, 0, 0, 0, 0, 0, 0], [0x4f], [0x4f, 0x11, 0], [0x5f, 0x10, 200],
      [0x4f, 0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x6f, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0xaf, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], [0xdf, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func tooLong(object: [UInt8]) {
    expectError(
      "the object reaches beyond the last object's end", at: 13, in: Builder.entry(object).data)
  }

  @Test("A count that isn't an integer of up to eight bytes is rejected")
  func count() {
    for marker: UInt8 in [0x00, 0x14, 0x20, 0x51] {
      expectError(
        "the count isn't an integer", at: 14, in: Builder.entry([0x4f, marker, 0, 0, 0, 0]).data)
    }
  }

  @Test("A reference to an object that doesn't exist is rejected")
  func reference() {
    expectError("there is no object 3", at: 14, in: Builder.entry([0xa1, 3]).data)
    expectError("there is no object 255", at: 14, in: Builder.entry([0xd1, 255, 0]).data)
    expectError("there is no object 9", at: 15, in: Builder.entry([0xd1, 1, 9]).data)
  }

  @Test("A cycle through an array, a dictionary or two arrays is rejected")
  func cycles() {
    expectError("the object contains itself", at: 13, in: Builder.entry([0xa1, 2]).data)
    expectError("the object contains itself", at: 8, in: Builder.entry([0xd1, 1, 0]).data)
    expectError(
      "the object contains itself", at: 13, in: Builder.entry([0xa1, 3], [0xa1, 2]).data)
  }

  @Test("Keys that aren't strings, are duplicates, or differ only in composition are rejected")
  func keys() {
    expectError("a key isn't a string", at: 16, in: Builder.entry([0xd1, 3, 1], [0x10, 5]).data)
    expectError("a key isn't a string", at: 13, in: Builder.entry([0xd1, 2, 1]).data)
    expectError(
      "the key \"k\" appears twice in a dictionary", at: 15,
      in: Builder.entry([0xd2, 1, 1, 3, 3], [0x08]).data)
    expectError(
      "the key \"k\" appears twice in a dictionary", at: 15,
      in: Builder.entry([0xd2, 1, 3, 4, 4], [0x61, 0, 0x6b], [0x08]).data)
    expectError(
      "two keys differ only in the Unicode composition of \"e\u{301}\", and would become one",
      at: 15,
      in: Builder.entry(
        [0xd2, 3, 4, 5, 5], [0x61, 0, 0xe9], [0x62, 0, 0x65, 3, 1], [0x08]
      ).data)
  }

  @Test("A root that isn't a dictionary is read as a value and rejected as entries")
  func root() throws {
    let data = Builder(objects: [[0xa1, 1], [0x08]]).data
    expectError("the root isn't a dictionary", at: nil, in: data)
    #expect(try Decoder.decodeValue(data) == [false])
  }

  @Test("Non-ASCII bytes and unpaired surrogates are rejected with their offset")
  func text() {
    expectError(
      "a byte of an ASCII string isn't ASCII", at: 15, in: Builder.entry([0x52, 0x61, 0xc3]).data)
    let long = [UInt8](repeating: 0x61, count: 20)
    expectError(
      "a byte of an ASCII string isn't ASCII", at: 25,
      in: Builder.entry([0x5f, 0x10, 20] + long[..<9] + [0x80] + long[10...]).data)
    let reason = "a surrogate in a string has no partner"
    expectError(reason, at: 14, in: Builder.entry([0x61, 0xd8, 0]).data)
    expectError(reason, at: 16, in: Builder.entry([0x62, 0, 0x61, 0xdc, 0]).data)
    expectError(reason, at: 14, in: Builder.entry([0x62, 0xd8, 0, 0, 0x61]).data)
    expectError(reason, at: 14, in: Builder.entry([0x62, 0xd8, 0, 0xd8, 0]).data)
  }

  @Test(
    "Binary integers of up to four bytes are unsigned, and integers of 8 or 16 bytes are signed",
    arguments: [
      ([0x10, 0xff], 255), ([0x11, 0xff, 0xff], 65_535),
      ([0x12, 0xff, 0xff, 0xff, 0xff], 4_294_967_295), ([0x13] + ones, -1),
      ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], .integer(.min)),
      ([0x14] + zeros + ones, .unsignedInteger(.max)),
      ([0x14] + zeros + [0x7f] + ones.dropLast(), .integer(.max)),
      ([0x14] + ones + ones, -1),
    ] as [([UInt8], Value)])
  func integers(object: [UInt8], value: Value) throws {
    #expect(try Decoder.decode(Builder.entry(object).data) == ["k": value])
    // An unsigned integer that fits must be the signed case, not only equal to it.
    if case .unsignedInteger(let number) = value { #expect(number > Int64.max) }
  }

  private static let zeros = [UInt8](repeating: 0, count: 8)
  private static let ones = [UInt8](repeating: 0xff, count: 8)

  @Test("An integer of sixteen bytes that doesn't fit 64 bits is rejected")
  func wideIntegers() {
    let (zeros, ones) = (Self.zeros, Self.ones)
    for object in [[0x14] + ones + zeros, [0x14] + [1] + zeros.dropLast() + zeros] {
      expectError("the integer has more than 64 bits", at: 13, in: Builder.entry(object).data)
    }
  }

  @Test("Binary reals of four bytes are read exactly, and reals of eight bytes with every bit")
  func reals() throws {
    let float = Builder.entry([0x22, 0x3d, 0xcc, 0xcc, 0xcd]).data
    #expect(try Decoder.decode(float) == ["k": .real(Double(Float(0.1)))])
    let payload = Builder.entry([0x23, 0x7f, 0xf8, 0, 0, 0, 0, 0x12, 0x34]).data
    #expect(
      try Decoder.decode(payload) == ["k": .real(Double(bitPattern: 0x7ff8_0000_0000_1234))])
    let date = Builder.entry([0x33, 0x7f, 0xf8, 0, 0, 0, 0, 0x12, 0x34]).data
    let nan = Date(timeIntervalSinceReferenceDate: Double(bitPattern: 0x7ff8_0000_0000_1234))
    // Not compared in the macro, which prints: the description of a NaN date traps.
    let isSame = try Decoder.decode(date) == ["k": .date(nan)]
    #expect(isSame)
  }

  @Test("An archive's UIDs are read only if they are asked for")
  func archives() throws {
    let data = Builder.entry([0x81, 1, 2]).data
    #expect(try Decoder.decodeValue(data, acceptsUIDs: true) == ["k": ["CF$UID": 258]])
    #expect(throws: Defaults.ConversionError.self) { try Decoder.decode(data) }
    #expect(throws: Defaults.ConversionError("a null can't be stored", offset: 13)) {
      try Decoder.decodeValue(Builder.entry([0x00]).data, acceptsUIDs: true)
    }
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: ["a", 1]), requiringSecureCoding: true)
    guard case .dictionary(let entries) = try Decoder.decodeValue(archive, acceptsUIDs: true) else {
      Issue.record("An archive is a dictionary")
      return
    }
    #expect(entries["$archiver"] == "NSKeyedArchiver")
    guard case .dictionary(let top) = entries["$top"] else {
      Issue.record("An archive has a $top")
      return
    }
    #expect(top["root"] == ["CF$UID": 1])
  }
}
