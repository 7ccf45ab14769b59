import Foundation

/// A log that is written under a temporary name and renamed atomically.
struct NewLog {
  private let temporary: TemporaryFile
  private let place: StoredFile
  private let header: LogHeader
  /// The offset of the next record.
  private var end = LogHeader.size
  private var last: LogMark?
  private var checkpointEnd = 0

  /// Writes the checkpoint. This process holds the lock of the new log, which `temporary()` takes.
  init(
    _ state: LogState, _ places: SuiteFiles, past: PastChanges = PastChanges()
  ) throws(Errno) {
    let fileSystem = places.file.fileSystem
    place = places.journal
    temporary = try place.temporary()
    header = LogHeader(id: fileSystem.randomNumber())
    try temporary.file.takePermissions(
      of: fileSystem.permissionsIfPresent(of: places.file.path), forJournal: true)
    if try fileSystem.statusIfPresent(of: place.path, followingLinks: false)?.kind == .file {
      try temporary.file.takeAttributes(of: place.path, on: fileSystem)
    }
    let version = state.horizon.latest
    let latest = past.latest
    let records = state.checkpoint(past: latest).map {
      LogRecord(writer: 0, version: version, content: .checkpoint($0))
    }
    try append(past.notes(before: latest) + records)
    checkpointEnd = end
    // The header comes last, since a log without a header is invalid.
    try temporary.write(Data(header.bytes))
  }

  /// Appends records.
  mutating func append(_ records: [LogRecord]) throws(Errno) {
    var buffer = ByteWriter()
    var (start, offset) = (records.startIndex, 0)
    while start < records.endIndex {
      // A few records at a time, to limit the memory for a large log.
      let stop = min(start + 64, records.endIndex)
      for record in records[start..<stop] { offset = buffer.append(record, log: header.id) }
      let bytes = buffer.bytes
      try temporary.file.writeAll(bytes, at: end)
      last = LogMark(in: bytes, at: offset, from: end)
      end += bytes.count
      buffer.clear()
      start = stop
    }
  }

  /// Syncs the log.
  func synchronize() throws(SuiteError) {
    do throws(Errno) {
      try temporary.file.synchronize()
    } catch {
      throw .unsyncedJournal(place.path, error)
    }
  }

  /// Gives the log its name, unless a file has that name.
  ///
  /// If the file system has no hard links, this creates an empty log instead, since a rename would
  /// replace a log that another process creates meanwhile. The first process that locks the empty
  /// log replaces it.
  ///
  /// - Returns: The log, as opened under its temporary name; nil if another file has the name.
  @discardableResult
  func addName() throws(SuiteError) -> LogFile? {
    // Closing isn't sufficient: a child that is forked now keeps the file open until it calls exec.
    defer { temporary.file.letGo() }
    return try place.writing { () throws(Errno) in
      do throws(Errno) {
        return try temporary.addName(place.path) ? LogFile(temporary.file, at: place) : nil
      } catch {
        guard error.forbidsLink else { throw error }
      }
      do throws(Errno) {
        _ = try place.fileSystem.open(place.path, .create)
      } catch {
        guard error.code == .EEXIST else { throw error }
      }
      return nil
    }
  }

  /// Replaces the locked log with this one; nil if the locked log is no longer at its path.
  func replace(_ old: LogFile) throws(SuiteError) -> FollowedLog? {
    try place.writing { () throws(Errno) -> FollowedLog? in
      guard try temporary.take(place.path, replacing: { $0.isSameFile(as: old.version) }) else {
        return nil
      }
      do throws(Errno) {
        try temporary.remove()
      } catch {
        // A later opening removes the name. After a rename instead of an exchange, there is none.
      }
      return FollowedLog(
        file: try LogFile(temporary.file, at: place), header: header, offset: end, last: last,
        checkpointEnd: checkpointEnd, size: end)
    }
  }
}
