/// The suites of all files that are open in this process, by canonical path.
enum OpenFiles {
  private final class Entry {
    /// The file. It changes when a symbolic link on its path leads elsewhere.
    var file: StoredFile
    /// The number of the opening that made the latest suite.
    var opening = 0
    /// The suite of the file. Locked while the file is read, since a second opening must wait for
    /// the result of the first opening, but openings of other files must not.
    let suite = Lock(Suite())
    /// The number of threads that hold `suite` or are about to lock it. A sweep, which holds the
    /// lock of the state, must not wait for them: they lock the state under `suite`.
    var users = 0

    init(_ file: StoredFile) { self.file = file }
  }

  /// Not a ``Weak``, whose metadata takes a while to make when a process's first suite is opened.
  private struct Suite {
    weak var storage: Defaults.StoredSuite?
  }

  private struct State {
    /// A list, since the first dictionary with a new key type takes as long as searching thousands
    /// of files.
    var entries = SweptList<Entry>()
    /// The number of openings that read a file.
    var openings = 0

    /// Returns the entry of a file, and makes it if necessary. A new entry causes a sweep of
    /// released suites, which adds the suites in use to `held`.
    mutating func entry(of file: StoredFile, holding held: inout [Defaults.StoredSuite]) -> Entry {
      // Compare the paths as text first; equal texts may still be different files.
      if let known = entries.elements.first(where: { $0.file.path == file.path && $0.file == file })
      {
        return known
      }
      // The suite may be about to follow a symbolic link that leads elsewhere now.
      let isUsual = file.route == file.path
      let known = entries.elements.first { entry in
        !isUsual && entry.file.route.hasSameScalars(as: file.route)
          && entry.file.isReadOnly == file.isReadOnly
      }
      if let known { return known }
      let new = Entry(file)
      _ = entries.sweep { entry in
        if entry.users > 0 { return false }
        guard let storage = entry.suite.withLock({ $0.storage }) else { return true }
        held.append(storage)
        return false
      }
      entries.append(new)
      return new
    }
  }

  private static let state = Lock(State())

  /// Returns the storage of a file, either new or from an earlier opening, and the work that
  /// remains after opening the file.
  static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat?,
    custom: (any SuiteFileFormat)? = nil, repairsDamage: Bool = true,
    onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(SuiteError) -> (Defaults.StoredSuite, start: @Sendable () -> Void) {
    let entry = enter(file)
    defer { state.withLock { _ in entry.users -= 1 } }
    return try entry.suite.withLock { suite throws(SuiteError) in
      if let storage = suite.storage {
        guard let persistence = storage.persistence as? FileStore else { return (storage, {}) }
        if custom != nil, persistence.options.custom == nil {
          throw SuiteError(
            .unreadable, "This process has opened the file as a property list", path: file.path)
        }
        persistence.add(route: file.route)
        let isBehind = persistence.file != file
        return (storage, { if isBehind { persistence.inBackground { $0.checkFiles() } } })
      }
      let opening = state.withLock { state in
        state.openings += 1
        (entry.file, entry.opening) = (file, state.openings)
        return state.openings
      }
      let opened = try FileStore.open(
        file, format: format, custom: custom, repairsDamage: repairsDamage,
        moved: { move(opening, to: $0) }, onIssue: onIssue)
      suite.storage = opened.suite
      if ProgramStorage.isOwn(file) { ProgramStorage.register(opened.suite) }
      return opened
    }
  }

  /// Records that the suite of an opening continues with another file.
  private static func move(_ opening: Int, to file: StoredFile) {
    state.withLock { state in
      state.entries.elements.first { $0.opening == opening }?.file = file
    }
  }

  private static func enter(_ file: StoredFile) -> Entry {
    // Released after the lock, since releasing the last reference saves the suite.
    var held: [Defaults.StoredSuite] = []
    defer { withExtendedLifetime(held) {} }
    return state.withLock { state in
      let entry = state.entry(of: file, holding: &held)
      entry.users += 1
      return entry
    }
  }
}
