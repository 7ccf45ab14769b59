/// Folding the records that other processes append to the followed log.
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
    guard let id = log?.header.id, let start = log?.offset else { return (0, 0) }
    var (count, end, last) = (0, 0, 0)
    while true {
      let next: Int
      if let old = LogDecoder.superseded(bytes, at: end, log: id, keeps: table.isAwaited) {
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
    log?.offset = start + end
    log?.last = LogMark(in: bytes, at: last, from: start)
    return (count, end)
  }
}
