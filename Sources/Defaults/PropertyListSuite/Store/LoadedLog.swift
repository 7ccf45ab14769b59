/// What a log says, from its first byte to its last.
package struct LoadedLog {
  enum Start: Equatable {
    case sound(LogHeader)
    /// The log was created, and never written to the disk.
    case unwritten
    /// Another version of the library wrote it.
    case otherVersion
    case damaged
  }

  let start: Start
  private(set) var state = LogState()
  private(set) var end = 0
  package private(set) var recordCount = 0
  private(set) var last: LogMark?
  private(set) var checkpointEnd = 0
  /// What has to be reported.
  private(set) var problems: [SuiteError] = []
  /// Whether an incomplete record is behind the last one.
  private(set) var hasTail = false

  /// Whether everything in the log counts: its checkpoint is complete, and nothing is damaged.
  var isSound: Bool {
    guard case .sound = start else { return false }
    return state.isComplete && problems.isEmpty
  }

  /// Whether this version of the library knows all of it, as far as it is sound.
  package var isReadable: Bool { header != nil }

  /// The entries.
  package var values: [String: Defaults.PropertyListValue] { state.values }

  package init(_ bytes: [UInt8], path: String) { self.init(bytes, path: path) { _, _ in } }

  var header: LogHeader? {
    if case .sound(let header) = start { header } else { nil }
  }

  /// Folds all records. `body`: called with each one, and the entries that it changed.
  init(
    _ bytes: [UInt8], path: String, _ body: (LogRecord, [LogState.Effect]) -> Void
  ) {
    let header = bytes.withUnsafeBytes { LogHeader($0) }
    guard let header else {
      let (isOther, isUnwritten) = bytes.withUnsafeBytes {
        (LogHeader.isOfOtherVersion($0), LogHeader.isUnwritten($0))
      }
      start = isOther ? .otherVersion : isUnwritten ? .unwritten : .damaged
      if start == .damaged { problems = [.damagedHeader(at: path)] }
      return
    }
    var (state, checkpointEnd, count) = (LogState(), 0, 0)
    let scan = bytes.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[LogHeader.size...])
      return LogScan(rest, from: LogHeader.size, log: header.id) { finding in
        switch finding {
        case .record(let record, let range):
          count += 1
          let wasComplete = state.isComplete
          body(record, state.apply(record))
          if state.isComplete, !wasComplete { checkpointEnd = range.upperBound }
        case .damage: state.noteDamage()
        }
      }
    }
    start = scan.hasNewerRecord ? .otherVersion : .sound(header)
    problems = scan.problems(at: path)
    if !state.isComplete, problems.isEmpty { problems = [.damagedHeader(at: path)] }
    self.state = state
    self.checkpointEnd = checkpointEnd
    recordCount = count
    (end, last, hasTail) = (scan.end, scan.last, scan.hasTail)
  }

  /// The log, to go on with.
  func followed(in file: JournalFile) -> FollowedLog? {
    header.map {
      FollowedLog(
        file: file, header: $0, offset: end, last: last, checkpointEnd: checkpointEnd,
        isDamaged: !isSound)
    }
  }
}

extension LogScan {
  /// What has to be reported about damage.
  func problems(at path: String) -> [SuiteError] {
    SuiteError.damagedJournal(path, skipped: skipped, ignoredFrom: hasLaterRecords ? end : nil)
  }
}
