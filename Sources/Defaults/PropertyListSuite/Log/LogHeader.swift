/// The beginning of a log.
package struct LogHeader: Sendable, Equatable {
  package static let magic = Array("DfltLog1".utf8)
  /// Magic (8), id (8), count (1) and bytes (127) of the temporary name, checksum (4).
  package static let size = 8 + 8 + nameSize + 4
  private static let nameSize = 128

  /// A random number. It goes into the checksum of every record, so that the records of another
  /// log aren't taken for records of this one.
  package let id: UInt64
  /// The name of the file in which the log was begun, by which a file that a killed process left
  /// behind is recognized.
  let temporaryName: String

  /// The header's bytes.
  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes += withUnsafeBytes(of: id.littleEndian, Array.init)
    // Temporary names have at most 125 bytes; see `TemporaryFile`.
    let name = temporaryName.utf8.prefix(Self.nameSize - 1)
    bytes.append(UInt8(name.count))
    bytes += name
    bytes += [UInt8](repeating: 0, count: Self.nameSize - 1 - name.count)
    bytes += withUnsafeBytes(
      of: bytes.withUnsafeBytes { Defaults.Checksum.of($0) }.littleEndian,
      Array.init)
    return bytes
  }

  init(id: UInt64, temporaryName: String) {
    self.id = id
    self.temporaryName = temporaryName
  }

  /// The header of the log that begins with these bytes; nil if it isn't sound.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, bytes.starts(with: Self.magic) else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.size - 4)])
    var end = ByteReader(bytes, at: Self.size - 4)
    var start = ByteReader(bytes, at: Self.magic.count)
    guard let checksum: UInt32 = end.number(), checksum == Defaults.Checksum.of(checked),
      let id: UInt64 = start.number(), let count = start.byte(), Int(count) < Self.nameSize,
      let name = String(
        validating: bytes[start.position..<(start.position + Int(count))], as: UTF8.self)
    else { return nil }
    self.init(id: id, temporaryName: name)
  }

  /// Whether these bytes begin like the journal of an earlier version of the library, which has only
  /// what the property list lacks.
  static func isEarlier(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: "DfltJnl1".utf8)
  }

  /// Whether these bytes begin like a log of a later version of the library. A log whose header
  /// would be sound if it were of this version is damaged.
  static func isLater(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= magic.count, bytes.starts(with: magic.dropLast()),
      bytes[magic.count - 1] > magic[magic.count - 1]
    else { return false }
    var known = [UInt8](bytes.prefix(size))
    known[magic.count - 1] = magic[magic.count - 1]
    return known.withUnsafeBytes { LogHeader($0) } == nil
  }

  /// Whether a log was created and never written to the disk: it is short, or a power cut took the
  /// bytes.
  static func isUnwritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.prefix(size).allSatisfy({ $0 == 0 }) { return true }
    // Something shorter that begins differently is another program's file.
    return bytes.count < size && bytes.prefix(8).elementsEqual(magic.prefix(bytes.count))
  }
}
