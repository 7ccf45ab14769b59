/// What makes the entries of a ``Defaults/StoredSuite`` outlive the process.
///
/// `begin`, `record` and `end` are called in this order, once or not at all each, with the suite's
/// writer lock held: what is recorded between `begin` and `end` is one step for every other
/// process.
protocol Persistence: AnyObject, Sendable {
  /// Throws if an entry can't be kept exactly.
  func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError)

  /// Keeps other processes from committing, and commits to the suite what they did since; returns
  /// whether observers wait for that.
  func begin(for suite: Defaults.StoredSuite) -> Bool

  /// Keeps edits that are about to be committed to the suite; what can't be kept now is tried again
  /// later.
  func record(_ edits: [EntryEdit], for suite: Defaults.StoredSuite)

  /// Lets other processes commit again; returns what went wrong.
  func end(for suite: Defaults.StoredSuite) -> [Defaults.SuiteError]

  /// Does what had to wait for the writer lock, which was just given back.
  func settle(for suite: Defaults.StoredSuite)

  /// Returns when all that was committed is kept; throws what prevents it.
  func flush(
    _ extent: Defaults.FlushExtent, for suite: Defaults.StoredSuite
  ) throws(Defaults.SuiteError)

  /// The suite goes, or the process ends normally. Must not wait for a transaction that is running.
  func close(_ suite: Defaults.StoredSuite)
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
