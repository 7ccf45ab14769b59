import Foundation

/// Replacing a log that is much longer than what it says.
extension FileStore {
  /// Writes a new log if the old one is more than twice as long as its checkpoint.
  ///
  /// The new log is written from the old file, without a lock and without memory of this process;
  /// then, with the lock, it gets what was appended since, and takes the old one's name.
  func compactIfDue(within patience: Duration? = nil) throws(SuiteError) {
    let due = state.withLock { state in
      state.isOutgrown ? state.log.map { ($0, state.places) } : nil
    }
    guard let (old, places) = due else { return }
    let bytes = try old.file.bytes(from: 0, to: old.offset)
    var past = PastChanges()
    let loaded = LoadedLog(bytes, path: places.journal.path) { past.add($0, $1) }
    // A damaged log is replaced by the next commit.
    guard loaded.isSound, loaded.end == old.offset else { return }
    let hasFile = try places.file.status() != nil
    var new = try places.journal.writing { () throws(POSIXError) in
      try NewLog(loaded.state, places, hasFile: hasFile, past: past.latest)
    }
    try new.synchronize()
    try withLog(.compacting, within: patience) { state throws(SuiteError) in
      guard let log = state.log, log.file === old.file else { return }
      let tail = try log.file.bytes(from: old.offset, to: log.offset)
      let records = old.scan(tail).findings.compactMap { finding -> LogRecord? in
        guard case .record(var record, _) = finding else { return nil }
        record.durable = 0
        return record
      }
      if !records.isEmpty {
        try places.journal.writing { () throws(POSIXError) in try new.append(records) }
        try new.synchronize()
      }
      guard let replaced = try new.replace(old.file) else { return }
      // As a reader of the new log folds it: it has not all of the removals that were in the old one.
      var fold = loaded.state.inNewLog
      for record in records { fold.apply(record) }
      state.follow(replaced, fold)
      old.file.lock.giveBack()
    }
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
