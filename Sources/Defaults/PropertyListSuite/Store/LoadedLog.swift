import Foundation

/// The content of a complete log.
package struct LoadedLog {
  package enum Start: Equatable {
    case sound(LogHeader)
    /// The log was created, but its content never reached the disk.
    case unwritten
    /// A later version of the library wrote the log.
    case later
    /// A prerelease version of the library wrote the log.
    case earlier
    case damaged
  }

  package let start: Start
  package private(set) var state = LogState()
  package private(set) var end = 0
  package private(set) var recordCount = 0
  private(set) var last: LogMark?
  private(set) var checkpointEnd = 0
  /// The problems to report.
  private(set) var problems: [SuiteError] = []
  /// Whether an incomplete record follows the last valid record.
  package private(set) var hasTail = false
  /// The damaged ranges that are followed by records that apply.
  package private(set) var skipped: [Range<Int>] = []
  /// The names and versions of changes that follow damage.
  private(set) var late: [String: LogVersion] = [:]
  /// Whether valid records follow `end` that don't apply, since a record before them is damaged.
  package private(set) var hasLaterRecords = false

  /// Throws `unsupportedLog` or `unreadable` for a log of another version of the library.
  func checkVersion(at path: String) throws(SuiteError) {
    switch start {
    case .later: throw .newerJournal(at: path)
    case .earlier:
      throw SuiteError(
        .unreadable,
        "The journal was written by a prerelease version of this library and was left unchanged. "
          + "Save its settings with a program that was built with that version, then delete the "
          + "journal",
        path: path)
    case .sound, .unwritten, .damaged: break
    }
  }

  /// Whether everything in the log applies: its checkpoint is complete, and nothing is damaged.
  var isSound: Bool { header != nil && problems.isEmpty }

  var header: LogHeader? { if case .sound(let header) = start { header } else { nil } }

  /// Folds all records. `body` is called with each record and the changes that it made. Of several
  /// changes of an entry in a row before the offset `limit`, it is called only with the last one,
  /// unless `keeps` returns true for the entry. Without a body, the others aren't folded anywhere.
  package init(
    _ bytes: [UInt8], path: String, overwrittenBefore limit: Int = 0,
    _ body: ((LogRecord, [EntryTable.Change]) -> Void)? = nil,
    keeps: (String) -> Bool = { _ in false }
  ) {
    let header = bytes.withUnsafeBytes { LogHeader($0) }
    guard let header else {
      start = bytes.withUnsafeBytes {
        if LogHeader.isLater($0) { return .later }
        if LogHeader.isEarlier($0) { return .earlier }
        return LogHeader.isUnwritten($0) ? .unwritten : .damaged
      }
      if start == .damaged { problems = [.damagedHeader(at: path)] }
      return
    }
    var (state, checkpointEnd, count, late) = (LogState(), 0, 0, [String: LogVersion]())
    let scan = bytes.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[LogHeader.size...])
      return LogScan(
        rest, from: LogHeader.size, log: header.id, overwrittenBefore: body == nil ? .max : limit,
        keeps: keeps
      ) { record, range in
        count += 1
        let wasComplete = state.isComplete
        if let body { body(record, state.apply(record)) } else { state.apply(record) { _ in } }
        if state.isDamaged { late.merge(record.versions) { $1 } }
        if state.isComplete, !wasComplete { checkpointEnd = range.upperBound }
      } overwritten: { version, name in
        count += 1
        state.applyOverwritten(version, name)
      } damage: {
        state.noteDamage()
      }
    }
    start = scan.hasNewerRecord ? .later : .sound(header)
    problems = scan.problems(at: path)
    if !state.isComplete, problems.isEmpty { problems = [.damagedHeader(at: path)] }
    self.state = state
    self.checkpointEnd = checkpointEnd
    recordCount = count
    self.late = late
    (end, last, hasTail) = (scan.end, scan.last, scan.hasTail)
    (skipped, hasLaterRecords) = (scan.skipped, scan.hasLaterRecords)
  }

  /// Returns the log for following it further.
  func followed(in file: LogFile) -> FollowedLog? {
    header.map {
      FollowedLog(
        file: file, header: $0, offset: end, last: last, checkpointEnd: checkpointEnd,
        isDamaged: !isSound)
    }
  }
}

extension LoadedLog {
  /// Whether the log has all entries.
  package var isComplete: Bool { header != nil && state.isComplete }

  /// Returns the entries that a program reads from the log and the property list (nil if there is
  /// none).
  package func entries(
    with file: (content: [String: PropertyListValue], data: Data, stamp: FileVersion)?
  ) -> [String: PropertyListValue] {
    let identity = file.map { LogRecord.FileIdentity($0.data, stamp: $0.stamp) }
    guard state.finding(identity) == .external else { return state.values }
    var view = state
    view.merge(file?.content ?? [:], identity, keeping: late.names(after: identity, now: .max))
    return view.values
  }
}

extension LogScan {
  /// Returns the errors to report about damaged bytes, and about later records that don't apply
  /// because of the damage.
  func problems(at path: String) -> [SuiteError] {
    var problems = skipped.map { range in
      SuiteError(
        .malformed,
        "The journal is damaged in bytes \(range.lowerBound)..<\(range.upperBound). The changes "
          + "in these bytes are lost; all other changes were read",
        path: path)
    }
    if hasLaterRecords {
      problems.append(
        SuiteError(
          .malformed,
          "The journal is damaged from byte \(end) on. The changes after this byte were "
            + "never synced and are ignored",
          path: path))
    }
    return problems
  }
}
