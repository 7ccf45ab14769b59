import Defaults

/// The number that the checksums of a journal's records depend on, found without the header.
enum JournalNumber {
  /// A number with which the records are right that stand in these bytes; nil if none is known.
  ///
  /// A record's checksum says what number it was made with. One that two records in a row agree on
  /// is the journal's; so is that of a single record in its place, as far as that can be known.
  static func find(in bytes: UnsafeRawBufferPointer) -> UInt64? {
    let start = JournalContents.headerSize
    var single: UInt64?
    for position in 0..<min(bytes.count, 1_024) {
      guard let number = number(ofRecordAt: position, in: bytes),
        let (_, end) = JournalDecoder.record(bytes, at: position, journal: number)
      else { continue }
      if JournalDecoder.record(bytes, at: end, journal: number) != nil { return number }
      if position == start || single == nil { single = number }
    }
    return single
  }

  /// The number for which a record's checksum would be right; another one may be as good, since 32
  /// bits of it count.
  private static func number(
    ofRecordAt position: Int, in bytes: UnsafeRawBufferPointer
  ) -> UInt64? {
    guard position + 8 <= bytes.count else { return nil }
    func word(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    let length = Int(word(position))
    // Longer ones are rare, and looking at each place of a hostile file would take too long.
    guard 21...1 << 16 ~= length, length <= bytes.count - position - 8 else { return nil }
    let body = bytes[position + 8..<position + 8 + length]
    // The kinds of record are few, and so most places are none.
    guard bytes[position + 8] < 16 else { return nil }
    return UInt64(start(of: body, checksum: word(position + 4)) ^ UInt32(length))
  }

  /// What a CRC-32 was begun with that came to this checksum: the calculation backwards.
  private static func start(
    of bytes: Slice<UnsafeRawBufferPointer>, checksum: UInt32
  ) -> UInt32 {
    var value = ~checksum
    for byte in bytes.reversed() {
      let index = origins[Int(value >> 24)]
      value = (value ^ table[index]) << 8 | UInt32(index) ^ UInt32(byte)
    }
    return ~value
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ value >> 1
    }
  }

  /// The index of the table's entry that has this highest byte.
  private static let origins: [Int] = {
    var origins = Array(repeating: 0, count: 256)
    for (index, entry) in table.enumerated() { origins[Int(entry >> 24)] = index }
    return origins
  }()
}
