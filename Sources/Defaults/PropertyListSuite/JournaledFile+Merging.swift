import Foundation

/// Merging a file that somebody else wrote: an editor, another program, an older copy.
extension JournaledFile {
  /// Takes in the file if somebody else wrote it, name by name; needs the lock.
  func mergeFile(_ state: inout State) throws(SuiteError) {
    let present = FileBase(try file.status())
    if state.knows(present) {
      state.file.mustCheck = false
      return
    }
    let content = try file.read()
    let theirs: [String: PropertyListValue]
    do {
      theirs = try content.map { try Defaults.PropertyListFormat.decode($0.data).entries } ?? [:]
    } catch {
      state.file.damaged = content?.version
      state.file.mustCheck = false
      state.trouble.problems.append(
        SuiteError(
          .malformed,
          "Somebody wrote the file, and it is damaged (\(error)). The settings stay as they were; "
            + (onDamage == .throw
              ? "mend it, for it isn't saved before" : "the next save sets it aside"),
          path: file.path, underlying: error))
      return
    }
    let base = FileBase(content)
    let isPutBack = content?.isPutBack(after: state.history, previous: try? places.backup) ?? false
    try merge(theirs, base, isPutBack: isPutBack, &state)
    state.file.damaged = nil
    state.file.revision += 1
    state.file.mustCheck = !state.history.isKnown(base)
  }

  /// Commits what the writer of a foreign file changed in the one that he started from, and says in
  /// the journal what counts where his file says something else.
  private func merge(
    _ theirs: [String: PropertyListValue], _ base: FileBase, isPutBack: Bool, _ state: inout State
  ) throws(SuiteError) {
    let ours = table.entries
    func newest(_ name: String) -> Edit {
      state.history.filed(name) ?? state.backlog.filed(name) ?? Edit(entry: ours[name])
    }
    func foreign(_ name: String) -> Edit { Edit(entry: theirs[name]) }
    let names = Set(ours.keys).union(theirs.keys).union(state.history.names)
      .union(state.backlog.names)
    var origin: [String: Edit] = [:]
    if !isPutBack, base != .absent {
      origin = generations(state, names, newest).origin(of: foreign, newest: newest)
    }
    let edited = names.filter {
      foreign($0) != origin[$0] ?? newest($0) || state.file.unsure.contains($0)
    }

    let time = state.turn?.began ?? MonotonicClock.now
    var changes: [JournalRecord.Change] = []
    var before: [String: Edit] = [:]
    for name in names {
      let isEdited = edited.contains(name)
      let final = isEdited ? foreign(name) : Edit(entry: ours[name])
      if isEdited, !state.history.has(name) { before[name] = newest(name) }
      // All of it, so that nobody else has to find that out, from a file that may be gone by then.
      guard final != foreign(name) || isEdited else { continue }
      // What waits in memory goes into a record of its own.
      if state.backlog.has(name), !isEdited { continue }
      changes.append(.init(name: name, edit: final, previous: foreign(name), mark: time))
    }
    try append(.edited(base), changes, &state, before: before)
    state.file.unsure = []
    for name in edited { state.backlog.remove(name) }
    state.snapshots.changed?.formUnion(edited)
    let edits = Dictionary(uniqueKeysWithValues: edited.map { ($0, foreign($0)) })
    table.commitExternal(edits)
  }

  /// The files that somebody may have started from: those that this process knows, or at least the
  /// previous one.
  private func generations(
    _ state: State, _ names: Set<String>, _ newest: (String) -> Edit
  ) -> Generations {
    var generations = state.history.generations
    guard generations.isEmpty, let data = try? places.backup.read()?.data,
      let backup = try? Defaults.PropertyListFormat.decode(data).entries
    else { return generations }
    var before: [String: Edit] = [:]
    for name in names.union(backup.keys) {
      let entry = Edit(entry: backup[name])
      if entry != newest(name) { before[name] = entry }
    }
    generations.advance(from: before)
    return generations
  }
}
