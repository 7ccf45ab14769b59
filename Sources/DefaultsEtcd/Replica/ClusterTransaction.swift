import Foundation

/// The changes of a transaction in the cluster, and its conditions.
struct ClusterTransaction: Sendable {
  /// The revisions that keys must have; 0 for a missing key.
  var expected: [(key: Data, revision: Int64)] = []
  /// The revision after which no entry may have been created or changed.
  var unchangedSince: Int64?
  /// The new bytes of keys; nil for a removed key.
  var edits: [(key: Data, bytes: Data?)] = []

  var removedKeys: Set<Data> { Set(edits.filter { $0.bytes == nil }.map(\.key)) }

  enum Outcome {
    case committed(revision: Int64)
    /// A condition failed, and nothing was changed.
    case conflict(Conflict)
  }

  struct Conflict {
    /// The revision that must be known before the next attempt.
    let latest: Int64
    /// The cluster's revision when the conflict was found.
    let present: Int64
  }
}
