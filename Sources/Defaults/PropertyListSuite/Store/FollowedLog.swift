import Foundation

/// The log that a process follows, and the end of its folded records.
struct FollowedLog {
  let file: LogFile
  let header: LogHeader
  /// Everything before this offset is folded.
  var offset: Int
  /// The last record before the offset.
  private(set) var last: LogMark?
  /// The last record that was read, and the records since then, if sets have relied on the size.
  private(set) var unread: UnreadRecords?
  /// The end of the checkpoint at the beginning.
  let checkpointEnd: Int
  /// The size of the file, including room, when this process last held its lock.
  var size = 0
  /// Whether a part of the log is damaged.
  var isDamaged = false
  /// Whether records may be appended although the log has other names.
  var keepsNames = false
  /// Whether the last record couldn't be appended, since the disk, or a limit, had no space for it.
  var lacksSpace = false

  /// Whether the log is so long that it must be replaced.
  var isOutgrown: Bool {
    if offset > 1 << 16, offset > 2 * checkpointEnd { return true }
    let isFull = lacksSpace && offset > 4_096 || offset > Defaults.SizeLimit.journal / 2
    return isFull && offset > checkpointEnd + checkpointEnd / 4
  }

  /// Whether the log is so long that it must be replaced at once, even if the suite is busy.
  var isUrgent: Bool { offset > 1 << 22 && offset > 4 * checkpointEnd }

  /// The difference between the file and the folded records.
  enum Comparison {
    case upToDate
    /// There are records that aren't folded.
    case hasRecords
    /// The log was truncated or overwritten, so it doesn't continue the folded records.
    case overwritten
  }

  /// The length of the longest record that is compared completely.
  private static let longestChecked = 1_016

  /// Compares the file with the folded records.
  ///
  /// Reads the unread records. Then one read checks both the last record and the first bytes after
  /// it. Of a long record, only the beginning is checked, and another read gets the bytes after it.
  mutating func compare(size: Int, includingHeader: Bool = false) throws(SuiteError) -> Comparison {
    // Another program cut the log, or a process was killed in the middle of `LogFile.clear`.
    guard size >= max(offset, self.size) else { return .overwritten }
    if includingHeader {
      let start = try file.bytes(from: 0, to: LogHeader.size)
      guard start.withUnsafeBytes({ LogHeader($0) }) == header else { return .overwritten }
    }
    if let unread {
      let bytes = try file.bytes(from: unread.start, to: offset)
      guard bytes.withUnsafeBytes({ unread.areIn($0) }) else { return .overwritten }
      self.unread = nil
    }
    guard let last else { return .hasRecords }
    let length = offset - last.offset
    let checked = length <= Self.longestChecked ? length : LogEncoder.prefixSize
    let bytes = try file.bytes(from: last.offset, to: last.offset + checked + 8)
    let isLast = bytes.withUnsafeBytes { bytes in
      bytes.count >= checked && LogMark(in: bytes, at: 0, from: last.offset) == last
        && (checked < length || LogDecoder.body(bytes, at: 0, log: header.id) != nil)
    }
    guard isLast else { return .overwritten }
    let next =
      checked < length ? try file.bytes(from: offset, to: offset + 8)[...] : bytes[checked...]
    return next.withUnsafeBytes { LogRoom.isEmpty($0) } ? .upToDate : .hasRecords
  }

  /// Like ``compare(size:includingHeader:)``, under the lock of the log. Also notes the size.
  ///
  /// If `isQuick`, the size of a log without room is usually enough. See ``UnreadRecords`` for the
  /// exception, which the next check finds that isn't quick.
  mutating func compare(underLock size: Int, isQuick: Bool) throws(SuiteError) -> Comparison {
    if isQuick, !isDamaged, size == offset, size >= self.size, let last,
      offset - (unread?.start ?? last.offset) <= UnreadRecords.longest
    {
      self.size = size
      if unread == nil { unread = UnreadRecords(last) }
      return .upToDate
    }
    let found = try compare(size: size)
    self.size = size
    return found
  }

  /// Records whether another program cut the log between its last check and a write that made it
  /// longer, which hides that from the next check.
  private mutating func noteCut() {
    do throws(SuiteError) {
      if try compare(size: size) == .overwritten { isDamaged = true }
    } catch {
      // The next check finds out why the log can't be read.
    }
  }

  /// Continues after these records. The last of them is at a position.
  mutating func pass(_ records: UnsafeRawBufferPointer, last position: Int) {
    last = LogMark(in: records, at: position, from: offset)
    offset += records.count
  }

  /// Appends records. The last of them is at a position.
  mutating func append(
    _ records: UnsafeRawBufferPointer, last position: Int, flushed: Int
  ) throws(Errno) {
    try write(records, flushed: flushed)
    unread?.add(records)
    pass(records, last: position)
    lacksSpace = false
  }

  /// Writes records after the last record.
  ///
  /// If the log has room, they are written there. If they don't fit, room is added if the last KiBs
  /// were flushed; `flushed` is the end of the last flush, or 0. Without room, the records must go
  /// to the end of the file even if another program cuts it now: the next check then finds another
  /// size.
  private mutating func write(
    _ bytes: UnsafeRawBufferPointer, flushed: Int
  ) throws(Errno) {
    let end = offset + bytes.count
    do throws(Errno) {
      if end <= size { return try file.descriptor.writeAll(bytes, at: offset) }
      if flushed > 0, offset - flushed < LogRoom.size {
        size = try file.descriptor.writeAll(bytes, withRoomAt: offset)
      } else if offset == size {
        try file.descriptor.writeAll(bytes, at: offset, isAppending: true)
        size = end
        return
      } else {
        try file.descriptor.writeAll(bytes, at: offset)
        size = end
      }
      noteCut()
    } catch {
      // If the record is complete, because only zeros after it are missing or because there was
      // room for it, other processes may have read it. If that can't be found out, the write's own
      // error is thrown.
      guard let written = try? file.bytes(from: offset, to: offset + bytes.count),
        written.elementsEqual(bytes)
      else { throw error }
      size = max(size, end)
    }
  }
}
