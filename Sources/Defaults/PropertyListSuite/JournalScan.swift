/// The records in a stretch of a journal, and what in it is none.
package struct JournalScan {
  package private(set) var records: [JournalRecord] = []
  /// Where each of them ends in the journal.
  private(set) var ends: [Int] = []
  /// Where the last of them begins, and its first eight bytes.
  private(set) var last: JournalMark?
  /// Where the last record ends that counts.
  private(set) var end: Int
  /// Damaged places that were skipped, because they had been on the disk already and so the disk
  /// is to blame: what comes after them counts.
  private(set) var skipped: [Range<Int>] = []
  /// Whether there is more than empty room after `end`: a record that wasn't written to its end,
  /// or that a power cut took, and all that followed it.
  private(set) var hasTail = false
  /// Whether there are sound records after `end`, which don't count because one before them is
  /// damaged.
  private(set) var hasLaterRecords = false
  /// Whether the bytes at `end` are a sound record of a kind that this version doesn't know.
  package private(set) var hasNewerRecord = false

  /// Reads records from `offset` on, in bytes that begin at `start` of the journal.
  ///
  /// A record that is damaged ends the reading, unless a later one says that it had been durable.
  package init(_ bytes: UnsafeRawBufferPointer, from start: Int, journal id: UInt64) {
    var position = 0
    // Looking costs the length of whatever looks like a record: bounded, whatever the bytes are.
    var budget = 16 * bytes.count
    end = start
    while position < bytes.count {
      if let (record, next) = JournalDecoder.record(bytes, at: position, journal: id) {
        records.append(record)
        last = JournalMark(
          of: UnsafeRawBufferPointer(rebasing: bytes[position...]), at: start + position)
        position = next
        end = start + next
        ends.append(end)
      } else if JournalRoom.isEmpty(UnsafeRawBufferPointer(rebasing: bytes[position...])) {
        return
      } else if JournalDecoder.isNewerRecord(bytes, at: position, journal: id) {
        hasNewerRecord = true
        return
      } else {
        let (next, isDurable) = Self.resumption(
          bytes, after: position, from: start, journal: id, &budget)
        guard let next, isDurable else {
          hasTail = true
          hasLaterRecords = next != nil
          return
        }
        skipped.append(start + position..<start + next)
        position = next
      }
    }
  }

  /// Where the next sound record is after a damaged one, and whether it, or one after it, says
  /// that the damaged one was durable.
  private static func resumption(
    _ bytes: UnsafeRawBufferPointer, after damage: Int, from start: Int, journal id: UInt64,
    _ budget: inout Int
  ) -> (next: Int?, isDurable: Bool) {
    var first: Int?
    var position = damage + 1
    while position + JournalEncoder.prefixSize <= bytes.count, budget > 0 {
      let length = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      budget -= 1
      if length >= JournalEncoder.leastBody,
        length <= bytes.count - position - JournalEncoder.prefixSize
      {
        budget -= length
        if let (record, next) = JournalDecoder.record(bytes, at: position, journal: id) {
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

extension JournalScan {
  /// What has to be said about damage.
  func problems(at path: String) -> [SuiteError] {
    var problems = skipped.map { range in
      SuiteError(
        .malformed,
        "The journal is damaged in bytes \(range.lowerBound)..<\(range.upperBound); the changes "
          + "there are lost, all others count",
        path: path)
    }
    if hasLaterRecords {
      problems.append(
        SuiteError(
          .malformed,
          "The journal is damaged from byte \(end) on; changes after it were never made durable "
            + "and don't count, since one before them is missing",
          path: path))
    }
    return problems
  }
}
