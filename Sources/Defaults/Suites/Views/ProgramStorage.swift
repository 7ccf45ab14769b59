import Synchronization

/// The storage of the program's own suite, if the suite was opened.
enum ProgramStorage {
  /// Whether there ever was a scope in which another suite replaces the program's.
  static let mayBeReplaced = Atomic(false)

  private static let storages = Lock([Weak<Defaults.StoredSuite>]())

  /// Whether the program has permanently replaced its file with another suite.
  private static let isReplaced = Atomic(false)

  /// The identity of the program's suite, independent of its current storage.
  static let identity = ObjectIdentifier(ProgramStorage.self)

  private static let file = try? StoredFile()

  /// Returns whether a file is the file of the program's suite.
  ///
  /// Locating that file takes as long as reading it, so the names are compared first. A link with
  /// another name is recognized only when `.standard` is used.
  static func isOwn(_ file: StoredFile) -> Bool {
    file.location.name == FileLocation.fileName
      && CanonicalPath.name(of: file.folder) == FileLocation.identifier && file == self.file
  }

  /// Marks a storage as the program's, before it has cells.
  static func register(_ storage: Defaults.StoredSuite) {
    if isReplaced.load(ordering: .acquiring) { return }
    add(storage)
  }

  /// Permanently makes a storage the program's. The earlier storages become ordinary; no key has
  /// asked them for a cell.
  static func replace(by storage: Defaults.StoredSuite) {
    isReplaced.store(true, ordering: .releasing)
    let earlier = storages.withLock { $0.compactMap(\.object) }
    for storage in earlier { storage.isOfProgram.store(false, ordering: .relaxed) }
    add(storage)
  }

  private static func add(_ storage: Defaults.StoredSuite) {
    storage.isOfProgram.store(true, ordering: .relaxed)
    storage.support.knowsKeysOfProgram()
    // Returned from the closure, so that no storage is released under the lock.
    let held = storages.withLock { storages in
      let held = storages.compactMap(\.object)
      storages = (held + [storage]).map { Weak(object: $0) }
      return held
    }
    withExtendedLifetime(held) {}
    // Last, so that a scope that is opened meanwhile either finds the storage or is found here.
    if mayBeReplaced.load(ordering: .sequentiallyConsistent) { storage.table.distrustCells() }
  }

  /// Makes all later reads of the program's keys look for a scope.
  static func distrustCells() {
    mayBeReplaced.store(true, ordering: .sequentiallyConsistent)
    for storage in storages.withLock({ $0.compactMap(\.object) }) {
      storage.table.distrustCells()
    }
  }
}

extension Defaults.Suite {
  /// The common identity of suites with the same entries, such as two for one file or two for one
  /// `UserDefaults` object, which share a support.
  var identity: ObjectIdentifier {
    guard let stored else { return ObjectIdentifier(support) }
    return stored.isOfProgram.load(ordering: .relaxed)
      ? ProgramStorage.identity : ObjectIdentifier(stored)
  }
}
