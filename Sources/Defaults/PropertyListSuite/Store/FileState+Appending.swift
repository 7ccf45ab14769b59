import Synchronization
import Foundation

/// Appending records to the log and publishing their changes.
extension FileState {
  /// Stores the proposal of the current commit in the log, or in memory until the log can be
  /// written.
  mutating func record(_ proposal: Proposal, for commitment: Commitment) throws(SuiteError) {
    var edits = proposal.changes.map { LogRecord.Change(name: $0.name, edit: Edit(entry: $0.new)) }
    // Without the lock, an entry that was set to its current value may have been changed by another
    // process meanwhile, so the set isn't omitted.
    if !isLocked {
      edits += proposal.confirmed.map { name in
        LogRecord.Change(name: name, edit: Edit(entry: table.entry(named: name)))
      }
    }
    guard !edits.isEmpty else { return }
    try table.checkSize(with: proposal.changes, path: places.file.path)
    // A later change must not overtake waiting changes.
    if isLocked, waiting.isEmpty {
      do throws(SuiteError) {
        try append(.set(edits), committing: proposal.changes)
        if fileHealth.failures > 0 || fileHealth.lacksRights { noteStored() }
        return
      } catch {
        if commitment != .blind { throw error }
        note(error)
      }
    }
    let files = places.file.fileSystem
    let latest = files.omits(.versionMaximum) ? .zero : fold.horizon.latest
    let version = LogVersion(clock: LogVersion(files.now), after: max(latest, latestWaiting))
    for change in edits {
      wait(
        LogRecord.JoinedChange(
          name: change.name, edit: change.edit, version: version, writer: writer))
    }
    table.commit(proposal.changes)
  }

  /// Keeps a change in memory until it can be joined, unless a newer change of its name is waiting.
  mutating func wait(_ change: LogRecord.JoinedChange) {
    if waiting.isEmpty { ExitFlush.keep(table) }
    latestWaiting = max(latestWaiting, change.version)
    if let present = waiting[change.name], present.version > change.version { return }
    waiting[change.name] = change
  }

  /// Appends the waiting changes that are newer than the changes in the log.
  mutating func storeWaiting() throws(SuiteError) {
    let news = waiting.values.filter { fold.isNews($0) }
    let old = waiting.values.filter { !fold.isNews($0) }
    if !news.isEmpty {
      try append(.joined(news))
      noteJoined(news)
    }
    waiting = [:]
    for change in old { drop(change) }
    table.commitExternal(Dictionary(old.map { ($0.name, fold.current($0.name)) }) { $1 })
    table.share(fold.entries.present)
    noteStored()
    ExitFlush.release(table)
  }

  /// Appends a record to the locked log and applies it. Throws `unwritable` with the log unchanged.
  @discardableResult
  mutating func append(
    _ content: LogRecord.Content, committing own: [EntryTable.Change]? = nil
  ) throws(SuiteError) -> [EntryTable.Change] {
    guard let file = log?.file, let id = log?.header.id, let start = log?.offset else {
      throw SuiteError(.unwritable, SuiteError.journalProblem, path: places.journal.path)
    }
    let files = places.file.fileSystem
    let latest = files.omits(.versionMaximum) ? .zero : fold.horizon.latest
    let record = LogRecord(
      writer: writer, version: LogVersion(clock: LogVersion(files.now), after: latest),
      durable: durability.end, content: content)
    buffer.clear()
    for note in notes(before: record, log: id) { _ = buffer.append(note, log: id) }
    let mark = buffer.append(record, log: id)
    let bytes = buffer.bytes
    guard start + bytes.count <= record.limit else {
      signature = nil
      throw .outgrownJournal(places.journal.path, size: start)
    }
    do throws(POSIXError) {
      try log?.write(bytes)
    } catch {
      // For its readers, the log ends at an incomplete record. If that record can't be removed now,
      // the next process that appends removes it.
      try? file.empty(from: start, to: log?.size ?? start)
      signature = nil
      throw .unwritableJournal(places.journal.path, error)
    }
    log?.offset = start + bytes.count
    log?.last = LogMark(in: bytes, at: mark, from: start)
    exports.hasDuty = true
    return apply(record, committing: own)
  }

  /// Folds a record. A set of this process is also committed to memory: `own` are its changes.
  ///
  /// If memory has the entries of the fold, both change at once, in place, so that the entries stay
  /// stored only once.
  ///
  /// - Returns: The changes that weren't committed to memory.
  mutating func apply(
    _ record: LogRecord, committing own: [EntryTable.Change]? = nil
  ) -> [EntryTable.Change] {
    var (changes, isShared) = ([EntryTable.Change](), false)
    table.commit(own == nil ? .external : .local) { entries in
      isShared = waiting.isEmpty && entries.isCopy(of: fold.entries.present)
      // The fold then has the only copy, and changes it.
      if isShared { entries = .none }
      fold.apply(record) { if own == nil { changes.append($0) } }
      if isShared {
        entries = fold.entries.present
        return own ?? changes
      }
      for change in own ?? [] { entries[change.name] = change.new }
      return own ?? []
    }
    return isShared ? [] : changes
  }

