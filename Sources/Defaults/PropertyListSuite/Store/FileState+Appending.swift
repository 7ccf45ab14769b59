import Foundation

/// Appending records to the locked log.
extension FileState {
  /// Appends a record to the locked log and applies it.
  ///
  /// - Returns: The changes that the caller must publish; none for a set of this process.
  /// - Throws: `unwritable`. Readers ignore an incomplete record, and the next append removes it.
  @discardableResult
  mutating func append(
    _ content: LogRecord.Content, committing own: [EntryChange]? = nil
  ) throws(SuiteError) -> [EntryChange] {
    guard let id = log?.header.id, let start = log?.offset else {
      throw SuiteError(.unwritable, SuiteError.journalProblem, path: places.journal.path)
    }
    let record = LogRecord(
      writer: writer, version: nextVersion(), durable: durability.end, content: content)
    buffer.clear()
    for note in notes(before: record, log: id) { _ = buffer.append(note, log: id) }
    let position = buffer.append(record, log: id)
    let bytes = buffer.bytes
    // The records of an export must fit into a log to which no change can be appended, since they
    // make it shorter.
    let limit =
      switch content {
      case .set, .joined: Defaults.SizeLimit.journal
      default: Defaults.SizeLimit.readableJournal - LogRoom.size
      }
    guard start + bytes.count <= limit else {
      noteFailedAppend(lacksSpace: true)
      throw .outgrownJournal(places.journal.path, size: start)
    }
    do throws(Errno) {
      try log?.append(bytes, last: position, flushed: durability.flushed)
    } catch {
      // For its readers, the log ends at an incomplete record. If that record can't be removed now,
      // the next process that appends removes it.
      try? log?.file.clear(from: start, to: log?.size ?? start)
      let problem = SuiteError.unwritableJournal(places.journal.path, error)
      noteFailedAppend(lacksSpace: problem.isLackOfSpace)
      throw problem
    }
    // The end of an export clears this again.
    exports.hasDuty = true
    guard let own else { return apply(record) }
    apply(record, committing: own)
    return []
  }

  /// Returns the notes for the history that belong before a record of this process.
  private mutating func notes(before record: LogRecord, log id: UInt64) -> [LogRecord] {
    guard case .set = record.content, PastChanges.areKept.load(ordering: .relaxed) else {
      return []
    }
    var notes: [LogRecord.Note] = []
    let changes = SecretNames.changes.load(ordering: .relaxed)
    if signature?.log != id || signature?.changes != changes {
      signature = (id, changes)
      notes.append(
        .signature(program: FileLocation.identifier, secrets: Array(table.support.secretNames)))
    }
    if let origin = TaskContext.originOfCommit {
      notes.append(.origin(String(origin.prefix(100))))
    }
    return notes.map {
      LogRecord(writer: record.writer, version: record.version, content: .note($0))
    }
  }

  func nextVersion(after waiting: LogVersion = .zero) -> LogVersion {
    let fileSystem = places.file.fileSystem
    let latest = fileSystem.omits(rule: .versionMaximum) ? .zero : fold.horizon.latest
    return LogVersion(clock: LogVersion(fileSystem.now), after: max(latest, waiting))
  }

  /// Appends the waiting changes that are newer than the changes in the log.
  mutating func storeWaiting() throws(SuiteError) {
    let newer = waiting.byName.values.filter { fold.isNewer($0) }
    let old = waiting.byName.values.filter { !fold.isNewer($0) }
    if !newer.isEmpty {
      // Memory already has these entries.
      try append(.joined(newer))
      noteJoined(newer)
    }
    waiting.removeAll()
    for change in old { drop(change) }
    table.commitExternal(Dictionary(old.map { ($0.name, fold.current($0.name)) }) { $1 })
    table.share(fold.entries.present)
    noteStored()
    ExitFlush.release(table)
  }

  /// Syncs the content of the locked log. A failure is recorded in the log, since the system
  /// reports it only once and only to this process.
  mutating func synchronizeLog(evenAfterFailure: Bool = false) throws(SuiteError) {
    guard let log else { return }
    do throws(Errno) {
      try log.file.synchronizeContent(evenAfterFailure: evenAfterFailure)
    } catch {
      durability.doubt()
      // If this can't be written, other processes don't learn of the failure.
      _ = try? append(.doubt)
      throw .unsyncedJournal(places.journal.path, error)
    }
  }

  /// Records in a locked log that there is a next log, which may be deleted, too, before other
  /// processes have opened it.
  mutating func markAbandoned(_ left: FollowedLog?) {
    guard left != nil else { return }
    let (followed, hasDuty) = (log, exports.hasDuty)
    log = left
    // Without the record, for example for lack of space, a process that finds neither this log nor
    // the next one at the path doesn't wait for another.
    _ = try? append(.abandoned)
    (log, exports.hasDuty) = (followed, hasDuty)
  }
}
