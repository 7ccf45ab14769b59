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
