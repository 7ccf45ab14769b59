/// The records in a stretch of a journal, and what in it is none.
package struct JournalScan {
  package private(set) var records: [JournalRecord] = []
  /// Where each of them ends in the journal.
  private(set) var ends: [Int] = []
  /// Where the last of them begins, and its first eight bytes.
  private(set) var last: LogMark?
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
        last = LogMark(
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
    SuiteError.damagedJournal(path, skipped: skipped, ignoredFrom: hasLaterRecords ? end : nil)
  }
}

/// A journal as it lies there, for somebody who only looks at it: all of it, with what is wrong.
package struct JournalContents: Sendable {
  /// What can be said of the beginning.
  package enum Start: Sendable, Equatable {
    case sound(JournalHeader)
    /// It was made and never written: nothing in it was ever durable.
    case unwritten
    /// A later version of the library wrote it.
    case newer
    case damaged
  }

  package let start: Start
  package private(set) var records: [JournalRecord] = []
  /// Damaged places before records that count.
  package private(set) var skipped: [Range<Int>] = []
  /// Where the last record ends that counts.
  package private(set) var end = 0
  /// Whether there is something behind that, which isn't a whole record.
  package private(set) var hasTail = false
  /// Whether there are sound records behind damage, which don't count.
  package private(set) var hasLaterRecords = false
  private var history: JournalHistory?

  /// How many bytes a journal's header has.
  package static let headerSize = JournalEncoder.headerSize

  package init(_ bytes: [UInt8]) {
    let (start, scan) = bytes.withUnsafeBytes { bytes -> (Start, JournalScan?) in
      guard let header = JournalDecoder.header(bytes) else {
        if JournalDecoder.isNewer(bytes) { return (.newer, nil) }
        return (JournalHeader.isUnwritten(bytes) ? .unwritten : .damaged, nil)
      }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])
      let scan = JournalScan(rest, from: Self.headerSize, journal: header.id)
      return (scan.hasNewerRecord ? .newer : .sound(header), scan)
    }
    self.start = start
    guard let scan else { return }
    records = scan.records
    skipped = scan.skipped
    end = scan.end
    hasTail = scan.hasTail
    hasLaterRecords = scan.hasLaterRecords
    guard case .sound(let header) = start else { return }
    var history = JournalHistory(base: header.base)
    for (record, end) in zip(scan.records, scan.ends) { history.apply(record, end: end) }
    self.history = history
  }

  /// What a suite has whose file has these entries, and this status, nil where there is none.
  package func entries(
    over file: [String: PropertyListValue], _ status: FileStatus?
  ) -> [String: PropertyListValue] {
    guard var history else { return file }
    if status == nil { history.forgetGenerations() }
    return history.entries(over: file, isForeign: !history.isKnown(FileBase(status)))
  }

  /// When the file was written on which the journal builds; nil if there was none.
  package var began: FileTime? {
    if case .sound(let header) = start { header.base.version?.modified } else { nil }
  }
}
