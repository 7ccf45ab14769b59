/// What makes the entries of a ``Defaults/StoredSuite`` outlive the process.
///
/// It is made with the suite's ``EntryTable``, and commits there what other processes have changed.
/// The caller of a method calls `deliver` of the table's support afterwards, when no lock is held.
package protocol Persistence: AnyObject, Sendable {
  /// How the suite got its entries, and whether changes can be stored.
  var health: Defaults.Health { get }

  /// The files that the suite is kept in: the property list and its journal; none
  /// if it isn't kept in files.
  var files: [StoredFile] { get throws(SuiteError) }

  /// Where the drafts of a commit note what it depends on; nil, the default, where nobody else
  /// commits while a body runs.
  var dependencies: Dependencies? { get }

  /// Throws if an entry can't be kept exactly.
  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

  /// Runs the body with the writer lock of the table, and while no other process commits, when all
  /// that others have committed is in the table; keeps the changes that it returns, as one step for
  /// every other process, and commits them to the table.
  ///
  /// Where other processes can't be kept from committing, a ``Commitment/blind`` body runs all the
  /// same, and its changes are kept later. Any other body doesn't run then: this throws when
  /// `patience` is over, or by default the time that a commit may take. It also throws, with
  /// nothing committed, if the changes can't be kept and mustn't wait. The caller holds no lock.
  ///
  /// The body throws in a forked child alone: nothing is committed then, stored, or given back.
  ///
  /// Where others commit while the body runs, what it depended on is in ``dependencies``, and the
  /// body runs again if that has changed meanwhile; the last run counts.
  func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> [EntryTable.Change]
  ) throws(SuiteError)

  /// Takes in what others commit as soon as they do; called when somebody observes the suite, with
  /// no lock held. Otherwise there is no hurry.
  func listen()

  /// Takes in what others have committed before the call.
  func refresh() throws(SuiteError)

  /// Returns when all that was committed is kept; throws what prevents it.
  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError)

  /// Closes what keeps a lock of the parent, in a forked child; called before a write throws
  /// there. Waits for no lock. The default does nothing.
  func leaveParent()

  /// Called when the suite is released or the process ends normally. Doesn't wait for a transaction
  /// that is running.
  func close()
}

extension Persistence {
  package var files: [StoredFile] { [] }

  package var dependencies: Dependencies? { nil }

  package func listen() {}

  package func leaveParent() {}
}

/// A persistence that wants to know the keys of its suite.
package protocol KeyedPersistence: Persistence {
  /// Takes a key into account that is declared with the suite, or used with it.
  func addKey(_ key: any DeclaredKey)
}

/// A key, as it is known on this floor.
package protocol DeclaredKey: AnyObject, Sendable {
  /// The name of the setting.
  var name: String { get }
}

/// What the changes of a commit depend on.
package enum Commitment: Sendable {
  /// On nothing: they are the same whatever is committed, so they may wait in memory.
  case blind
  /// On what is committed in every process: they are made on that, or not at all.
  case exact
  /// As `exact`; besides, they aren't made where this process can't store them, since nothing is
  /// lost without them.
  case optional
  /// As `exact`; but earlier changes that wait in memory since the disk is full go on waiting,
  /// because this commit makes room for them.
  case compacting
}

extension Defaults {
  /// How far a flush goes.
  public enum FlushExtent: Sendable, Hashable {
    /// What was set survives a power cut.
    case durable
    /// And it is in the property list file, where other programs see it.
    case snapshot
  }

  /// How a suite's file is, and how the suite got its entries.
  public enum Health: Sendable, Hashable {
    /// The file was read, or there was none; changes can be stored.
    case intact
    /// The file was damaged and is quarantined; the suite has all settings from its journal.
    case recoveredFromJournal
    /// The file was damaged and is quarantined, and there was no sound journal: the suite started
    /// with what could be read of the journal.
    case startedEmpty
    /// Nothing can be stored at present: the file or its folder may not be written, or the disk is
    /// full. Memory has all changes, and they are stored as soon as that works again.
    case readOnly
    /// The file was XML and is binary now: XML can't hold one of the entries. Everything is stored,
    /// and the file is XML again when that entry is removed.
    case savedAsBinary
    /// There is no file; nothing of this run will be kept.
    case inMemory
  }
}

/// What the body of a transaction has looked at, noted for a ``Persistence`` that can't keep others
/// from committing while the body runs.
package final class Dependencies: Sendable {
  /// Names whose entries a transaction depends on.
  package struct Names: Sendable {
    /// The names that were read, there or not.
    package var read: Set<String> = []
    /// The names that were set to what they are: no change, as long as they are that.
    package var confirmed: Set<String> = []
    /// Whether it depends on which names there are.
    package var areAllRead = false

    package init() {}
  }

  private let names = Lock(Names())

  package init() {}

  func noteRead(_ name: String) { names.withLock { _ = $0.read.insert(name) } }

  func noteAllRead() { names.withLock { $0.areAllRead = true } }

  func noteConfirmed(_ names: some Sequence<String>) {
    self.names.withLock { $0.confirmed.formUnion(names) }
  }

  /// What was noted since the last call.
  package func take() -> Names { names.exchange(Names()) }
}
