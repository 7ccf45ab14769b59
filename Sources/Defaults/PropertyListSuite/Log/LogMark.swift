/// The offset and first eight bytes of a known record. These include its checksum, so other bytes
/// there show that the log was truncated or overwritten.
struct LogMark: Equatable, Sendable {
  let offset: Int
  let prefix: UInt64

  /// Creates the mark of the record at a position of bytes that begin at `start` of the log.
  init(in bytes: UnsafeRawBufferPointer, at position: Int, from start: Int) {
    offset = start + position
    prefix = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
  }
}
