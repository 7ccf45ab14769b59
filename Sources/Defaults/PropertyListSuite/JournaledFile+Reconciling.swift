import Foundation

/// Making what is in the files the present state, where the journal isn't simply longer: another
/// one counts, it was cut off, or the file says more.
extension JournaledFile {
  /// Reads the file and the journal anew, and publishes what is different; what isn't stored yet
  /// stays as it is.
  func reload(_ state: inout State) throws(SuiteError) {
    let loaded = try LoadedSuite(places, onDamage: onDamage)
    // The folder is gone, which isn't somebody's wish to remove all settings.
    if loaded.journal == nil, loaded.history.base == .absent, state.journal.header != nil { return }
    publish(loaded, keeping: [], &state)
  }

  /// Takes in the file as it is, if somebody wrote it since it was read, and this process has heard
  /// of no journal: there is nothing that it could differ from.
  func takeInFile(_ state: inout State) throws(SuiteError) {
    let present = FileBase(try file.status())
    if state.history.isKnown(present) || state.file.damaged != nil { return }
    publish(try LoadedSuite(places, onDamage: onDamage), keeping: [], &state)
  }

  /// Makes what was loaded the present state of affairs, but for what is newer in memory: `names`,
  /// and what was set since.
  private func publish(_ loaded: LoadedSuite, keeping names: Set<String>, _ state: inout State) {
    var edits = table.differences(from: loaded.entries)
    var unsure: Set<String> = []
    if loaded.isForeign, !state.trouble.lacksRights {
      // What its writer changed is found out by who has the lock, and knows more generations.
      edits = edits.filter { !loaded.history.has($0.key) }
      unsure = Set(edits.keys)
      for name in loaded.history.names { edits[name] = loaded.history[name]?.edit }
    }
    for name in Array(state.backlog.names) {
      let course = loaded.history[name].flatMap { $0.isChange ? $0 : nil }
      let isNewer =
        course.map {
          state.backlog.outlasts(name, mark: $0.mark, lostPosition: $0.lostPosition)
        } ?? true
      if isNewer || names.contains(name) {
        edits[name] = nil
      } else {
        state.backlog.remove(name)
      }
    }
    if loaded.damaged != nil {
      // Memory is better than what there is in place of the file; the journal is as good as ever.
      edits = edits.filter { loaded.history.has($0.key) }
      state.trouble.problems += loaded.problems
    }
    table.commitExternal(edits)
    let journal = state.journal.file
    let generations = state.history.generations
    state.adopt(loaded)
    if state.history.generations.isEmpty { state.history.keep(generations) }
    // The lock is that of the opening that took it.
    if let journal, loaded.journal?.version.isSameFile(as: journal.version) == true {
      state.journal.file = journal
    }
    state.file.mustCheck = true
    state.file.unsure = unsure
    state.snapshots.changed = nil
  }

  /// Makes another journal the one that counts, or one that somebody cut off, with its lock.
  ///
  /// What the old one had behind `intact`, and the new one doesn't have, or has in an older form,
  /// is stored again: somebody may have flushed it. What others have written since stays. False if
  /// somebody took the new one away meanwhile.
  func reconcile(
    with journal: JournalFile, intact: Int, _ state: inout State
  ) throws(SuiteError) -> Bool {
    let loaded = try LoadedSuite(places, onDamage: onDamage)
    guard let header = loaded.header,
      loaded.journal?.version.isSameFile(as: journal.version) == true
    else { return false }
    let known = Lost(history: state.history, header: state.journal.header, intact: intact)
    let missing = known.missing(in: loaded.history, header)
    for (name, position) in missing where !state.backlog.has(name) {
      state.backlog.add(name, filed: Edit(entry: loaded.entries[name]), .lost(position: position))
    }
    state.journal.file = journal
    publish(loaded, keeping: Set(missing.map(\.name)), &state)
    state.journal.file = journal
    state.journal.isRoomKnown = false
    state.file.mustCheck = true
    return true
  }

  /// What was in a journal that was lost.
  private struct Lost {
    let history: JournalHistory
    /// nil: there was none.
    let header: JournalHeader?
    /// Before this place it is known to all.
    let intact: Int

    /// The names that the journal which counts now doesn't have, or not as new, and where they
    /// were.
    func missing(
      in other: JournalHistory, _ otherHeader: JournalHeader
    ) -> [(name: String, position: Int)] {
      guard let header else { return [] }
      let isSame = otherHeader.id == header.id
      let isNext = otherHeader.previous == header.id
      // It was restored by somebody who knew the journal before the one that was lost.
      let isBehind = other.isRestoration && otherHeader.previous == header.previous
      // Files were written that have what was in the journals between them.
      guard
        isSame || isNext || isBehind || otherHeader.previous == 0
          || history.bases.contains(otherHeader.base)
      else { return [] }
      return history.changes.compactMap { name, course in
        guard course.position > intact else { return nil }
        if let present = other[name], present.isChange, present.edit != course.edit {
          if let position = present.lostPosition, isNext || isBehind {
            if isNext, position >= course.position { return nil }
          } else if !isSame || present.position > intact {
            return nil
          }
        } else if other[name]?.isChange == true {
          return nil
        }
        return (name, course.position)
      }
    }
  }
}
