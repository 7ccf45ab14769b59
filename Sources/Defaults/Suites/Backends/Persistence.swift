/// The backend that stores the entries of a ``Defaults/StoredSuite``.
///
/// It is created with the suite's ``EntryTable`` and commits the suite's changes and those of other
/// processes to it.
/// After each method, the caller calls `deliver` of the table's support without holding a lock.
package protocol Persistence: AnyObject, Sendable {
  /// The state of the storage, and how the suite got its entries.
  var health: Defaults.Health { get }

  /// The files of the suite: the property list and its journal. Empty if it isn't stored in files.
  var files: [StoredFile] { get }

  /// Throws if an entry can't be stored exactly.
  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

  /// Applies the changes of other processes, and runs the body under the table's writer lock while
  /// no other process commits. Then stores the proposed changes atomically and commits them to the
  /// table. The caller holds no lock.
  ///
  /// If other processes can't be kept from committing, a ``Commitment/blind`` body runs anyway, and
  /// its changes are stored later. Any other commit throws after `timeout` or the default timeout.
  /// If other processes can commit during the body, it runs again until nothing that its proposal
  /// depends on has changed.
  ///
  /// - Throws: An error with nothing committed, if the changes can't be stored and must not wait.
  ///   The body itself throws only in a forked child, where nothing is committed, stored or
  ///   unlocked.
  func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError)

  /// Applies the changes of other processes that need neither a wait nor the lock between
  /// processes. The caller holds no lock.
  ///
  /// - Returns: Whether all changes were applied; true if no other process commits to the table.
  func foldWithoutWaiting() -> Bool

  /// Applies changes of other processes promptly from now on. Called without a lock when the suite
  /// is first observed.
  func listen()

  /// Adds a key that is declared with the suite or used with it. The default does nothing.
  func addKey(_ key: any DeclaredKey)

  /// Applies all changes that other processes committed before the call.
  func refresh() throws(SuiteError)

  /// Stores everything that is committed; throws the reason if that fails.
  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError)

  /// In a forked child, closes the descriptors that share a lock with the parent. Called before a
  /// write throws. Waits for no lock. The default does nothing.
  func leaveParent()

  /// Called when the suite is released or the process exits normally. Waits only a few seconds for
  /// running commits, since a commit may wait for the thread that exits.
  func close()
}

extension Persistence {
  package var files: [StoredFile] { [] }
  package func foldWithoutWaiting() -> Bool { true }
  package func listen() {}
  package func addKey(_ key: any DeclaredKey) {}
  package func leaveParent() {}
}

/// The state that the changes of a commit depend on.
package enum Commitment: Sendable {
  /// The changes depend on nothing, so they may wait in memory.
  case blind
  /// The changes depend on the entries that all processes have committed. They are made on these
  /// entries or not at all.
  case exact
  /// Like `exact`, for exports, the sweep, the record of a failed sync and the folding of other
  /// processes' changes. But the property list is checked only if it may have changed, and a failed
  /// merge is only reported. Earlier changes that wait because the disk is full may keep waiting,
  /// since this commit frees space for them, or stores no change.
  case maintenance
}

extension Defaults {
  /// The extent of a flush.
  public enum FlushExtent: Sendable, Hashable {
    /// All changes survive a power loss.
    case durable
    /// The property list also has the changes, for other programs to read.
    case snapshot
  }

  /// The state of a suite's file, and how the suite got its entries.
  public enum Health: Sendable, Hashable {
    /// The file was read or didn't exist. Changes can be stored.
    case intact
    /// The file was damaged and is quarantined. All settings were restored from the journal.
    case recoveredFromJournal
    /// The file was damaged and is quarantined, and the journal was missing or damaged. The suite
    /// started with the readable part of the journal.
    case startedEmpty
    /// Nothing can be stored now: the file or its folder is read-only, or the disk is full. Changes
    /// stay in memory until they can be stored. A suite that was opened with `readOnly: true` also
    /// has this health; it rejects changes with `unwritable`.
    case readOnly
    /// The file was XML and is now binary, since XML can't represent one of the entries. Everything
    /// is stored. The file becomes XML again when that entry is removed.
    case savedAsBinary
    /// There is no file. All changes are lost when the process ends.
    case inMemory
  }
}

/// The changes of a commit and the state that they depend on.
package struct Proposal {
  /// The changes; empty if there is nothing to commit.
  package var changes: [EntryChange] = []
  /// The names that the body of a transaction read.
  package var reads = Snapshot.Reads()
  /// The names that were set to their current value. Such an edit is a change only if the value
  /// changes before the commit.
  package var confirmed: Set<String> = []
}
