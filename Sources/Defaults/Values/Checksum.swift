extension Defaults {
  /// CRC-32 as in zlib and PNG (ISO 3309, polynomial 0xEDB88320). It detects all damage of up to 32
  /// adjacent bits, and all but one in four billion cases of other damage.
  package enum Checksum {
    /// Returns the checksum of bytes that follow the bytes with the checksum `start`.
    package static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
      tables.withUnsafeBufferPointer { tables in
        var value = ~start
        var offset = 0
        // Eight bytes at a time take a fifth of the time of one at a time ("slicing by 8").
        while offset + 8 <= bytes.count {
          let next = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          let word = next.littleEndian ^ UInt64(value)
          value = tables[1_792 + Int(word & 0xff)] ^ tables[1_536 + Int(word >> 8 & 0xff)]
          value ^= tables[1_280 + Int(word >> 16 & 0xff)] ^ tables[1_024 + Int(word >> 24 & 0xff)]
          value ^= tables[768 + Int(word >> 32 & 0xff)] ^ tables[512 + Int(word >> 40 & 0xff)]
          value ^= tables[256 + Int(word >> 48 & 0xff)] ^ tables[Int(word >> 56)]
          offset += 8
        }
        for byte in bytes[offset...] {
          value = tables[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8)
        }
        return ~value
      }
    }

    /// The effect of a byte on the checksum: alone, and followed by one to seven zero bytes.
    private static let tables: [UInt32] = {
      var tables: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
          value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ (value >> 1)
        }
      }
      for index in 256..<2_048 {
        let value = tables[index - 256]
        tables.append(tables[Int(value & 0xff)] ^ (value >> 8))
      }
      return tables
    }()
  }
}
