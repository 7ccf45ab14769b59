/// The last record that a process has read in the log, and the records that it has appended since
/// then while it relied on the size of the log.
///
/// Some of them may be missing from the file: if another program replaces the log by an older copy,
/// other processes can append to that copy until it has the size that this process expects.
struct UnreadRecords {
  /// The offset of the first record. The last one ends at the end of the log.
  let start: Int
  private var sum: UInt64 = 0

  /// The number of bytes after which the records must be read: about 1,000 sets.
  static let longest = 1 << 16

  /// Creates the description of the last record of a log.
  init(_ last: LogMark) {
    start = last.offset
    add(last.prefix)
  }

  /// Adds records at the end.
  mutating func add(_ records: UnsafeRawBufferPointer) {
    var position = 0
    while position + LogEncoder.prefixSize <= records.count {
      let prefix = records.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      add(prefix)
      let length = UInt32(truncatingIfNeeded: UInt64(littleEndian: prefix))
      position += LogEncoder.prefixSize + Int(length)
    }
  }

  /// Adds length and checksum of a record.
  private mutating func add(_ prefix: UInt64) { sum = (sum ^ prefix) &* 0x9e37_79b9_7f4a_7c15 }

  /// Returns whether bytes are these records, judged by their lengths and checksums.
  func areIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var found = self
    found.sum = 0
    found.add(bytes)
    return found.sum == sum
  }
}
