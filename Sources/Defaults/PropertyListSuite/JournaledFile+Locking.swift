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
    if state.forks != Forking.forks { state.leaveParent() }
    if let journal = state.journal, journal.isWritable { return journal }
    // Whoever waits for its lock does so on one opening.
    if let candidate = state.candidate { return candidate }
    let journal = try findJournal(state)
    state.candidate = journal
    return journal
  }

  /// Takes in what the locked journal has; false if it isn't the one at the path anymore.
  private func isCurrent(_ journal: JournalFile, _ state: inout State) throws(SuiteError) -> Bool {
    let isKnown = state.journal === journal && state.header != nil
    // By its path, since a journal that somebody moved away is as it was.
    guard var size = try journal.sizeInPlace() else {
      if isKnown { try leave(journal, &state) }
      state.journal = nil
      state.candidate = nil
      return false
    }
    if !isKnown {
      guard try adopt(journal, &state) else { return false }
      size = try journal.size()
    }
    guard size >= state.offset else {
      // Somebody cut it off: what was in it is in memory, and is appended to a new one.
      state.intact = size
      try abandon(&state)
      return false
    }
    switch try news(in: journal, size, &state) {
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
    var isAsKnown = size >= state.offset
    if isAsKnown { isAsKnown = try self.isAsKnown(journal, state) }
    state.size = size
    if isAsKnown { try takeInRest(of: journal, to: size, &state) }
    state.isOutdated = state.history.isSucceeded
    if isAsKnown, !state.isOutdated { succeed(&state) }
    state.intact = isAsKnown ? state.offset : min(size, state.last?.offset ?? 0)
    state.lost = journal
  }

  /// Whether the last record that is known is where it was.
  private func isAsKnown(_ journal: JournalFile, _ state: State) throws(SuiteError) -> Bool {
    guard let last = state.last else { return true }
    return try journal.prefix(at: last.offset) == last.prefix
  }

  private enum News {
    case none
    /// There is more than empty room behind what is in memory.
    case records
    /// Somebody cut the journal off, and others have written since.
    case rewritten
  }

  private func news(
    in journal: JournalFile, _ size: Int, _ state: inout State
  ) throws(SuiteError) -> News {
    let isAsLeft = size == state.size
    state.size = size
    // Whoever writes after somebody else makes the journal larger, so there is nothing after our
    // own record. Mostly this saves the look, a tenth of what a setter costs.
    if state.isRoomKnown, isAsLeft, state.history.lastWriter == state.writer { return .none }
    // Not before it was looked at, and taken in if there is something: all of that may fail.
    let wasRoomKnown = state.isRoomKnown
    state.isRoomKnown = false
    guard try isAsKnown(journal, state) else { return .rewritten }
    guard wasRoomKnown else { return .records }
    let hasRecord = try size > state.offset ? journal.prefix(at: state.offset) != 0 : false
    state.isRoomKnown = !hasRecord
    return hasRecord ? .records : .none
  }

  private func takeInRest(
    of journal: JournalFile, to size: Int, _ state: inout State
  ) throws(SuiteError) {
    try takeIn(journal, journal.bytes(from: state.offset, to: size), &state, isLocked: true)
  }
}
