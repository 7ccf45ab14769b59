import Foundation

/// A log that is to replace one that is much longer than what it says.
struct LogCompaction {
  private let old: FollowedLog
  private let places: SuiteFiles
  private let loaded: LoadedLog
  private var new: NewLog

  /// Writes the new log from the old file, without a lock and without memory of this process; nil if
  /// the old one is damaged: the next commit replaces it.
  init?(of old: FollowedLog, at places: SuiteFiles) throws(SuiteError) {
    let bytes = try old.file.bytes(from: 0, to: old.offset)
    var past = PastChanges()
    let loaded = LoadedLog(bytes, path: places.journal.path) { past.add($0, $1) }
    guard loaded.isSound, loaded.end == old.offset else { return nil }
    let hasFile = try places.file.status() != nil
    new = try places.journal.writing { () throws(POSIXError) in
      try NewLog(loaded.state, places, hasFile: hasFile, past: past.latest)
    }
    try new.synchronize()
    (self.old, self.places, self.loaded) = (old, places, loaded)
  }

  /// Adds what was appended to the old log since, and gives the new one its name, with the lock of the
  /// old one. Returns the new log and its fold; nil if another one took the old one's name.
  mutating func replace(
    _ log: FollowedLog
  ) throws(SuiteError) -> (log: FollowedLog, fold: LogState)? {
    let tail = try log.file.bytes(from: old.offset, to: log.offset)
    let records = old.scan(tail).findings.compactMap { finding -> LogRecord? in
      guard case .record(var record, _) = finding else { return nil }
      record.durable = 0
      return record
    }
    if !records.isEmpty, !places.file.fileSystem.omits(.tailAtCompaction) {
      try places.journal.writing { () throws(POSIXError) in try new.append(records) }
      try new.synchronize()
    }
    guard let replaced = try new.replace(old.file) else { return nil }
    // As a reader of the new log folds it: it has not all of the removals that were in the old one.
    var fold = loaded.state.inNewLog
    for record in records { fold.apply(record) }
    return (replaced, fold)
  }
}

extension FileState {
  /// Whether the log is so long that it is to be replaced at once, however busy the suite is.
  var isUrgent: Bool {
    guard let log else { return false }
    return log.offset > 1 << 20 && log.offset > 4 * log.checkpointEnd
  }

  /// Whether the log is so long that it is to be replaced.
  var isOutgrown: Bool {
    guard let log else { return false }
    return log.offset > 1 << 16 && log.offset > 2 * log.checkpointEnd
  }
}
