import Foundation

/// What a transaction changes in the cluster, and what it depends on.
struct ClusterTransaction: Sendable {
  /// The revision that each of these keys has to have; 0 for none.
  var expected: [(key: Data, revision: Int64)] = []
  /// A revision after which no entry may have been made or changed.
  var unchangedSince: Int64?
  /// The new bytes of keys; nil for one that is removed.
  var edits: [(key: Data, bytes: Data?)] = []

  /// The keys that are removed.
  var removedKeys: Set<Data> { Set(edits.filter { $0.bytes == nil }.map(\.key)) }

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
