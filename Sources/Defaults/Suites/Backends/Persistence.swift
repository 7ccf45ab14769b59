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

  /// Throws if an entry can't be kept exactly.
  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

  /// Runs the body with the writer lock of the table, while no other process commits and the table has
  /// everything that other processes committed; stores the changes that it proposes, as one step for
  /// every other process, and commits them to the table.
  ///
  /// Where other processes can't be kept from committing, a ``Commitment/blind`` body runs all the
  /// same, and its changes are stored later. Any other body doesn't run then: this throws when
  /// `patience` is over, or by default the time that a commit may take. It also throws, with nothing
  /// committed, if the changes can't be stored and must not wait. The caller holds no lock.
  ///
  /// The body throws in a forked child alone: nothing is committed, stored or unlocked then.
  ///
  /// Where other processes can commit while the body runs, the persistence compares what the proposal
  /// depends on, and runs the body again if any of that changed; the last run counts.
  func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError)

  /// Applies what other processes committed, as far as that takes neither a wait nor the lock of the
  /// processes; returns whether that was everything. The caller holds no lock.
  func applyNews() -> Bool

  /// Applies what other processes commit as soon as they do; called when the suite is observed, with
  /// no lock held. Otherwise there is no hurry.
  func listen()

  /// Applies what other processes committed before the call.
  func refresh() throws(SuiteError)

  /// Returns when all that was committed is kept; throws what prevents it.
  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError)

  /// Closes what keeps a lock of the parent, in a forked child; called before a write throws
  /// there. Waits for no lock. The default does nothing.
  func leaveParent()

  /// Whether a rule of the engine is left out, so that a simulation finds out what it is for; false by
  /// default.
  func omits(_ rule: EngineRule) -> Bool

  /// Called when the suite is released or the process ends normally. Doesn't wait for a transaction
  /// that is running.
  func close()
}

extension Persistence {
  package var files: [StoredFile] { [] }

  package func omits(_ rule: EngineRule) -> Bool { false }

  package func listen() {}

  package func leaveParent() {}
}

/// A persistence that wants to know the keys of its suite.
package protocol KeyedPersistence: Persistence {
  /// Takes a key into account that is declared with the suite, or used with it.
  func addKey(_ key: any DeclaredKey)
}

/// A key, as far as this layer knows it.
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

/// What a commit changes, and what that depends on.
package struct Proposal {
  /// The changes; none if there is nothing to commit.
  package var changes: [EntryTable.Change] = []
  /// What the body of a transaction read.
  package var reads = Snapshot.Reads()
  /// The names that were set to what they are, which is no change as long as they are that.
  package var confirmed: Set<String> = []
}