  /// Ends the `hold` of the fold's entries.
  mutating func release() {
    table.commit(.local) { entries in
      let isShared = entries.isCopy(of: fold.entries.present)
      if isShared { entries = .none }
      fold.release()
      if isShared { entries = fold.entries.present } else { entries.release() }
      return []
    }
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
    if let origin = TaskContext.current.origin {
      notes.append(.origin(String(origin.prefix(100))))
    }
    return notes.map {
      LogRecord(writer: record.writer, version: record.version, content: .note($0))
    }
  }

  /// Publishes changes by other processes, except for names with a newer waiting change.
  mutating func publish(_ changes: [EntryTable.Change]) {
    guard !changes.isEmpty else { return }
    let wasWaiting = !waiting.isEmpty
    var edits: [String: Edit] = [:]
    for change in changes {
      if let own = waiting[change.name] {
        if fold.isNews(own) { continue }
        waiting[change.name] = nil
        drop(own)
      }
      edits[change.name] = Edit(entry: change.new)
    }
    table.commitExternal(edits)
    if wasWaiting, waiting.isEmpty { table.share(fold.entries.present) }
  }

  /// Publishes the last commits of the fold one by one, if memory has the entries before them.
  mutating func publish(_ commits: [[EntryTable.Change]]) {
    var entries = fold.values
    for change in commits.joined().reversed() { entries[change.name] = change.old }
    guard table.differences(from: entries).isEmpty else { return }
    for changes in commits { publish(changes) }
  }

  /// Publishes all differences between the fold and memory. If readers see an edit of the property
  /// list that isn't merged yet, the merge does this, so that they don't see the old values again.
  mutating func publishAll() {
    if file.isUnmerged { return }
    var entries = fold.values
    for (name, change) in waiting {
      if fold.isNews(change) {
        entries[name] = change.edit.entry
      } else {
        waiting[name] = nil
        drop(change)
      }
    }
    table.commitExternal(table.differences(from: entries))
    table.share(fold.entries.present)
  }

  /// Reports a waiting change that is discarded, since the log has a newer change.
  private mutating func drop(_ change: LogRecord.JoinedChange) {
    if waiting.isEmpty { ExitFlush.release(table) }
    guard change.edit != fold.current(change.name) else { return }
    noteDrop(
      "A change of \"\(escaped(change.name))\" that waited in memory was dropped: another process "
        + "changed the setting later")
  }

  /// Reports a change that is discarded, since a later change is stored.
  mutating func noteDrop(_ reason: String) {
    table.support.reportLater([SuiteError(.unwritable, reason, path: places.file.path)])
  }

  /// Counts and reports a failure to store a change.
  mutating func note(_ failure: SuiteError) {
    fileHealth.count(failure)
    table.support.reportLater([failure])
  }

  /// Records joined changes, which a property list that was saved before them doesn't undo.
  mutating func noteJoined(_ changes: [LogRecord.JoinedChange]) {
    for change in changes { file.joined[change.name] = change.version }
    // If the file is known now, a later file was saved later, whatever its modification time.
    file.mustCheck = true
  }

  /// Records that changes can be stored again.
  mutating func noteStored() {
    fileHealth.end()
    table.support.reporter.forgetIssues(about: nil)
  }
}

extension EntryTable {
  /// Throws if these changes would make the suite too large.
  ///
  /// - Complexity: O(*n*) in the size of the changes, independently of the other entries.
  func checkSize(with changes: [Change], path: String) throws(SuiteError) {
    var size = size
    for change in changes {
      if let value = change.old { size -= Entries.size(of: value, named: change.name) }
      if let value = change.new { size += Entries.size(of: value, named: change.name) }
    }
    let limit = Defaults.SizeLimit.suite
    guard size > limit else { return }
    throw SuiteError(
      .unrepresentable,
      "All entries together would take \(size >> 20) MiB, and the limit is \(limit >> 20). Remove "
        + "some, or keep large values in separate files",
      path: path)
  }
}

extension LogRecord {
  /// The maximum size of a log after this record. The records of an export must fit into a log to
  /// which no change can be appended, since only an export or a compaction makes it shorter.
  fileprivate var limit: Int {
    switch content {
    case .set, .joined: Defaults.SizeLimit.journal
    default: Defaults.SizeLimit.readableJournal - LogRoom.size
    }
  }
}

extension FollowedLog {
  /// Writes records after the last record, and adds room if they don't fit.
  fileprivate mutating func write(_ bytes: UnsafeRawBufferPointer) throws(POSIXError) {
    do throws(POSIXError) {
      if offset + bytes.count <= size {
        try file.file.writeAll(bytes, at: offset)
      } else {
        size = try file.file.writeAll(bytes, withRoomAt: offset)
      }
    } catch {
      // If the record is complete, because only zeros after it are missing or because there was
      // room for it, other processes may have read it. If that can't be found out, the write's own
      // error is thrown.
      guard let written = try? file.bytes(from: offset, to: offset + bytes.count),
        written.elementsEqual(bytes)
      else { throw error }
      size = max(size, offset + bytes.count)
    }
  }
}
