import Synchronization

/// What holds the entries of the program's own suite, if anything does by now.
enum ProgramStorage {
  private struct Weak {
    weak var storage: Defaults.StoredSuite?
  }

  /// Whether a scope was ever opened, where something else stands in for it.
  private static let mayBeReplaced = Atomic(false)

  private static let storages = Lock([Weak]())

  /// What keys of the program's suite are told equal by, whatever holds their entries at the time.
  static let identity = ObjectIdentifier(ProgramStorage.self)

  /// What the file of the program's suite is called, unless that is a link to another one.
  static let fileName = "Defaults.plist"

  /// The file of the program's suite, found out once.
  static let file = try? Defaults.StoredFile()

  /// Marks a storage, before it has cells.
  static func register(_ storage: Defaults.StoredSuite) {
    storage.isOfProgram.store(true, ordering: .relaxed)
    storage.support.knowsKeysOfProgram()
    // Handed out: one that is let go of meanwhile mustn't die under the lock.
    let held = storages.withLock { storages in
      let held = storages.compactMap(\.storage)
      storages = (held + [storage]).map(Weak.init)
      return held
    }
    withExtendedLifetime(held) {}
    // Last, so that a scope that is opened meanwhile finds the storage, or is found here.
    if mayBeReplaced.load(ordering: .sequentiallyConsistent) { storage.table.distrustCells() }
  }

  /// Makes all reads of the program's keys look for a scope, from now on.
  static func distrustCells() {
    mayBeReplaced.store(true, ordering: .sequentiallyConsistent)
    for storage in storages.withLock({ $0.compactMap(\.storage) }) {
      storage.table.distrustCells()
    }
  }
}
