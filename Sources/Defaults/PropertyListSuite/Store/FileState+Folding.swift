/// Folding the records that other processes append to the followed log.
extension FileState {
  /// Folds the records that other processes appended to the followed, locked log.
  mutating func follow(to size: Int) throws(SuiteError) {
    // Not `guard let log`, which would copy it.
    guard let file = log?.file, let news = try log?.news(size: size) else { return }
    log?.size = size
    switch news {
    case .none: break
    case .records where places.file.fileSystem.omits(.foldBeforeAppend): break
    case .records: try foldRest(size: size, isInPlace: true)
    case .overwritten: try adopt(file)
    }
  }

  /// Folds the records of other processes in the locked log, which wasn't overwritten. If the log
  /// is in place, an incomplete record at its end is removed.
  mutating func foldRest(size: Int, isInPlace: Bool) throws(SuiteError) {
    guard try foldRecords(upTo: size).hasRest, let log = self.log else { return }
    // If the log lost its end, the property list may be an export that it no longer knows. Its
    // entries are older than the next record.
    file.mustCheck = true
    let scan = log.scan(try log.file.bytes(from: log.offset, to: size)) { record in
      publish(apply(record))
      if fold.isDamaged { file.joined.merge(record.versions) { $1 } }
    } damage: {
      fold.noteDamage()
    }
    self.log?.offset = scan.end
    if let last = scan.last { self.log?.last = last }
    if scan.hasNewerRecord { throw .newerJournal(at: places.journal.path) }
    let problems = scan.problems(at: places.journal.path)
    table.support.reportLater(problems)
    guard problems.isEmpty else {
      // The log stays unchanged until it was quarantined and replaced.
      self.log?.isDamaged = true
      return
    }
    guard scan.hasTail, isInPlace else { return }
    // The removal must be durable before anything is appended, since the removed record must not
    // reappear after a new record.
    try log.file.empty(from: scan.end, to: size)
    try synchronizeLog()
  }

  /// The number of bytes that are read first. Usually, only one record is new.
  private static let glance = 4_096

  /// Reads and folds the valid records after the last folded record, until about `most` bytes were
  /// read. This requires no lock of the log, since other processes only append.
  ///
  /// - Returns: The number of records, and whether anything but zeros follows: further records,
  ///   damage, or an incomplete record.
  @discardableResult
  mutating func foldRecords(
    upTo size: Int, most: Int = .max
  ) throws(SuiteError) -> (count: Int, hasRest: Bool) {
    var (count, length, total) = (0, Self.glance, 0)
    while let log, log.offset < size {
      if total > most { return (count, true) }
      let bytes = try log.file.bytes(from: log.offset, to: min(size, log.offset + length))
      let (new, rest, isEmpty) = bytes.withUnsafeBytes { bytes in
        let (new, end) = foldRecords(bytes)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
        return (new, rest.count, LogRoom.isEmpty(rest))
      }
      count += new
      total += bytes.count
      // A record can begin with a few zeros, and the bytes may end in the middle of a record.
      if isEmpty, rest >= LogEncoder.prefixSize { break }
      guard bytes.count == length else { return (count, !isEmpty) }
      length = new > 0 ? max(length, 1 << 16) : 16 * length
    }
    return (count, false)
  }

  /// Folds the valid records at the beginning of bytes after the last folded record. Returns their
  /// number and end.
  private mutating func foldRecords(_ bytes: UnsafeRawBufferPointer) -> (count: Int, end: Int) {
    guard let id = log?.header.id, let start = log?.offset else { return (0, 0) }
    var (count, end, last) = (0, 0, 0)
    var changes: [EntryTable.Change] = []
    var (isAtEnd, isShared) = (false, true)
    while !isAtEnd {
      table.commitExternal { entries, commit in
        isShared = waiting.isEmpty && entries.isCopy(of: fold.entries.present)
        guard isShared else { return }
        // The fold then has the only copy, and changes it.
        entries = .none
        for _ in 0..<table.batchSize {
          if let (version, name, next) = LogDecoder.overwritten(
            bytes, at: end, log: id, keeps: table.isAwaited)
          {
            fold.applyOverwritten(version, name)
            (count, last, end) = (count + 1, end, next)
            continue
          }
          guard let (record, next) = LogDecoder.record(bytes, at: end, log: id) else {
            isAtEnd = true
            break
          }
          changes.removeAll(keepingCapacity: true)
          fold.apply(record) { changes.append($0) }
          commit(changes)
          (count, last, end) = (count + 1, end, next)
        }
        entries = fold.entries.present
      }
      if isShared { continue }
      guard let (record, next) = LogDecoder.record(bytes, at: end, log: id) else { break }
      publish(apply(record))
      (count, last, end) = (count + 1, end, next)
    }
    guard count > 0 else { return (0, 0) }
    log?.offset = start + end
    log?.last = LogMark(in: bytes, at: last, from: start)
    return (count, end)
  }
}
