import Defaults

/// The number that the checksums of a journal's records include, recovered without the header.
enum LogNumber {
  /// A number for which the records in these bytes are valid; nil if none is found.
  ///
  /// A record's checksum determines the number that it was made with. If two consecutive records
  /// agree, the number is the journal's. A single record at the right place is weaker evidence.
  static func find(in bytes: UnsafeRawBufferPointer) -> UInt64? {
    var single: UInt64?
    // A checksum costs the record's length, and a malicious file may contain many apparent records.
    var budget = 16 * bytes.count
    for position in 0..<bytes.count where budget > 0 {
      guard let body = LogDecoder.likelyBody(bytes, at: position) else { continue }
      budget -= body.count
      let number = number(ofRecordAt: position, body, in: bytes)
      guard LogDecoder.record(bytes, at: position, log: number) != nil else { continue }
      if let next = LogDecoder.likelyBody(bytes, at: body.upperBound) {
        // Many records may end where the same long one seems to begin.
        budget -= next.count
        if LogDecoder.record(bytes, at: body.upperBound, log: number) != nil { return number }
      }
      if position == LogHeader.size || single == nil { single = number }
    }
    return single
  }

  /// The number that makes a record's checksum valid. It isn't unique, since only 32 bits matter.
  private static func number(
    ofRecordAt position: Int, _ body: Range<Int>, in bytes: UnsafeRawBufferPointer
  ) -> UInt64 {
    let checksum = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
    return UInt64(start(of: bytes[body], checksum: checksum) ^ UInt32(body.count))
  }

  /// The initial value of a CRC-32 that results in this checksum: the calculation in reverse.
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

  /// The index of the table entry with a given highest byte.
  private static let origins: [Int] = {
    var origins = Array(repeating: 0, count: 256)
    for (index, entry) in table.enumerated() { origins[Int(entry >> 24)] = index }
    return origins
  }()
}
