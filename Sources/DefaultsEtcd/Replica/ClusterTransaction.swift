import Foundation

/// What a transaction changes in the cluster, and what it depends on.
struct ClusterTransaction: Sendable {
  /// The revision that each of these names has to have; 0 for none.
  var expected: [(name: String, revision: Int64)] = []
  /// A revision after which no entry may have been made or changed.
  var unchangedSince: Int64?
  /// The new bytes of entries; nil for one that goes.
  var edits: [(name: String, bytes: Data?)] = []

  /// What comes of it.
  enum Outcome {
    case committed(revision: Int64)
    /// Nothing was changed: something isn't as expected.
    case conflict(Conflict)
  }

  struct Conflict {
    /// What is to be known before it is tried again.
    let latest: Int64
    /// The revision of the cluster when it was found.
    let present: Int64
  }
}
