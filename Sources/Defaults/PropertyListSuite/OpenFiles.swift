/// The suites of all files that are open in this process, by canonical path.
enum OpenFiles {
  private struct Entry {
    let file: StoredFile
    /// The suite on the file; locked while the file is read, however long that takes: a second
    /// opening has to wait for what the first one finds, but that of another file hasn't.
    let place = Lock(Weak<Defaults.StoredSuite>())
    /// How many are about to lock it.
    var users = 0
  }

  private struct State {
    /// By path; of several files whose paths are equal as text, each has an entry.
    ///
    /// Not by file: the first dictionary of a new kind of key costs a process 0.1 ms.
    var entries = [String: [Entry]].withRoom
    var sweepAt = 16

    /// Changes the entry of a file, which is made if there is none.
    mutating func update<Result>(_ file: StoredFile, _ body: (inout Entry) -> Result) -> Result {
      var all = entries[file.path] ?? []
      let index = all.firstIndex { $0.file == file } ?? all.endIndex
      if index == all.endIndex { all.append(Entry(file: file)) }
      defer { entries[file.path] = all }
      return body(&all[index])
    }
  }

  private static let state = Lock(State())

  /// The storage of a file: that of an earlier opening which is still in use, or a new one; and
  /// what there is to do once it is there.
  static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat?,
    onDamage: Defaults.DamageResponse = .recover, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) -> (Defaults.StoredSuite, start: @Sendable () -> Void) {
    let place = enter(file)
    defer { leave(file) }
    return try place.withLock { place throws(SuiteError) in
      if let storage = place.object { return (storage, {}) }
      let opened = try JournaledFile.open(
        file, format: format, onDamage: onDamage, onIssue: onIssue)
      place.object = opened.suite
      if ProgramStorage.isOwn(file) { ProgramStorage.register(opened.suite) }
      return opened
    }
  }

  private static func enter(_ file: StoredFile) -> Lock<Weak<Defaults.StoredSuite>> {
    // Held until the lock is free: one that is let go of meanwhile is saved when it goes.
    var held: [Defaults.StoredSuite] = []
    defer { withExtendedLifetime(held) {} }
    return state.withLock { state in
      // Those that are gone are forgotten each time the number has doubled.
      if state.entries.count >= state.sweepAt {
        for (path, entries) in state.entries {
          let used = entries.filter { entry in
            if entry.users > 0 { return true }
            guard let storage = entry.place.withLock({ $0.object }) else { return false }
            held.append(storage)
            return true
          }
          state.entries[path] = used.isEmpty ? nil : used
        }
        state.sweepAt = max(16, 2 * state.entries.count)
      }
      return state.update(file) { entry in
        entry.users += 1
        return entry.place
      }
    }
  }

  private static func leave(_ file: StoredFile) {
    state.withLock { $0.update(file) { $0.users -= 1 } }
  }
}
