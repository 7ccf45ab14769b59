import Foundation

/// Finding the journal that counts, or making it.
extension JournaledFile {
  /// The journal at the path, or a new one.
  func findJournal(_ state: State) throws(SuiteError) -> JournalFile {
    let files = places.journal.fileSystem
    // There was a journal after the one that this process knows, which is lost: those who have seen
    // it are about to restore it.
    var rounds = isAutomatic && state.journal.lost != nil && state.journal.isOutdated ? 100 : 0
    while true {
      let found = try JournalFile.open(
        places.journal, failingAs: .unwritable)
      if let found {
        guard found.isWritable else {
          throw .unwritableJournal(places.journal.path, POSIXError(.EACCES))
        }
        // Whoever made it may not have written anything to it so far.
        if rounds == 0 { return found }
        if try found.prefix(at: 0) != 0 { return found }
      }
      if rounds > 0 {
        rounds -= 1
        usleep(1_000)
        continue
      }
      let present = try file.status()
      if present != nil { try file.requireWritable() }
      do throws(POSIXError) {
        try files.makeFolders(places.journal.folder, mustSync: false)
        let made = try files.open(places.journal.path, .create)
        let permissions = try present.flatMap { present throws(POSIXError) in
          try file.fileSystem.permissions(of: file.path, present)
        }
        try made.takePermissions(of: permissions, forJournal: true)
        return try JournalFile(made, at: places.journal, isWritable: true)
      } catch {
        guard error.code == .EEXIST else { throw .unwritableJournal(places.journal.path, error) }
      }
    }
  }

  /// Makes a journal that was just opened and locked the one that counts; false if it can't be.
  func adopt(_ journal: JournalFile, _ state: inout State) throws(SuiteError) -> Bool {
    let start = try journal.bytes(from: 0, to: JournalEncoder.headerSize)
    let header = start.withUnsafeBytes { JournalDecoder.header($0) }
    guard let header else {
      if start.withUnsafeBytes({ JournalDecoder.isNewer($0) }) {
        throw .newerJournal(at: places.journal.path)
      }
      if !start.withUnsafeBytes({ JournalHeader.isUnwritten($0) }) {
        try setAside(journal, &state)
        state.trouble.problems.append(.damagedHeader(at: places.journal.path))
        try abandon(&state)
        return false
      }
      if state.journal.header == nil { try takeInFile(&state) }
      try restart(journal, &state)
      return true
    }
    guard let before = state.journal.header else {
      // The first one, made by somebody else since: all of it is news.
      guard header.previous == 0, header.base == state.history.base else {
        return try reconcile(with: journal, intact: 0, &state)
      }
      state.follow(header, in: journal)
      return true
    }
    if header.id == before.id {
      guard let lost = state.journal.lost else {
        // The very file, opened again.
        state.journal.file = journal
        state.journal.candidate = nil
        state.journal.isRoomKnown = false
        return true
      }
      // Somebody put an older copy in its place.
      return try reconcile(with: journal, intact: lost.commonPrefix(with: journal), &state)
    }
    let isSuccessor = try header.previous == before.id ? !isRestoration(journal) : false
    guard isSuccessor, state.journal.intact == state.journal.offset else {
      return try reconcile(with: journal, intact: isSuccessor ? state.journal.intact : 0, &state)
    }
    state.follow(header, in: journal)
    return true
  }

  /// Whether a journal begins with what was in one that was lost.
  private func isRestoration(_ journal: JournalFile) throws(SuiteError) -> Bool {
    let start = JournalEncoder.headerSize
    let bytes = try journal.bytes(from: start, to: start + JournalEncoder.prefixSize + 1)
    return bytes.last == JournalEncoder.restoredKind
  }

  /// Takes the journal's name away, so that a new one is made. Nothing is written in its place: for
  /// other processes, who know offsets in it, that would go unseen.
  func abandon(_ state: inout State) throws(SuiteError) {
    try reaching { () throws(POSIXError) in
      try places.journal.fileSystem.removeName(places.journal.path)
    }
    state.journal.abandon()
  }

  /// Begins a locked journal to which nothing was written yet, with everything that was in the one
  /// that was lost: nobody can see the one without the other.
  ///
  /// If the file is gone together with the last journal, so is the folder: that isn't somebody's
  /// wish to remove all settings, and they are stored again.
  private func restart(_ journal: JournalFile, _ state: inout State) throws(SuiteError) {
    var lost: [JournalRecord.Change] = []
    if state.journal.header != nil {
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
      id: .random(in: 1 ... .max), previous: state.journal.header?.id ?? 0, base: state.history.base
    )
    var records: [JournalRecord] = []
    if state.journal.header != nil {
      records = [JournalRecord(kind: .restored, writer: state.writer, durable: 0, changes: lost)]
    }
    let start = try reaching { () throws(POSIXError) in
      try journal.file.truncate(to: 0)
      return try journal.file.begin(header, with: records)
    }
    state.follow(start, in: journal)
    state.file.mustCheck = true
    state.snapshots.hasDuty = state.snapshots.hasDuty || !lost.isEmpty
  }
}
