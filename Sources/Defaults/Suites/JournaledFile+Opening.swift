import Foundation

/// Finding the journal that counts, or making it.
extension Defaults.JournaledFile {
  /// The open journal, or the one at the path, or a new one.
  func openJournal(
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
  func adopt(
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
  func abandon(_ state: inout State) throws(Defaults.SuiteError) {
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
