import Defaults

/// The proof that a transaction was made, until its writer makes a later one.
struct Mark: Sendable, Hashable {
  /// The writer, whose name is in the key of the mark.
  let writer: String
  /// The unique text to which the transaction sets the mark.
  let text: String
  /// The revision of the mark that the transaction requires; 0 for none.
  let before: Int64
  let lease: Int64

  var closed: String { "\(text).closed" }

  /// The result of the transaction. No further copy of it can be made.
  enum Fate {
    case made(revision: Int64)
    case notMade
    /// The mark was removed, or has changed since.
    case unknown
  }
}

/// A sent transaction with an unknown result.
struct SentTransaction: Sendable, Equatable {
  let mark: Mark
  let edits: [String: Edit]
}
