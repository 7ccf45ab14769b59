import Foundation

/// Publishing the changes of the log, and keeping changes that wait for it in memory.
extension FileState {
  /// Keeps a change in memory until it can be joined.
  mutating func postpone(_ change: LogRecord.JoinedChange) {
    if waiting.isEmpty { ExitFlush.keep(table) }
    waiting.add(change)
  }

  /// Publishes changes by other processes, except for names with a newer waiting change.
  mutating func publish(_ changes: [EntryChange]) {
    guard !changes.isEmpty else { return }
    let wasWaiting = !waiting.isEmpty
    var edits: [String: Edit] = [:]
    for change in changes {
      if let own = waiting.byName[change.name] {
        if fold.isNewer(own) { continue }
        waiting.remove(change.name)
        drop(own)
      }
      edits[change.name] = Edit(entry: change.new)
    }
    table.commitExternal(edits)
    if wasWaiting, waiting.isEmpty { table.share(fold.entries.present) }
  }

  /// Publishes the last commits of the fold one by one, if memory has the entries before them.
  mutating func publishOneByOne(_ commits: [[EntryChange]]) {
    var entries = fold.values
    for change in commits.joined().reversed() { entries[change.name] = change.old }
    guard table.differences(from: entries).isEmpty else { return }
    for changes in commits { publish(changes) }
  }

  /// Publishes all differences between the fold, or a view of it, and memory. If readers see an
  /// edit of the property list that isn't merged yet, the merge does this, so that they don't see
  /// the old values again.
  mutating func publishAll(_ view: LogState? = nil) {
    if !propertyList.isUnmerged { publishAll((view ?? fold).values) }
  }

  /// Publishes all differences between these entries with the waiting changes, and memory.
  mutating func publishAll(_ entries: [String: PropertyListValue]) {
    var entries = entries
    for (name, change) in waiting.byName {
      if fold.isNewer(change) {
        entries[name] = change.edit.entry
      } else {
        waiting.remove(name)
        drop(change)
      }
    }
    table.commitExternal(table.differences(from: entries))
    table.share(fold.entries.present)
  }

  /// Reports a waiting change that is discarded, since the log has a newer change. If it was the
  /// last one, the suite is no longer retained for it.
  mutating func drop(_ change: LogRecord.JoinedChange) {
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
  mutating func countAndReport(_ failure: SuiteError) {
    fileHealth.count(failure)
    table.support.reportLater([failure])
  }

  /// Records that the record in the buffer couldn't be appended.
  mutating func noteFailedAppend(lacksSpace: Bool) {
    signature = nil
    waiting.noteFailure(of: buffer.bytes.count)
    if lacksSpace { log?.lacksSpace = true }
  }

  /// Records joined changes, which a property list that was saved before them doesn't undo.
  mutating func noteJoined(_ changes: [LogRecord.JoinedChange]) {
    for change in changes { propertyList.joined[change.name] = change.version }
    // If the file is known now, a later file was saved later, whatever its modification time.
    propertyList.mustCheck = true
  }

  /// Records that changes can be stored again.
  mutating func noteStored() {
    waiting.noteSuccess()
    fileHealth.end()
    forgetIssues()
  }

  /// Records that the property list isn't damaged, or no longer.
  mutating func noteSound() {
    if propertyList.damage == nil { return }
    propertyList.damage = nil
    forgetIssues()
  }

  /// Allows the issues about the file to be reported again, since a problem has ended.
  func forgetIssues() { table.support.reporter.forgetIssues(about: nil) }
}
