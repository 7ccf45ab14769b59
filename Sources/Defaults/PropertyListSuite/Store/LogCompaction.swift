import Foundation

/// The replacement of a log that is much longer than its checkpoint.
struct LogCompaction {
  private let old: FollowedLog
  private let places: SuiteFiles
  /// The state of the new log for a reader, which lacks some removals of the old log.
  private var fold: LogState
  private let past: PastChanges
  private var new: NewLog

  /// Writes the new log from the old file, without a lock and independently of this process's
  /// state. Returns nil if the old log was damaged after this process had read it.
  ///
  /// If `secrets` is nil, the history is dropped. Otherwise, it is kept without the values of these
  /// names.
  init?(
    of old: FollowedLog, at places: SuiteFiles, hiding secrets: Set<String>?
  ) throws(SuiteError) {
    let bytes = try old.file.bytes(from: 0, to: old.offset)
    var past = PastChanges()
    let loaded = LoadedLog(
      bytes, path: places.journal.path, supersededBefore: old.offset - PastChanges.fullyKeptSize,
      secrets == nil ? nil : { past.add($0, $1) })
    guard loaded.isSound, loaded.end == old.offset else { return nil }
    if let secrets { past.secrets.formUnion(secrets) }
    // Not in `replace`, which runs under the lock, since this copies the stamps of all entries.
    let fold = loaded.state.inNewLog
    new = try places.journal.writing { () throws(POSIXError) in
      try NewLog(fold, places, past: past)
    }
    try new.synchronize()
    (self.old, self.places, self.fold, self.past) = (old, places, fold, past)
  }

  /// Adds the records that were appended meanwhile, and renames the new log, under the lock of the
  /// old log. Returns the new log and its fold; nil if another log has the old log's name.
  mutating func replace(
    _ log: FollowedLog
  ) throws(SuiteError) -> (log: FollowedLog, fold: LogState)? {
    let tail = try log.file.bytes(from: old.offset, to: log.offset)
    var (records, position) = ([LogRecord](), 0)
    tail.withUnsafeBytes { bytes in
      while let (found, next) = LogDecoder.record(bytes, at: position, log: old.header.id) {
        var record = found
        record.durable = 0
        records.append(record)
        position = next
      }
    }
    // The disk has damaged the old log.
    guard position == tail.count else { return nil }
    if !records.isEmpty, !places.file.fileSystem.omits(.tailAtCompaction) {
      try places.journal.writing { () throws(POSIXError) in
        try new.append(past.signatures(of: Set(records.map(\.writer))) + records)
      }
      try new.synchronize()
    }
    guard let replaced = try new.replace(old.file) else { return nil }
    for record in records { fold.apply(record) }
    return (replaced, fold)
  }
}
