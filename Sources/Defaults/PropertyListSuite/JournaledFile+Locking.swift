import Foundation

/// Locking the journal that is at its path, and taking in what others appended.
extension JournaledFile {
  /// Locks the journal that counts, and takes in what others appended; returns its lock if another
  /// process has it.
  func lockJournal(_ state: inout State) throws(SuiteError) -> JournalLock? {
    // Each round but the last finds that somebody replaced the journal.
    for _ in 0..<100 {
      let journal = try openJournal(&state)
      guard try journal.lock.take() else { return journal.lock }
      do throws(SuiteError) {
        if try isCurrent(journal, &state) { return nil }
      } catch {
        journal.lock.giveBack()
        throw error
      }
      journal.lock.giveBack()
    }
    throw SuiteError(
      .locked, "The journal was replaced each time it was locked", path: places.journal.path)
  }

  /// The open journal, or the one at the path, or a new one.
  private func openJournal(_ state: inout State) throws(SuiteError) -> JournalFile {
    if let journal = state.journal.file, journal.isWritable { return journal }
    // Whoever waits for its lock does so on one opening.
    if let candidate = state.journal.candidate { return candidate }
    let journal = try findJournal(state)
    state.journal.candidate = journal
    return journal
  }

  /// Takes in what the locked journal has; false if it isn't the one at the path anymore.
  private func isCurrent(_ journal: JournalFile, _ state: inout State) throws(SuiteError) -> Bool {
    let isKnown = state.journal.file === journal && state.journal.header != nil
    // By its path, since a journal that somebody moved away is as it was.
    guard var size = try journal.sizeInPlace() else {
      if isKnown { try leave(journal, &state) }
      state.journal.close()
      return false
    }
    if !isKnown {
      guard try adopt(journal, &state) else { return false }
      size = try journal.size()
    }
    guard size >= state.journal.offset else {
      // Somebody cut it off: what was in it is in memory, and is appended to a new one.
      state.journal.intact = size
      try abandon(&state)
      return false
    }
    switch try state.journal.news(in: journal, size, isOurs: state.isLastOurs) {
    case .none: break
    case .records: try takeInRest(of: journal, to: size, &state)
    case .rewritten: return try reconcile(with: journal, intact: 0, &state)
    }
    return true
  }

  /// Takes leave of a journal that isn't at its path anymore, with its lock: everybody who knows it
  /// finds that out before he appends, so there won't be more in it. Whoever replaced it has taken
  /// in all of it, and so do we, as far as it is still there.
  private func leave(_ journal: JournalFile, _ state: inout State) throws(SuiteError) {
    let size = try journal.size()
    var isAsKnown = size >= state.journal.offset
    if isAsKnown { isAsKnown = try state.journal.isAsKnown(journal) }
    state.journal.size = size
    if isAsKnown { try takeInRest(of: journal, to: size, &state) }
    state.journal.isOutdated = state.history.isSucceeded
    if isAsKnown, !state.journal.isOutdated { succeed(&state) }
    state.journal.intact =
      isAsKnown ? state.journal.offset : min(size, state.journal.last?.offset ?? 0)
    state.journal.lost = journal
    // A snapshot replaced it, or the path of the folder leads to another one.
    state.watch?.verify()
  }

  private func takeInRest(
    of journal: JournalFile, to size: Int, _ state: inout State
  ) throws(SuiteError) {
    try takeIn(journal, journal.bytes(from: state.journal.offset, to: size), &state, isLocked: true)
  }
}
