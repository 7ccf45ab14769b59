/// The suites of all files that are open in this process, by canonical path.
enum OpenFiles {
  private final class Entry {
    /// The file; another one after a symbolic link on the way to it was exchanged.
    var file: StoredFile
    /// The persistence of the suite.
    var owner: ObjectIdentifier?
    /// The suite on the file; locked while the file is read, however long that takes: a second
    /// opening has to wait for what the first one finds, but that of another file hasn't.
    let place = Lock(Weak<Defaults.StoredSuite>())
    /// How many are about to lock it.
    var users = 0

    init(_ file: StoredFile) { self.file = file }
  }

  private struct State {
    /// Not a dictionary: the first one of a new kind costs a process as much as looking through
    /// some thousand files.
    var entries = SweptList<Entry>()

    /// The entry of a file, which is made if there is none; a new one makes room by a sweep, which
    /// adds the suites that it found in use to `held`.
    mutating func entry(of file: StoredFile, holding held: inout [Defaults.StoredSuite]) -> Entry {
      // Most differ as text; two that don't may yet be two files.
      if let known = entries.elements.first(where: { $0.file.path == file.path && $0.file == file })
      {
        return known
      }
      // A symbolic link was exchanged, and the suite is about to follow it.
      let isUsual = file.route == file.path
      let known = entries.elements.first { entry in
        !isUsual && entry.file.route.hasSameScalars(as: file.route)
          && entry.file.isReadOnly == file.isReadOnly
      }
      if let known { return known }
      let new = Entry(file)
      _ = entries.sweep { entry in
        if entry.users > 0 { return false }
        guard let storage = entry.place.withLock({ $0.object }) else { return true }
        held.append(storage)
        return false
      }
      entries.append(new)
      return new
    }
  }

  private static let state = Lock(State())

  /// The storage of a file: that of an earlier opening which is still in use, or a new one; and
  /// what there is to do once it is there.
  static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat?,
    repairsDamage: Bool = true, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) -> (Defaults.StoredSuite, start: @Sendable () -> Void) {
    let entry = enter(file)
    defer { state.withLock { _ in entry.users -= 1 } }
    return try entry.place.withLock { place throws(SuiteError) in
      if let storage = place.object {
        guard let persistence = storage.persistence as? FileStore else { return (storage, {}) }
        persistence.add(route: file.route)
        let isBehind = persistence.file != file
        return (storage, { if isBehind { persistence.inBackground { $0.lookAtFile() } } })
      }
      let opened = try FileStore.open(
        file, format: format, repairsDamage: repairsDamage, moved: { move($0, to: $1) },
        onIssue: onIssue)
      place.object = opened.suite
      let owner = ObjectIdentifier(opened.suite.persistence)
      state.withLock { _ in (entry.file, entry.owner) = (file, owner) }
      if ProgramStorage.isOwn(file) { ProgramStorage.register(opened.suite) }
      return opened
    }
  }

  /// Notes that a suite goes on with another file.
  private static func move(_ persistence: FileStore, to file: StoredFile) {
    state.withLock { state in
      state.entries.elements.first { $0.owner == ObjectIdentifier(persistence) }?.file = file
    }
  }

  private static func enter(_ file: StoredFile) -> Entry {
    // Held until the lock is free: one that is released meanwhile is saved when it is freed.
    var held: [Defaults.StoredSuite] = []
    defer { withExtendedLifetime(held) {} }
    return state.withLock { state in
      let entry = state.entry(of: file, holding: &held)
      entry.users += 1
      return entry
    }
  }
}
