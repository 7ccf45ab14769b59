/// The records in a part of a log, and its damage.
///
/// A damaged record ends the scan, unless a later record states that the damaged record was
/// durable. In that case the disk has damaged it, and the later records apply.
struct LogScan {
  /// The mark of the last record that applies.
  private(set) var last: LogMark?
  /// The end of the last record that applies.
  private(set) var end: Int
  private(set) var skipped: [Range<Int>] = []
  /// Whether bytes other than zeros follow `end`: an incomplete record, or a record that a power
  /// loss has damaged.
  private(set) var hasTail = false
  /// Whether valid records follow `end` that don't apply, since a record before them is damaged.
  private(set) var hasLaterRecords = false
  /// Whether the bytes at `end` are a valid record of a kind that this version doesn't know.
  private(set) var hasNewerRecord = false

  /// Reads records from bytes at offset `start` of the log.
  ///
  /// - Parameters:
  ///   - limit: A record is only `overwritten` if the next record begins before this offset of the
  ///     log, `keeps` returns false for the name of the entry, and no note precedes the record.
  ///   - record: Called with each other valid record and its range in the log.
  ///   - overwritten: Called with the version and the name of a change that the next record
  ///     overwrites.
  ///   - damage: Called for damage that is skipped.
  init(
    _ bytes: UnsafeRawBufferPointer, from start: Int, log id: UInt64,
    overwrittenBefore limit: Int = 0, keeps: (String) -> Bool = { _ in false },
    record: (LogRecord, Range<Int>) -> Void,
    overwritten: (LogVersion, String) -> Void = { _, _ in }, damage: () -> Void = {}
  ) {
    var position = 0
    // Bounds the search for the next valid record, which reads everything that looks like a record.
    var budget = 16 * bytes.count
    var isNoted = false
    end = start
    while position < bytes.count {
      if end < limit, !isNoted,
        let (version, name, next) = LogDecoder.overwritten(
          bytes, at: position, before: limit - start, log: id, keeps: keeps)
      {
        last = LogMark(in: bytes, at: position, from: start)
        overwritten(version, name)
        position = next
        end = start + next
      } else if let (found, next) = LogDecoder.record(bytes, at: position, log: id) {
        last = LogMark(in: bytes, at: position, from: start)
        record(found, start + position..<start + next)
        if case .note = found.content { isNoted = true } else { isNoted = false }
        position = next
        end = start + next
      } else if LogRoom.isEmpty(UnsafeRawBufferPointer(rebasing: bytes[position...])) {
        return
      } else if let body = LogDecoder.body(bytes, at: position, log: id),
        bytes[body.lowerBound] > LogDecoder.lastKind
      {
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
        skipped.append(start + position..<start + next)
        damage()
        position = next
      }
    }
  }

  /// Returns the position of the next valid record after a damaged record, and whether it or a
  /// later record states that the damaged record was durable.
  private static func resumption(
    _ bytes: UnsafeRawBufferPointer, after damage: Int, from start: Int, log id: UInt64,
    _ budget: inout Int
  ) -> (next: Int?, isDurable: Bool) {
    var first: Int?
    var position = damage + 1
    let limit = bytes.count - LogEncoder.prefixSize + 1
    while position < limit, budget > 0 {
      let length = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      budget -= 1
      if length >= LogDecoder.leastBody, length <= bytes.count - position - LogEncoder.prefixSize {
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
