/// The records in a part of a log, and the damage in it.
///
/// A damaged record ends the scan, unless a later record says that the damaged one had been
/// durable: then the disk damaged it, and the records behind it count.
struct LogScan {
  /// What is found next.
  enum Finding {
    /// A sound record, and where it begins and ends in the log.
    case record(LogRecord, Range<Int>)
    /// Damage that is skipped.
    case damage(Range<Int>)
  }

  /// Where the last record that counts begins, and its first eight bytes.
  private(set) var last: LogMark?
  /// Where the last record that counts ends.
  private(set) var end: Int
  private(set) var skipped: [Range<Int>] = []
  /// Whether something other than zeros is behind `end`: a record that was never completed, or that
  /// a power cut took.
  private(set) var hasTail = false
  /// Whether sound records are behind `end`, which don't count since a record before them is
  /// damaged.
  private(set) var hasLaterRecords = false
  /// Whether the bytes at `end` are a sound record of a kind that this version doesn't know.
  private(set) var hasNewerRecord = false

  /// Reads records from bytes that begin at `start` of the log, and calls `body` for each finding.
  init(
    _ bytes: UnsafeRawBufferPointer, from start: Int, log id: UInt64, _ body: (Finding) -> Void
  ) {
    var position = 0
    // To look for the next sound record costs the length of whatever looks like one: bounded.
    var budget = 16 * bytes.count
    end = start
    while position < bytes.count {
      if let (record, next) = LogDecoder.record(bytes, at: position, log: id) {
        last = LogMark(
          of: UnsafeRawBufferPointer(rebasing: bytes[position...]), at: start + position)
        body(.record(record, start + position..<start + next))
        position = next
        end = start + next
      } else if LogRoom.isEmpty(UnsafeRawBufferPointer(rebasing: bytes[position...])) {
        return
      } else if LogDecoder.isNewerRecord(bytes, at: position, log: id) {
        hasNewerRecord = true
        return
      } else {
        let (next, isDurable) = Self.resumption(
          bytes, after: position, from: start, log: id, &budget)
        guard let next, isDurable else {
          hasTail = true
          hasLaterRecords = next != nil
          return
        }
        let range = start + position..<start + next
        skipped.append(range)
        body(.damage(range))
        position = next
      }
    }
  }

  /// Where the next sound record is after a damaged one, and whether that record, or one after it,
  /// says that the damaged one was durable.
  private static func resumption(
    _ bytes: UnsafeRawBufferPointer, after damage: Int, from start: Int, log id: UInt64,
    _ budget: inout Int
  ) -> (next: Int?, isDurable: Bool) {
    var first: Int?
    var position = damage + 1
    while position + LogEncoder.prefixSize <= bytes.count, budget > 0 {
      let length = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      budget -= 1
      if length >= LogEncoder.leastBody, length <= bytes.count - position - LogEncoder.prefixSize {
        budget -= length
        if let (record, next) = LogDecoder.record(bytes, at: position, log: id) {
          let found = first ?? position
          if record.durable >= start + found { return (found, true) }
          first = found
          position = next
          continue
        }
      }
      position += 1
    }
    return (first, false)
  }
}

/// A record that is known, by its place and its first eight bytes, which hold its checksum: if they
/// are different, the log was cut or overwritten.
struct LogMark: Equatable, Sendable {
  let offset: Int
  let prefix: UInt64

  init(of record: UnsafeRawBufferPointer, at offset: Int) {
    self.offset = offset
    prefix = record.loadUnaligned(as: UInt64.self)
  }
}
