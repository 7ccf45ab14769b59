import Foundation

/// Finding the journal that counts, making it, and locking it.
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

  /// The open journal, or the one at the path, or a new one.
  private func openJournal(
    _ state: inout State
  ) throws(Defaults.SuiteError) -> Defaults.JournalFile {
    if state.forks != Forking.forks {
      // The parent's opening is the parent's lock, too, and the parent goes on writing as itself.
      state.forks = Forking.forks
      state.writer = 0
      state.journal = nil
    }
    if state.writer == 0 { state.writer = .random(in: 1 ... .max) }
    if let journal = state.journal, journal.isWritable { return journal }
    let files = journalPlace.fileSystem
    while true {
      let found = try reaching { () throws(POSIXError) in
        try Defaults.JournalFile.open(journalPlace.path, on: files)
      }
      if let found {
        guard found.isWritable else {
          throw Defaults.SuiteError(
            .unwritable, Self.problem, path: journalPlace.path, POSIXError(.EACCES))
        }
        return found
      }
      let present = try file.status()
      if present != nil { try Defaults.FileAccess.requireWritable(file.path, on: files) }
      do throws(POSIXError) {
        try files.makeFolders(journalPlace.folder)
        let made = try files.open(journalPlace.path, .create)
        try made.takeAttributes(of: present)
        return try Defaults.JournalFile(made, isWritable: true)
      } catch {
        guard error.code == .EEXIST else {
          throw Defaults.SuiteError(.unwritable, Self.problem, path: journalPlace.path, error)
        }
      }
    }
  }

  /// Makes a journal that was just opened and locked the one that counts; false if it can't be.
  private func adopt(
    _ journal: Defaults.JournalFile, _ state: inout State, _ suite: Defaults.StoredSuite,
    _ mustDeliver: inout Bool
  ) throws(Defaults.SuiteError) -> Bool {
    let start = try reaching { () throws(POSIXError) in
      try journal.bytes(from: 0, to: Defaults.JournalEncoder.headerSize)
    }
    let header = start.withUnsafeBytes { Defaults.JournalDecoder.header($0) }
    guard let header else {
      if !start.withUnsafeBytes({ Defaults.JournalHeader.isUnwritten($0) }) {
        try setAside(journal, &state)
        state.problems.append(.damagedHeader(at: journalPlace.path))
        try abandon(&state)
        return false
      }
      try restart(journal, &state, suite)
      return true
    }
    let before = state.header?.id
    state.journal = journal
    state.header = header
    state.isRoomKnown = false
    if header.id == before { return true }
    if let before, header.previous == before {
      state.follow(header)
    } else if before == nil, header.previous == 0, header.base == state.history.base {
      // The first one, made by somebody else since: all of it is news.
      state.follow(header)
    } else {
      // Made by somebody who never saw ours, which was deleted: what was in it is stored again.
      if header.previous == 0 { state.storeAgain() }
      try reload(&state, suite, &mustDeliver)
    }
    return true
  }

  /// Takes the journal's name away, so that a new one is made. Nothing is written in its place: for
  /// other processes, who know offsets in it, that would go unseen.
  private func abandon(_ state: inout State) throws(Defaults.SuiteError) {
    try reaching { () throws(POSIXError) in
      try journalPlace.fileSystem.removeName(journalPlace.path)
    }
    state.journal = nil
  }

  /// Begins a locked journal to which nothing was written yet; what the last one had is appended
  /// to it with the next record.
  ///
  /// If the file is gone together with the last journal, so is the folder: that isn't somebody's
  /// wish to remove all settings, and they are stored again.
  private func restart(
    _ journal: Defaults.JournalFile, _ state: inout State, _ suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError) {
    if state.header != nil, state.journal == nil, try file.status() == nil {
      state.history = Defaults.JournalHistory(base: .absent)
      for name in suite.names { state.backlog[name] = .remove }
    }
    state.storeAgain()
    let header = Defaults.JournalHeader(
      id: .random(in: 1 ... .max), previous: state.header?.id ?? 0, base: state.history.base)
    let size = try reaching { () throws(POSIXError) in
      try journal.file.truncate(to: 0)
      state.encoder.encode(header)
      return try journal.file.writeAll(state.encoder.bytes, withRoomAt: 0)
    }
    state.journal = journal
    state.header = header
    state.links = 1
    state.follow(header)
    state.size = size
    state.isRoomKnown = true
    state.mustCheckFile = true
  }

  /// Keeps a copy of a damaged journal.
  func setAside(
    _ journal: Defaults.JournalFile, _ state: inout State
  ) throws(Defaults.SuiteError) {
    guard let content = try journalPlace.read(), content.version.isSameFile(as: journal.version)
    else { return }
    _ = try Defaults.FileQuarantine.setAside(
      journalPlace.path, content, asCopy: true, on: journalPlace.fileSystem)
  }

  /// Runs system calls on the journal.
  func reaching<Result>(
    _ body: () throws(POSIXError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    try explaining(Self.problem, journalPlace.path, body)
  }

  private static let problem = "The journal can't be written, so changes are in memory only"
}

extension Defaults.JournaledFile.State {
  /// Puts what the journal has into the backlog, since the journal is lost.
  mutating func storeAgain() {
    for name in history.names where backlog[name] == nil {
      backlog[name] = history.filed(name).last ?? .remove
    }
  }

  /// Goes on with a journal that has nothing yet which isn't in memory.
  mutating func follow(_ header: Defaults.JournalHeader) {
    self.header = header
    offset = Defaults.JournalEncoder.headerSize
    isRoomKnown = false
    durable = 0
    isSuspect = false
    history = Defaults.JournalHistory(base: header.base)
    revision += 1
  }
}
