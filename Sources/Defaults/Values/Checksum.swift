extension Defaults {
  /// CRC-32 as in zlib and PNG (ISO 3309, polynomial 0xEDB88320): it notices every damage of up to
  /// 32 adjacent bits, and all but one in four billion of others.
  package enum Checksum {
    /// The checksum of some bytes, after those of `start`.
    package static func of(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
      var value = ~start
      for byte in bytes {
        value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8)
      }
      return ~value
    }

    private static let table: [UInt32] = (0..<256).map { index in
      (0..<8).reduce(UInt32(index)) { value, _ in
        value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ (value >> 1)
      }
    }
  }
}
