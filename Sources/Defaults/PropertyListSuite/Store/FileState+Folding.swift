/// Folding the records of the followed log, which other processes or this one append.
extension FileState {
  /// The number of bytes that are read first. Usually, only one record is new.
  private static let firstRead = 4_096

  /// Reads and folds the valid records after the last folded record, until about `most` bytes were
  /// read. This requires no lock of the log, since other processes only append.
  ///
  /// - Returns: The number of records, and whether anything but zeros follows: further records,
  ///   damage, an incomplete record, or an earlier end of the file than `size`.
  @discardableResult
  mutating func foldRecords(
    upTo size: Int, most: Int = .max
  ) throws(SuiteError) -> (count: Int, hasRest: Bool) {
    var (count, length, total) = (0, Self.firstRead, 0)
    while let log, log.offset < size {
      if total > most { return (count, true) }
      let start = log.offset
      let bytes = try log.file.bytes(from: start, to: min(size, start + length))
      let (new, rest, isEmpty) = bytes.withUnsafeBytes { bytes in
        let (new, end) = foldRecords(bytes)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
        return (new, rest.count, LogRoom.isEmpty(rest))
      }
      count += new
      total += bytes.count
      // A record can begin with a few zeros, and the bytes may end in the middle of a record.
      if isEmpty, rest >= LogEncoder.prefixSize { break }
      guard bytes.count == length else {
        // If there are fewer bytes than the size promises, the log was cut since the size was read.
        return (count, !isEmpty || bytes.count < min(size - start, length))
      }
      length = new > 0 ? max(length, 1 << 16) : 16 * length
    }
    return (count, false)
  }

  /// Folds the valid records at the beginning of bytes after the last folded record. Returns their
  /// number and end.
  private mutating func foldRecords(_ bytes: UnsafeRawBufferPointer) -> (count: Int, end: Int) {
    guard let id = log?.header.id else { return (0, 0) }
    var (count, end, last, verified) = (0, 0, 0, 0)
    while true {
      let next: Int
      if let old = LogDecoder.superseded(
        bytes, at: end, log: id, verified: &verified, keeps: table.isAwaited)
      {
        fold.applySuperseded(old.version, old.name)
        next = old.end
      } else if let read = LogDecoder.record(bytes, at: end, log: id) {
        publish(apply(read.record))
        next = read.end
      } else {
        break
      }
      (count, last, end) = (count + 1, end, next)
    }
    guard count > 0 else { return (0, 0) }
    log?.pass(UnsafeRawBufferPointer(rebasing: bytes[..<end]), last: last)
    return (count, end)
  }

  /// Folds a record.
  ///
  /// - Returns: The changes that the caller must publish; none if memory shares the entries.
  mutating func apply(_ record: LogRecord) -> [EntryChange] {
    var (changes, isShared) = ([EntryChange](), false)
    table.commitInPlace(.external) { entries in
      isShared = fold(record, into: &entries) { changes.append($0) }
      return isShared ? changes : []
    }
    return isShared ? [] : changes
  }

  /// Folds a set of this process and commits its changes to memory.
  mutating func apply(_ record: LogRecord, committing own: [EntryChange]) {
    table.commitInPlace(.local) { entries in
      if !fold(record, into: &entries, { _ in }) {
        for change in own { entries[change.name] = change.new }
      }
      return own
    }
  }

  /// Folds a record. If memory has the entries of the fold, both change at once, in place, so that
  /// the entries stay stored only once.
  ///
  /// - Returns: Whether memory shares the entries.
  private mutating func fold(
    _ record: LogRecord, into entries: inout Entries, _ note: (EntryChange) -> Void
  ) -> Bool {
    let isShared = waiting.isEmpty && entries.isCopy(of: fold.entries.present)
    // The fold then has the only copy, and changes it.
    if isShared { entries = .none }
    fold.apply(record, note)
    if isShared { entries = fold.entries.present }
    return isShared
  }
}
