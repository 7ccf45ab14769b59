/// What makes the entries of a ``Defaults/StoredSuite`` outlive the process.
protocol Persistence: AnyObject, Sendable {
  /// Throws if an entry can't be kept exactly.
  func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError)

  /// Runs the body under the suite's writer lock, and while no other process commits, after what
  /// others have committed was committed to the suite.
  ///
  /// Where other processes can't be kept from committing, a ``Commitment/blind`` body runs all the
  /// same, and any other one doesn't: then it throws, having waited
  /// for them so long, or as long as honest ones may take. No lock is held by the caller;
  /// what is to be told to handlers is left to him.
  func exclusively(
    _ commitment: Commitment, for suite: Defaults.StoredSuite, within patience: Duration?,
    leaving aftermath: inout Defaults.StoredSuite.Aftermath, _ body: () -> Void
  ) throws(Defaults.SuiteError)

  /// Inside of the body of `exclusively`: keeps edits that are about to be committed to the suite,
  /// as one step for every other process. Those of a blind body that can't be kept now are kept
  /// later. Throws if the edits must not be committed.
  func record(
    _ edits: [EntryEdit], for suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError)

  /// Does what had to wait for the writer lock, which was just given back.
  func settle(for suite: Defaults.StoredSuite)

  /// Takes in what others have committed before the call.
  func refresh(_ suite: Defaults.StoredSuite) throws(Defaults.SuiteError)

  /// Returns when all that was committed is kept; throws what prevents it.
  func flush(
    _ extent: Defaults.FlushExtent, for suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError)

  /// The suite goes, or the process ends normally. Must not wait for a transaction that is running.
  func close(_ suite: Defaults.StoredSuite)
}

/// What edits stand on.
enum Commitment {
  /// On nothing: they are the same whatever is committed, so they may wait in memory.
  case blind
  /// On what is committed in every process: they are made on that, or not at all.
  case exact
  /// On that, too; and they aren't made where this process can't store them, for nothing is lost
  /// without them.
  case optional
  /// On that, too; but what waits in memory since the disk is full goes on waiting, for there will
  /// be room when this is done.
  case compacting
}

/// One entry that changes.
struct EntryEdit {
  let name: String
  let old: Defaults.PropertyListValue?
  let edit: Defaults.Edit
}

extension Defaults {
  /// How far a flush goes.
  public enum FlushExtent: Sendable, Hashable {
    /// What was set survives a power cut.
    case durable
    /// And it is in the property list file, where other programs see it.
    case snapshot
  }
}
