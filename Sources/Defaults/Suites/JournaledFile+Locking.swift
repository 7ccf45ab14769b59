import Foundation

/// Locking the journal that counts, and taking in what others appended to it.
extension Defaults.JournaledFile {
  /// How long a commit waits for another process.
  private static let patience = Duration.seconds(1)

  /// Locks the journal that is at its path, and takes in what others appended.
  func lockJournal(
    _ state: inout State, _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    // Each round but the last finds that somebody replaced the journal.
    for _ in 0..<100 {
      let journal = try openJournal(&state)
      // Who waited once in vain doesn't again for each change; the background does.
      let patience = state.failures == 0 ? Self.patience : .milliseconds(1)
      guard try reaching({ () throws(POSIXError) in try journal.lock(within: patience) }) else {
        throw Defaults.SuiteError(
          .locked,
          "Another process holds the lock of the journal, so the change is in memory only. It is "
            + "stored as soon as that process gives the lock back, or ends",
          path: journalPlace.path)
      }
      do throws(Defaults.SuiteError) {
        if try isCurrent(journal, &state, suite, &mustDeliver) { return }
      } catch {
        try? journal.file.unlock()
        throw error
      }
      try? journal.file.unlock()
    }
    throw Defaults.SuiteError(
      .locked, "The journal was replaced each time it was locked", path: journalPlace.path)
  }

  /// Takes in what the locked journal has; false if it isn't the one at the path anymore.
  private func isCurrent(
    _ journal: Defaults.JournalFile, _ state: inout State, _ suite: Defaults.StoredSuite,
    _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) -> Bool {
    var extent = try reaching { () throws(POSIXError) in try journal.file.extent() }
    let isKnown = state.journal === journal && state.header != nil
    // Where the file is in doubt the folder is, too: the journal may have moved away with it.
    if extent.names != state.links || !isKnown || state.mustCheckFile {
      let there = try reaching { () throws(POSIXError) in
        try journalPlace.fileSystem.statusIfPresent(of: journalPlace.path)
      }
      guard there?.version.isSameFile(as: journal.version) == true else {
        // Whoever replaced it has taken in all of it, and so do we, as long as we can read it.
        if isKnown {
          try takeIn(journal, to: extent.size, &state, suite, &mustDeliver)
        }
        state.journal = nil
        return false
      }
      state.links = extent.names
    }
    if !isKnown {
      guard try adopt(journal, &state, suite, &mustDeliver) else { return false }
      extent = try reaching { () throws(POSIXError) in try journal.file.extent() }
    }
    guard extent.size >= state.offset else {
      // Somebody cut it off: what was in it is in memory, and is appended again.
      try abandon(&state)
      return false
    }
    if try hasNews(journal, extent.size, &state) {
      try takeIn(journal, to: extent.size, &state, suite, &mustDeliver)
    }
    return true
  }

  /// Whether there is anything but empty room behind what is in memory.
  private func hasNews(
    _ journal: Defaults.JournalFile, _ size: Int, _ state: inout State
  ) throws(Defaults.SuiteError) -> Bool {
    let isAsLeft = size == state.size
    state.size = size
    guard state.isRoomKnown else { return true }
    // Whoever writes after somebody else makes the journal larger, so there is nothing after our
    // own record. Mostly this saves the look, a tenth of what a setter costs.
    if isAsLeft && state.history.lastWriter == state.writer || size == state.offset { return false }
    // Not before it was looked at, and taken in if there is something: both may fail.
    state.isRoomKnown = false
    let hasRecord = try reaching { () throws(POSIXError) in
      try journal.hasRecord(at: state.offset)
    }
    state.isRoomKnown = !hasRecord
    return hasRecord
  }

  private func takeIn(
    _ journal: Defaults.JournalFile, to size: Int, _ state: inout State,
    _ suite: Defaults.StoredSuite, _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) {
    let offset = state.offset
    let bytes = try reaching { () throws(POSIXError) in
      try journal.bytes(from: offset, to: size)
    }
    try takeIn(journal, bytes, &state, suite, &mustDeliver, isLocked: true)
  }

  /// Runs system calls on the journal.
  func reaching<Result>(
    _ body: () throws(POSIXError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    try explaining(Self.problem, journalPlace.path, body)
  }

  /// What it means that one of them failed.
  static let problem = "The journal can't be written, so changes are in memory only"
}
