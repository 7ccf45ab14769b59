import Foundation

/// The content of a log: the fold after its records, and its damage.
///
/// A damaged record ends the log, unless a later record states that the damaged record was durable.
/// In that case the disk has damaged it, and the later records apply.
package struct LoadedLog {
  package enum Start: Equatable {
    case sound(LogHeader)
    /// The log is empty: its content never reached the disk, or the file system has no hard links,
    /// and the next commit writes it.
    case unwritten
    /// A later version of the library wrote the log.
    case later
    /// A prerelease version of the library wrote the log.
    case earlier
    case damaged
  }

  package private(set) var start: Start
  package private(set) var fold = LogState()
  /// The end of the last record that applies.
  package private(set) var end = 0
  package private(set) var recordCount = 0
  /// The mark of the last record that applies.
  private(set) var last: LogMark?
  private(set) var checkpointEnd = 0
  /// The problems to report.
  package private(set) var problems: [SuiteError] = []
  /// Whether bytes other than zeros follow `end`: an incomplete record, or a record that a power
  /// loss has damaged.
  package private(set) var hasTail = false
  /// The damaged ranges that are followed by records that apply.
  package private(set) var skipped: [Range<Int>] = []
  /// The names and versions of changes that follow damage.
  private(set) var changedAfterDamage: [String: LogVersion] = [:]
  /// Whether valid records follow `end`, or may follow it, that don't apply, since a record before
  /// them is damaged.
  package private(set) var hasLaterRecords = false

  /// Throws `unsupportedLog` or `unreadable` for a log of another version of the library.
  func checkVersion(at path: String) throws(SuiteError) {
    switch start {
    case .later:
      throw SuiteError(
        .unsupportedLog,
        "The journal was written by a newer version of this library and was left unchanged. Use a "
          + "program that was built with that version",
        path: path)
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

  /// Whether records are lost that come before others that apply, or that the checkpoint needs.
  var hasGaps: Bool { start == .damaged || header != nil && (!fold.isComplete || !skipped.isEmpty) }

  var header: LogHeader? { if case .sound(let header) = start { header } else { nil } }

  /// Reads a log until two readings find the same problems. Throws `unreadable` after 100 readings.
  ///
  /// A process may be writing: if a page is read before a record is written to it, and the next
  /// page after that, the log looks damaged.
  package static func read(
    _ path: String, _ reading: () throws(SuiteError) -> Self
  ) throws(SuiteError) -> Self {
    var before: [String]?
    return try Retry.upTo(100, orThrow: .restless(path)) { () throws(SuiteError) in
      let log = try reading()
      let reasons = log.problems.map(\.reason)
      defer { before = reasons }
      return reasons.isEmpty || reasons == before ? log : nil
    }
  }

  /// Folds all records. `body` is called with each record and the changes that it made. Of several
  /// changes of an entry in a row before the offset `limit`, it is called only with the last one,
  /// unless `keeps` returns true for the entry. Without a body, all such
  /// changes except the last are skipped.
  ///
  /// A log that `wasCut` is of this version: if another program cut it in its header, the next
  /// record can look like the header of another version.
  package init(
    _ bytes: [UInt8], path: String, wasCut: Bool = false, supersededBefore limit: Int = 0,
    _ body: ((LogRecord, [EntryChange]) -> Void)? = nil,
    keeps: (String) -> Bool = { _ in false }
  ) {
    let header = bytes.withUnsafeBytes { LogHeader($0) }
    guard let header else {
      start = bytes.withUnsafeBytes {
        if LogHeader.isLater($0), !wasCut { return .later }
        if LogHeader.isEarlier($0), !wasCut { return .earlier }
        return LogHeader.isUnwritten($0) ? .unwritten : .damaged
      }
      if start == .damaged { problems = [.damagedHeader(at: path)] }
      return
    }
    start = .sound(header)
    bytes.withUnsafeBytes {
      read($0, log: header.id, supersededBefore: body == nil ? .max : limit, body, keeps: keeps)
    }
    problems = damage(at: path)
    if !fold.isComplete, problems.isEmpty { problems = [.damagedHeader(at: path)] }
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer, log id: UInt64, supersededBefore limit: Int,
    _ body: ((LogRecord, [EntryChange]) -> Void)?, keeps: (String) -> Bool
  ) {
    // Bounds the search for the next valid record, which reads everything that looks like a record.
    var budget = 16 * bytes.count
    var (isNoted, verified) = (false, 0)
    end = LogHeader.size
    while end < bytes.count {
      if end < limit, !isNoted,
        let (version, name, next) = LogDecoder.superseded(
          bytes, at: end, before: limit, log: id, verified: &verified, keeps: keeps)
      {
        fold.applySuperseded(version, name)
        passRecord(in: bytes, to: next)
      } else if let (record, next) = LogDecoder.record(bytes, at: end, log: id) {
        let wasComplete = fold.isComplete
        if let body { body(record, fold.apply(record)) } else { fold.apply(record) { _ in } }
        if fold.isDamaged { changedAfterDamage.merge(record.versions) { $1 } }
        if fold.isComplete, !wasComplete { checkpointEnd = next }
        if case .note = record.content { isNoted = true } else { isNoted = false }
        passRecord(in: bytes, to: next)
      } else if LogRoom.isEmpty(UnsafeRawBufferPointer(rebasing: bytes[end...])) {
        return
      } else if LogDecoder.isUnknown(bytes, at: end, log: id) {
        start = .later
        return
      } else {
        // The damaged record was read, too.
        budget -= LogDecoder.prefix(bytes, at: end)?.body.count ?? 0
        let (next, isDurable, isLater) = Self.resumption(bytes, after: end, log: id, &budget)
        if isLater {
          start = .later
          return
        }
        guard let next, isDurable else {
          (hasTail, hasLaterRecords) = (true, next != nil)
          return
        }
        skipped.append(end..<next)
        fold.noteDamage()
        end = next
      }
    }
  }

  private mutating func passRecord(in bytes: UnsafeRawBufferPointer, to next: Int) {
    recordCount += 1
    last = LogMark(in: bytes, at: end, from: 0)
    end = next
  }

  /// Returns the position of the next valid record after a damaged record, whether it or a later
  /// record states that the damaged record was durable, and whether a record before that statement
  /// is of a kind that this version doesn't know. If the search takes too long, `next` is where it
  /// ended.
  private static func resumption(
    _ bytes: UnsafeRawBufferPointer, after damage: Int, log id: UInt64, _ budget: inout Int
  ) -> (next: Int?, isDurable: Bool, isLater: Bool) {
    var first: Int?
    var position = damage + 1
    // Usually, the length of the damaged record is right.
    if let end = LogDecoder.prefix(bytes, at: damage)?.body.upperBound,
      let next = LogDecoder.prefix(bytes, at: end)
    {
      budget -= next.body.count
      if LogDecoder.body(bytes, at: end, log: id) != nil { position = end }
    }
    let limit = bytes.count - LogEncoder.prefixSize + 1
    while position < limit {
      guard budget > 0 else { return (first ?? position, false, false) }
      budget -= 1
      if let body = LogDecoder.likelyBody(bytes, at: position, durableUpTo: position) {
        budget -= body.count
        if let (record, next) = LogDecoder.record(bytes, at: position, log: id) {
          let found = first ?? position
          if record.durable >= found { return (found, true, false) }
          first = found
          position = next
          continue
        }
        if LogDecoder.isUnknown(bytes, at: position, log: id) { return (first, false, true) }
      }
      position += 1
    }
    return (first, false, false)
  }

  /// Returns the errors to report about damaged bytes, and about later records that don't apply
  /// because of the damage.
  private func damage(at path: String) -> [SuiteError] {
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
          "The journal is damaged from byte \(end) on. The changes after this byte are ignored; "
            + "no record shows that they were ever synced",
          path: path))
    }
    return problems
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
  package var isComplete: Bool { header != nil && fold.isComplete }

  /// Returns the entries that a program reads from the log and the property list (nil if there is
  /// none).
  package func entries(
    with file: (content: [String: PropertyListValue], data: Data, stamp: FileVersion)?
  ) -> [String: PropertyListValue] {
    let identity = file.map { LogRecord.FileIdentity($0.data, stamp: $0.stamp) }
    guard fold.finding(identity) == .external else { return fold.values }
    var view = fold
    view.preview(
      file?.content ?? [:], identity, at: .max,
      keeping: changedAfterDamage.names(after: identity, now: .max))
    return view.values
  }
}
