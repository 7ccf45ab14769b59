import Synchronization

/// What holds the entries of the program's own suite, if that was opened.
enum ProgramStorage {
  /// Whether a scope was ever opened, where another suite stands in for the program's.
  static let mayBeReplaced = Atomic(false)

  private static let storages = Lock([Weak<Defaults.StoredSuite>]())

  /// Whether the program has put another suite in the place of its file, for good.
  private static let isReplaced = Atomic(false)

  /// The identity of the program's suite, whatever holds its entries at the time.
  static let identity = ObjectIdentifier(ProgramStorage.self)

  /// The file of the program's suite, found out once.
  private static let file = try? StoredFile()

  /// Whether a file is that of the program's suite.
  ///
  /// To find out where that is takes as long as to read it, so the names are compared first. Where
  /// it is a link to a file or folder of another name, it is found to be the program's when
  /// `.standard` is used.
  static func isOwn(_ file: StoredFile) -> Bool {
    file.location.name == FileLocation.fileName
      && CanonicalPath.name(of: file.folder) == FileLocation.identifier && file == self.file
  }

  /// Marks a storage as the program's, before it has cells.
  static func register(_ storage: Defaults.StoredSuite) {
    if isReplaced.load(ordering: .acquiring) { return }
    add(storage)
  }

  /// Makes a storage the program's for good, and those that were its own ordinary ones. No key has
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
    // Returned from the closure: a storage must not be released under the lock.
    let held = storages.withLock { storages in
      let held = storages.compactMap(\.object)
      storages = (held + [storage]).map { Weak(object: $0) }
      return held
    }
    withExtendedLifetime(held) {}
    // Last, so that a scope that is opened meanwhile finds the storage, or is found here.
    if mayBeReplaced.load(ordering: .sequentiallyConsistent) { storage.table.distrustCells() }
  }

  /// Makes all reads of the program's keys look for a scope, from now on.
  static func distrustCells() {
    mayBeReplaced.store(true, ordering: .sequentiallyConsistent)
    for storage in storages.withLock({ $0.compactMap(\.object) }) {
      storage.table.distrustCells()
    }
  }
}

extension Defaults.Suite {
  /// What suites with the same entries have in common, such as two that were opened on one file, or
  /// two on one object of `UserDefaults`: these have one support.
  var identity: ObjectIdentifier {
    guard let stored else { return ObjectIdentifier(support) }
    return stored.isOfProgram.load(ordering: .relaxed)
      ? ProgramStorage.identity : ObjectIdentifier(stored)
  }
}
