/// The beginning of a log.
package struct LogHeader: Sendable, Equatable {
  package static let magic = Array("DfltLog2".utf8)
  /// Magic (8), id (8), checksum (4).
  package static let size = 8 + 8 + 4

  /// A random number, which goes into the checksum of every record. So records of another log
  /// aren't mistaken for records of this log.
  package let id: UInt64

  /// The header's bytes.
  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes += withUnsafeBytes(of: id.littleEndian, Array.init)
    let checksum = bytes.withUnsafeBytes { Defaults.Checksum.of($0) }
    bytes += withUnsafeBytes(of: checksum.littleEndian, Array.init)
    return bytes
  }

  init(id: UInt64) { self.id = id }

  /// Reads the header at the beginning of these bytes; nil if it is invalid.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, bytes.starts(with: Self.magic) else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.size - 4)])
    var reader = ByteReader(bytes, at: Self.magic.count)
    guard let id: UInt64 = reader.number(), let checksum: UInt32 = reader.number(),
      checksum == Defaults.Checksum.of(checked)
    else { return nil }
    self.init(id: id)
  }

  /// Returns whether these bytes begin like a log of any version of the library, or like the
  /// journal of a version before the first release.
  static func isOfAnyVersion(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic.dropLast()) || bytes.starts(with: "DfltJnl".utf8)
  }

  /// Returns whether these bytes begin like the log of an earlier version of the library, whose
  /// header is longer, or like a journal before that, which has only the changes since the last
  /// export.
  static func isEarlier(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: "DfltLog1".utf8) || bytes.starts(with: "DfltJnl1".utf8)
  }

  /// Returns whether these bytes begin like a log of a later version of the library. A log whose
  /// header would be valid with this version's magic is damaged instead.
  static func isLater(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= magic.count, bytes.starts(with: magic.dropLast()),
      bytes[magic.count - 1] > magic[magic.count - 1]
    else { return false }
    var known = [UInt8](bytes.prefix(size))
    known[magic.count - 1] = magic[magic.count - 1]
    return known.withUnsafeBytes { LogHeader($0) } == nil
  }

  /// Returns whether a log was created but its content didn't reach the disk: it is short, or a
  /// power loss left zeros.
  static func isUnwritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.prefix(size).allSatisfy({ $0 == 0 }) { return true }
    // A shorter file with another beginning belongs to another program.
    return bytes.count < size && bytes.prefix(8).elementsEqual(magic.prefix(bytes.count))
  }
}
