import Foundation

/// Finding the journal that counts, or making it.
extension JournaledFile {
  /// The open journal, or the one at the path, or a new one.
  func openJournal(_ state: inout State) throws(SuiteError) -> JournalFile {
    if state.forks != Forking.forks {
      // The parent's opening is the parent's lock, too, and the parent goes on writing as itself.
      state.forks = Forking.forks
      state.writer = 0
      state.journal = nil
      state.candidate = nil
      // Whatever the parent did meanwhile is on the disk.
      state.intact = .max
      // What waits in memory is the parent's to store, and what it writes its own to finish.
      state.backlog = Backlog()
      state.sinceSnapshot = nil
      state.hasDuty = false
    }
    if state.writer == 0 { state.writer = .random(in: 1 ... .max) }
    if let journal = state.journal, journal.isWritable { return journal }
    // Whoever waits for its lock does so on one opening.
    if let candidate = state.candidate { return candidate }
    let journal = try findJournal(state)
    state.candidate = journal
    return journal
  }

  private func findJournal(_ state: State) throws(SuiteError) -> JournalFile {
    let files = journalPlace.fileSystem
    // There was a journal after the one that this process knows, which is lost: those who have seen
    // it are about to restore it.
    var rounds = isAutomatic && state.lost != nil && state.isOutdated ? 100 : 0
    while true {
      let found = try JournalFile.open(journalPlace, failingAs: .unwritable, Self.problem)
      if let found {
        guard found.isWritable else {
          throw SuiteError(.unwritable, Self.problem, path: journalPlace.path, POSIXError(.EACCES))
        }
        // Whoever made it may not have written anything to it so far.
        if rounds == 0 { return found }
        let isBegun = try reaching { () throws(POSIXError) in try found.prefix(at: 0) != 0 }
        if isBegun { return found }
      }
      if rounds > 0 {
        rounds -= 1
        usleep(1_000)
        continue
      }
      let present = try file.status()
      if present != nil { try file.requireWritable() }
      do throws(POSIXError) {
        try files.makeFolders(journalPlace.folder)
        let made = try files.open(journalPlace.path, .create)
        try made.takeAttributes(of: present, forJournal: true)
        return try JournalFile(made, isWritable: true)
      } catch {
        guard error.code == .EEXIST else {
          throw SuiteError(.unwritable, Self.problem, path: journalPlace.path, error)
        }
      }
    }
  }

  /// Makes a journal that was just opened and locked the one that counts; false if it can't be.
  func adopt(_ journal: JournalFile, _ state: inout State) throws(SuiteError) -> Bool {
    let start = try reaching { () throws(POSIXError) in
      try journal.bytes(from: 0, to: JournalEncoder.headerSize)
    }
    let header = start.withUnsafeBytes { JournalDecoder.header($0) }
    guard let header else {
      if start.withUnsafeBytes({ JournalDecoder.isNewer($0) }) {
        throw .newerJournal(at: journalPlace.path)
      }
      if !start.withUnsafeBytes({ JournalHeader.isUnwritten($0) }) {
        try setAside(journal, &state)
        state.problems.append(.damagedHeader(at: journalPlace.path))
        try abandon(&state)
        return false
      }
      if state.header == nil { try takeInFile(&state) }
      try restart(journal, &state)
      return true
    }
    guard let before = state.header else {
      if header.previous == 0, header.base == state.history.base {
        // The first one, made by somebody else since: all of it is news.
        state.follow(header, in: journal)
      } else {
        return try reconcile(with: journal, intact: 0, &state)
      }
      return true
    }
    if header.id == before.id {
      if state.lost == nil {
        // The very file, opened again.
        state.journal = journal
        state.candidate = nil
        state.isRoomKnown = false
        return true
      }
      // Somebody put an older copy in its place.
      let intact = try reaching { () throws(POSIXError) in
        try state.lost?.commonPrefix(with: journal) ?? 0
      }
      return try reconcile(with: journal, intact: intact, &state)
    } else {
      var isSuccessor = header.previous == before.id
      if isSuccessor { isSuccessor = try !isRestoration(journal) }
      if isSuccessor, state.intact == state.offset {
        state.follow(header, in: journal)
      } else {
        return try reconcile(with: journal, intact: isSuccessor ? state.intact : 0, &state)
      }
    }
    return true
  }

  /// Whether a journal begins with what was in one that was lost.
  private func isRestoration(_ journal: JournalFile) throws(SuiteError) -> Bool {
    let start = JournalEncoder.headerSize
    let bytes = try reaching { () throws(POSIXError) in
      try journal.bytes(from: start, to: start + JournalEncoder.prefixSize + 1)
    }
    return bytes.last == JournalEncoder.restoredKind
  }

  /// Takes the journal's name away, so that a new one is made. Nothing is written in its place: for
  /// other processes, who know offsets in it, that would go unseen.
  func abandon(_ state: inout State) throws(SuiteError) {
    try reaching { () throws(POSIXError) in
      try journalPlace.fileSystem.removeName(journalPlace.path)
    }
    state.lost = state.journal
    state.journal = nil
    state.candidate = nil
  }

  /// Begins a locked journal to which nothing was written yet, with everything that was in the one
  /// that was lost: nobody can see the one without the other.
  ///
  /// If the file is gone together with the last journal, so is the folder: that isn't somebody's
  /// wish to remove all settings, and they are stored again.
  private func restart(_ journal: JournalFile, _ state: inout State) throws(SuiteError) {
    var lost: [JournalRecord.Change] = []
    if state.header != nil {
      for (name, course) in state.history.changes {
        lost.append(
          .init(
            name: name, edit: course.edit, previous: course.filed,
            mark: UInt64(max(1, course.position))))
      }
      if try file.status() == nil, state.history.base != .absent {
        state.history = JournalHistory(base: .absent, after: state.history.generations)
        let names = Set(lost.map(\.name))
        for name in table.entries.keys where !names.contains(name) && !state.backlog.has(name) {
          lost.append(.init(name: name, edit: Edit(entry: table.entry(named: name)), mark: 1))
        }
        for index in lost.indices { lost[index].previous = .remove }
      }
    }
    let header = JournalHeader(
      id: .random(in: 1 ... .max), previous: state.header?.id ?? 0, base: state.history.base)
    let record =
      state.header == nil
      ? nil
      : JournalRecord(kind: .restored, writer: state.writer, durable: 0, changes: lost)
    let start = JournalEncoder.headerSize
    var (end, size) = (start, start)
    var last: JournalMark?
    try reaching { () throws(POSIXError) in
      try journal.file.truncate(to: 0)
      guard let record else {
        state.encoder.encode(header)
        size = try journal.file.writeAll(state.encoder.bytes, withRoomAt: 0)
        return
      }
      // The header last: without it nothing in a journal counts.
      state.encoder.encode(record, journal: header.id)
      end = start + state.encoder.bytes.count
      last = JournalMark(offset: start, prefix: state.encoder.prefix)
      size = try journal.file.writeAll(state.encoder.bytes, withRoomAt: start)
      state.encoder.encode(header)
      try journal.file.writeAll(state.encoder.bytes, at: 0)
    }
    state.follow(header, in: journal)
    if let record { state.history.apply(record, end: end) }
    state.last = last
    state.offset = end
    state.size = size
    state.isRoomKnown = true
    state.mustCheckFile = true
    state.hasDuty = state.hasDuty || !lost.isEmpty
  }

}
