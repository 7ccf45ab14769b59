import Testing

@testable import Defaults

@Suite("Checksums")
struct ChecksumTests {
  private func checksum(_ bytes: some Collection<UInt8>, after start: UInt32 = 0) -> UInt32 {
    Array(bytes).withUnsafeBytes { Defaults.Checksum.of($0, after: start) }
  }

  @Test("The checksum of the digits 1 to 9 is the check value of CRC-32")
  func checkValue() {
    #expect(checksum("123456789".utf8) == 0xcbf4_3926)
    #expect(checksum([]) == 0)
  }

  @Test("The checksum of any number of bytes equals a bitwise computation")
  func definition() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 37 * $0 + count) }
      var value: UInt32 = 0xffff_ffff
      for byte in bytes {
        value ^= UInt32(byte)
        for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : 0xedb8_8320 ^ (value >> 1) }
      }
      #expect(checksum(bytes) == ~value)
    }
  }

  @Test("The checksum of two parts equals that of the whole")
  func parts() {
    let bytes = (0..<50).map { UInt8($0) }
    for index in bytes.indices {
      #expect(checksum(bytes[index...], after: checksum(bytes[..<index])) == checksum(bytes))
    }
  }
}
