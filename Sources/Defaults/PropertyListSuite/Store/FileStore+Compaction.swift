import Foundation
import Synchronization

/// The replacement of a log that is much longer than its checkpoint.
extension FileStore {
  /// Replaces the log by a shorter one if it `isOutgrown`, unless another process may do this.
  func compactIfDue(within timeout: Duration?) throws(SuiteError) {
    let due = state.withLock { state in
      state.isRivalBusy ? nil : state.log.map { ($0, state.places) }
    }
    guard let (old, places) = due, old.isOutgrown else { return }
    // The new log is written without a lock, except for the records that are appended meanwhile.
    guard var start = try compacted(old) else {
      state.withLock { state in
        guard state.log?.file === old.file else { return }
        state.log?.isDamaged = true
        table.support.reportLater([
          SuiteError(
            .malformed,
            "The journal was damaged after it was read, and is written again with all settings",
            path: places.journal.path)
        ])
      }
      // Every commit replaces a damaged log.
      return try commitNothing(.maintenance, within: timeout)
    }
    // Without space, the changes that wait are more important than the history.
    if old.lacksSpace { start.past.forgetChanges() }
    var new = try places.journal.writing { () throws(Errno) in
      try NewLog(start.fold, places, past: start.past)
    }
    try new.synchronize()
    try withLog(.maintenance, within: timeout) { state throws(SuiteError) in
      guard let log = state.log, log.file === old.file else { return }
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
      // Otherwise the old log was damaged or cut, which the next commit finds.
      guard position == log.offset - old.offset else { return }
      if !records.isEmpty, !places.file.fileSystem.omits(rule: .tailAtCompaction) {
        try places.journal.writing { () throws(Errno) in
          try new.append(start.past.signatures(of: Set(records.map(\.writer))) + records)
        }
        try new.synchronize()
      }
      guard let replaced = try new.replace(old.file) else { return }
      state.markAbandoned(log)
      for record in records { start.fold.apply(record) }
      let entries = state.fold.entries.present
      state.switchLog(to: replaced, start.fold, over: old.file)
      state.fold.share(entries)
    }
  }

  /// Reads the old file, independently of this process's state. Returns the state of the new log
  /// for a reader, which lacks some removals of the old log, and the history; nil if the old log
  /// was damaged after this process had read it.
  private func compacted(
    _ old: FollowedLog
  ) throws(SuiteError) -> (fold: LogState, past: PastChanges)? {
    let secrets = PastChanges.areKept.load(ordering: .relaxed) ? table.support.secretNames : nil
    var past = PastChanges()
    let loaded = LoadedLog(
      try old.file.bytes(from: 0, to: old.offset), path: old.file.place.path,
      supersededBefore: old.offset - PastChanges.fullyKeptSize,
      secrets == nil ? nil : { past.add($0, $1) })
    guard loaded.isSound, loaded.end == old.offset else { return nil }
    if let secrets { past.secrets.formUnion(secrets) }
    // Not under the lock, since this copies the stamps of all entries.
    return (loaded.fold.inNewLog, past)
  }
}
