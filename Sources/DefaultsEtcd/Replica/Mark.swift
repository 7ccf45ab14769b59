import Defaults

/// What tells whether a transaction was made, as long as its writer has made no later one.
struct Mark: Sendable, Hashable {
  /// The writer, by which the key of the mark is named.
  let writer: String
  /// The text that the transaction sets the mark to. No other transaction has it.
  let text: String
  /// The revision of the mark that the transaction requires; 0 for none.
  let before: Int64
  /// The lease of the mark.
  let lease: Int64

  /// The text of a mark that was set to prevent the transaction.
  var closed: String { "\(text).closed" }

  /// What became of the transaction. None of its copies is made from now on.
  enum Fate {
    case made(revision: Int64)
    case notMade
    /// The mark is gone, or has changed since.
    case unknown
  }
}

/// A transaction that was sent to the cluster, and whose outcome isn't known so far.
struct SentTransaction: Sendable, Equatable {
  let mark: Mark
  /// What it changes.
  let edits: [String: Edit]
}
